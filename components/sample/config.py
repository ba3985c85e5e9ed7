"""Settings of the sampling engines."""

from typing import Any, Literal

from pydantic import Field

from components.core.config import StrictConfig

EngineName = Literal["auto", "vllm", "transformers", "endpoint", "scripted"]


class SamplingConfig(StrictConfig):
    """How a response is drawn."""

    temperature: float = Field(1.0, ge=0.0)
    """Softmax temperature; 0 is greedy."""
    top_p: float = Field(1.0, gt=0.0, le=1.0)
    """Nucleus: the smallest set of tokens with at least this probability; 1 keeps all."""
    max_response_tokens: int = Field(32768, ge=1)
    """A response is cut here (finish reason `length`)."""


class SamplerConfig(StrictConfig):
    """Which engine samples, and on how many workers."""

    engine: EngineName = "auto"
    """`auto` takes vLLM where it is installed and worth its start-up, else transformers; the log says which and why."""
    num_workers: int | None = Field(None, ge=0)
    """Engines, each in a Ray actor of its own. None: one a GPU, or one a CPU core without GPUs. 0: one engine in
    this process, without Ray."""
    threads_per_worker: int = Field(1, ge=1)
    """CPU threads of each worker."""
    batch_size: int = Field(256, ge=1)
    """Responses that a worker decodes at the same time."""
    max_model_tokens: int | None = Field(None, ge=2)
    """Prompt and response together; None is what the model allows (max_position_embeddings)."""
    dtype: Literal["auto", "float32", "bfloat16"] = "auto"
    """Weights and activations; `auto` is bfloat16 on a GPU, float32 on a CPU."""
    vllm_gpu_memory_share: float = Field(0.9, gt=0.0, le=1.0)
    """Share of each GPU's memory that vLLM may take."""
    vllm_cpu_cache_gib: int = Field(1, ge=1)
    """vLLM on CPU: size of its key-value cache, per worker."""
    start_timeout_s: float = Field(900.0, gt=0.0)
    """A worker that isn't ready by then counts as failed."""
    sample_timeout_s: float = Field(7200.0, gt=0.0)
    """A worker that hasn't finished its share by then counts as failed."""
    sync_timeout_s: float = Field(600.0, gt=0.0)
    """A worker that hasn't loaded new weights by then counts as failed."""
    canary: bool = True
    """vLLM: after each load of weights compare log-probs of a fixed prompt with a forward pass in transformers
    (models under 20 million parameters only), and fail when they differ."""
    endpoint_url: str = ""
    """Base URL of an OpenAI-compatible server, e.g. http://127.0.0.1:8000/v1 (engine `endpoint`)."""
    endpoint_model: str = ""
    """Model name that the server expects."""
    endpoint_key_env: str = "OPENAI_API_KEY"
    """Environment variable that holds the server's key; the key itself is never a setting."""
    endpoint_concurrency: int = Field(32, ge=1)
    """Requests in flight at the same time."""
    endpoint_extra: dict[str, Any] = {}
    """Further fields of each request that the server knows, e.g. `{"return_token_ids": true, "logprobs": 0}` (vLLM)."""
    scripted_file: str = ""
    """JSONL of `prompt_contains` (or `prompt`) and `responses` (engine `scripted`)."""
