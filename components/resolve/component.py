"""KFP wrapper of the resolve stage: recipe and run parameters in, one config per step out.

The outputs are slots, fixed for every recipe; those that a recipe does not use stay `{}`.
"""

from kfp import dsl
from kfp.dsl import HTML, Output, OutputPath

from components.core.images import DATA_IMAGE


@dsl.component(base_image=DATA_IMAGE, install_kfp_package=False)
def resolve(
    recipe: str,
    overrides: str,
    seed: int,
    base_model: str,
    model_name: str,
    code: str,
    report: Output[HTML],
    base_model_config: OutputPath(str),
    ingest_1_config: OutputPath(str),
    ingest_2_config: OutputPath(str),
    ingest_3_config: OutputPath(str),
    ingest_4_config: OutputPath(str),
    ingest_5_config: OutputPath(str),
    ingest_6_config: OutputPath(str),
    ingest_7_config: OutputPath(str),
    ingest_8_config: OutputPath(str),
    ingest_9_config: OutputPath(str),
    ingest_10_config: OutputPath(str),
    ingest_11_config: OutputPath(str),
    ingest_12_config: OutputPath(str),
    filter_config: OutputPath(str),
    answers_config: OutputPath(str),
    validate_tests_config: OutputPath(str),
    dedup_config: OutputPath(str),
    decontaminate_config: OutputPath(str),
    difficulty_config: OutputPath(str),
    judge_config: OutputPath(str),
    mix_config: OutputPath(str),
    train_1_config: OutputPath(str),
    train_2_config: OutputPath(str),
    train_3_config: OutputPath(str),
    train_4_config: OutputPath(str),
    train_5_config: OutputPath(str),
    train_6_config: OutputPath(str),
    evaluate_base_config: OutputPath(str),
    evaluate_1_config: OutputPath(str),
    evaluate_2_config: OutputPath(str),
    evaluate_3_config: OutputPath(str),
    evaluate_4_config: OutputPath(str),
    evaluate_5_config: OutputPath(str),
    evaluate_6_config: OutputPath(str),
    evaluate_final_config: OutputPath(str),
    register_config: OutputPath(str),
):
    """Validate everything at once, in seconds, before any work starts."""
    from components.resolve.run import resolve_to_files

    parameters = {"overrides": overrides, "seed": seed, "base_model": base_model, "model_name": model_name}
    paths = {name.removesuffix("_config"): path for name, path in locals().items() if name.endswith("_config")}
    resolve_to_files(recipe, parameters, paths, report.path)
