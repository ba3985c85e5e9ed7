"""KFP wrapper of the register stage: no logic, see run.py."""

from kfp import dsl
from kfp.dsl import HTML, Artifact, Input, Metrics, Model, Output

from components.core.images import DATA_IMAGE


@dsl.component(base_image=DATA_IMAGE, install_kfp_package=False)
def register(
    step: str,
    config: str,
    code: str,
    model_in: Input[Model],
    scores_1: Input[Artifact],
    data_card_in: Input[Artifact],
    version: Output[Artifact],
    step_metrics: Output[Metrics],
    report: Output[HTML],
    scores_2: Input[Artifact] = None,
    scores_3: Input[Artifact] = None,
    scores_4: Input[Artifact] = None,
    scores_5: Input[Artifact] = None,
    scores_6: Input[Artifact] = None,
    scores_7: Input[Artifact] = None,
    scores_8: Input[Artifact] = None,
):
    """Register the model, its scores and its data card."""
    from components.register.run import STAGE
    from components.track.component_run import run_component

    inputs = {
        "model": model_in,
        "scores": [scores_1, scores_2, scores_3, scores_4, scores_5, scores_6, scores_7, scores_8],
        "data_card": data_card_in,
    }
    outputs = {"version": version}
    run_component(STAGE, step, config, inputs, outputs, step_metrics, report)
