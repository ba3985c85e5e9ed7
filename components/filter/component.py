"""KFP wrapper of the filter stage: no logic, see run.py."""

from kfp import dsl
from kfp.dsl import HTML, Dataset, Input, Metrics, Output

from components.core.images import DATA_IMAGE


@dsl.component(base_image=DATA_IMAGE, install_kfp_package=False)
def filter_problems(
    step: str,
    config: str,
    code: str,
    problems_1: Input[Dataset],
    kept: Output[Dataset],
    dropped: Output[Dataset],
    step_metrics: Output[Metrics],
    report: Output[HTML],
    problems_2: Input[Dataset] = None,
    problems_3: Input[Dataset] = None,
    problems_4: Input[Dataset] = None,
    problems_5: Input[Dataset] = None,
    problems_6: Input[Dataset] = None,
    problems_7: Input[Dataset] = None,
    problems_8: Input[Dataset] = None,
    problems_9: Input[Dataset] = None,
    problems_10: Input[Dataset] = None,
    problems_11: Input[Dataset] = None,
    problems_12: Input[Dataset] = None,
):
    """Apply the rules to the problems of all sources."""
    from components.filter.run import STAGE
    from components.track.component_run import run_component

    inputs = {
        "problems": [
            problems_1,
            problems_2,
            problems_3,
            problems_4,
            problems_5,
            problems_6,
            problems_7,
            problems_8,
            problems_9,
            problems_10,
            problems_11,
            problems_12,
        ]
    }
    outputs = {"kept": kept, "dropped": dropped}
    run_component(STAGE, step, config, inputs, outputs, step_metrics, report)
