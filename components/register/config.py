"""Settings of the register stage."""

from components.core.config import StrictConfig


class GateConfig(StrictConfig):
    """What a model must show before it is marked as promoted. It is registered either way."""

    min_gain: dict[str, float] = {"math": 0.0}
    """Benchmark or domain -> least gain of avg@k over the base model (0-1; the mean over a domain's benchmarks).
    Negative tolerates a loss."""
    interval_above_zero: bool = False
    """Also ask that the lower end of every paired 95 % interval named in min_gain is above zero."""
    required_benchmarks: tuple[str, ...] = ()
    """Benchmarks that must have been evaluated for the base and for this model."""
    max_infra_error_share: float = 0.01
    """Largest share of samples of a benchmark that may have been lost to failures of the graders."""


class RegisterConfig(StrictConfig):
    """Where and under which name the model is registered, and what decides its promotion."""

    model_name: str = "or1"
    """Name of the registered model in MLflow; each new model is a version of it."""
    tracking_uri: str = ""
    """MLflow server or `sqlite:///FILE`. Empty: the environment's OR1_MLFLOW or MLFLOW_TRACKING_URI, else
    `mlflow.db` in the current folder."""
    experiment: str = "or1-register"
    """MLflow experiment that holds the run with scores, data card and lineage."""
    gate: GateConfig = GateConfig()
