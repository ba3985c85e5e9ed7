"""KFP wrapper of the base_model stage: no logic, see run.py."""

from kfp import dsl
from kfp.dsl import HTML, Metrics, Model, Output

from components.core.images import DATA_IMAGE


@dsl.component(base_image=DATA_IMAGE, install_kfp_package=False)
def base_model(
    step: str,
    config: str,
    code: str,
    model: Output[Model],
    step_metrics: Output[Metrics],
    report: Output[HTML],
):
    """Fetch and describe the model to start from."""
    from components.base_model.run import STAGE
    from components.track.component_run import run_component

    inputs = {}
    outputs = {"model": model}
    run_component(STAGE, step, config, inputs, outputs, step_metrics, report)
