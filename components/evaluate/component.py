"""KFP wrapper of the evaluate stage: no logic, see run.py."""

from kfp import dsl
from kfp.dsl import HTML, Artifact, Dataset, Input, Metrics, Model, Output

from components.core.images import TRAIN_IMAGE


@dsl.component(base_image=TRAIN_IMAGE, install_kfp_package=False)
def evaluate(
    step: str,
    config: str,
    code: str,
    model_in: Input[Model],
    completions: Output[Dataset],
    scores: Output[Artifact],
    step_metrics: Output[Metrics],
    report: Output[HTML],
):
    """Sample and grade the benchmarks."""
    from components.evaluate.run import STAGE
    from components.track.component_run import run_component

    inputs = {"model": model_in}
    outputs = {"completions": completions, "scores": scores}
    run_component(STAGE, step, config, inputs, outputs, step_metrics, report)
