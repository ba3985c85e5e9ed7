"""KFP wrapper of the ingest stage: no logic, see run.py."""

from kfp import dsl
from kfp.dsl import HTML, Dataset, Metrics, Output

from components.core.images import DATA_IMAGE


@dsl.component(base_image=DATA_IMAGE, install_kfp_package=False)
def ingest(
    step: str,
    config: str,
    code: str,
    kept: Output[Dataset],
    dropped: Output[Dataset],
    step_metrics: Output[Metrics],
    report: Output[HTML],
):
    """Read one source into problems."""
    from components.ingest.run import STAGE
    from components.track.component_run import run_component

    inputs = {}
    outputs = {"kept": kept, "dropped": dropped}
    run_component(STAGE, step, config, inputs, outputs, step_metrics, report)
