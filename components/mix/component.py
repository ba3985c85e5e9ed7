"""KFP wrapper of the mix stage: no logic, see run.py."""

from kfp import dsl
from kfp.dsl import HTML, Artifact, Dataset, Input, Metrics, Output

from components.core.images import DATA_IMAGE


@dsl.component(base_image=DATA_IMAGE, install_kfp_package=False)
def mix(
    step: str,
    config: str,
    code: str,
    problems_in: Input[Dataset],
    kept: Output[Dataset],
    data_card: Output[Artifact],
    step_metrics: Output[Metrics],
    report: Output[HTML],
):
    """Weigh and shuffle the final training set, and describe it."""
    from components.mix.run import STAGE
    from components.track.component_run import run_component

    inputs = {"problems": problems_in}
    outputs = {"kept": kept, "data_card": data_card}
    run_component(STAGE, step, config, inputs, outputs, step_metrics, report)
