"""Parameters of a run, as they stand in the Kubeflow UI."""

from components.core.config import StrictConfig


class RunParameters(StrictConfig):
    """What can be changed per run without compiling the recipe again."""

    overrides: str = "{}"
    """JSON object: dotted setting path -> value, e.g. {"train.learning_rate": 2e-6}."""
    seed: int = 0
    """Seed of everything random; 0 keeps the recipe's."""
    base_model: str = ""
    """Path or hub id of the model to start from; empty keeps the recipe's."""
    model_name: str = ""
    """Name under which the result is registered; empty keeps the recipe's."""
