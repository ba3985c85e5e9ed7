"""KFP wrapper of the dedup stage: no logic, see run.py."""

from kfp import dsl
from kfp.dsl import HTML, Dataset, Input, Metrics, Output

from components.core.images import DATA_IMAGE


@dsl.component(base_image=DATA_IMAGE, install_kfp_package=False)
def dedup(
    step: str,
    config: str,
    code: str,
    problems_1: Input[Dataset],
    kept: Output[Dataset],
    dropped: Output[Dataset],
    step_metrics: Output[Metrics],
    report: Output[HTML],
    problems_2: Input[Dataset] = None,
):
    """Remove duplicates: exact, MinHash, embedding."""
    from components.dedup.run import STAGE
    from components.track.component_run import run_component

    inputs = {"problems": [problems_1, problems_2]}
    outputs = {"kept": kept, "dropped": dropped}
    run_component(STAGE, step, config, inputs, outputs, step_metrics, report)
