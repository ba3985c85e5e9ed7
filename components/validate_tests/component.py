"""KFP wrapper of the validate_tests stage: no logic, see run.py."""

from kfp import dsl
from kfp.dsl import HTML, Dataset, Input, Metrics, Output

from components.core.images import DATA_IMAGE


@dsl.component(base_image=DATA_IMAGE, install_kfp_package=False)
def validate_tests(
    step: str,
    config: str,
    code: str,
    problems_in: Input[Dataset],
    kept: Output[Dataset],
    dropped: Output[Dataset],
    step_metrics: Output[Metrics],
    report: Output[HTML],
):
    """Run the original programs of code problems on their tests."""
    from components.track.component_run import run_component
    from components.validate_tests.run import STAGE

    inputs = {"problems": problems_in}
    outputs = {"kept": kept, "dropped": dropped}
    run_component(STAGE, step, config, inputs, outputs, step_metrics, report)
