"""Settings of the base_model stage."""

from components.core.config import StrictConfig


class BaseModelConfig(StrictConfig):
    """Which model training starts from."""

    name: str = "DeepSeek-R1-Distill-Qwen-7B"
    """Name in reports and in `model.json`."""
    path: str = "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"
    """`bundled:tiny` (comes with this project), a local folder, or a model id on the Hugging Face hub."""
    revision: str = "916b56a44061fd5cd7d6a8fb632557ed4f724f60"
    """Hub commit. A hub model without one is refused, because a branch can change. Free text for a local folder."""
    licence: str = "MIT"
    """Licence of the weights, for the data card and the licence audit."""
    expected_sha256: dict[str, str] = {}
    """File name to sha256, for files that must be exactly these; empty checks nothing. Bundled weights are always
    checked against their training record."""
