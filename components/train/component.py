"""KFP wrapper of the train stage: no logic, see run.py."""

from kfp import dsl
from kfp.dsl import HTML, Artifact, Dataset, Input, Metrics, Model, Output

from components.core.images import TRAIN_IMAGE


@dsl.component(base_image=TRAIN_IMAGE, install_kfp_package=False)
def train(
    step: str,
    config: str,
    code: str,
    problems_in: Input[Dataset],
    model_in: Input[Model],
    model: Output[Model],
    exposures: Output[Dataset],
    metrics: Output[Artifact],
    checkpoint: Output[Artifact],
    step_metrics: Output[Metrics],
    report: Output[HTML],
    checkpoint_before_in: Input[Artifact] = None,
    exposures_before_in: Input[Dataset] = None,
):
    """Train one MAGIC stage."""
    from components.track.component_run import run_component
    from components.train.run import STAGE

    inputs = {
        "problems": problems_in,
        "model": model_in,
        "checkpoint_before": checkpoint_before_in,
        "exposures_before": exposures_before_in,
    }
    outputs = {"model": model, "exposures": exposures, "metrics": metrics, "checkpoint": checkpoint}
    run_component(STAGE, step, config, inputs, outputs, step_metrics, report)
