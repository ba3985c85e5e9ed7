"""KFP wrapper of the difficulty stage: no logic, see run.py."""

from kfp import dsl
from kfp.dsl import HTML, Dataset, Input, Metrics, Model, Output

from components.core.images import TRAIN_IMAGE


@dsl.component(base_image=TRAIN_IMAGE, install_kfp_package=False)
def difficulty(
    step: str,
    config: str,
    code: str,
    problems_in: Input[Dataset],
    model_in: Input[Model],
    kept: Output[Dataset],
    dropped: Output[Dataset],
    completions: Output[Dataset],
    pass_rates: Output[Dataset],
    step_metrics: Output[Metrics],
    report: Output[HTML],
):
    """Estimate each problem's difficulty with the base model's own rollouts."""
    from components.difficulty.run import STAGE
    from components.track.component_run import run_component

    inputs = {"problems": problems_in, "model": model_in}
    outputs = {"kept": kept, "dropped": dropped, "completions": completions, "pass_rates": pass_rates}
    run_component(STAGE, step, config, inputs, outputs, step_metrics, report)
