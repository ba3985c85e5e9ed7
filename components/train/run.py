"""The train stage: problems and a model in; trained model, exposures, metrics and state for the next stage out."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa

from components.core.errors import ConfigError
from components.core.files import read_json, read_table, write_jsonl, write_table
from components.core.model_files import read_model_json, require_model_folder
from components.core.records import read_problems
from components.core.step import Counts, Inputs, Outputs, Port, Stage
from components.train.checkpoint import Snapshot
from components.train.config import TrainConfig
from components.train.entropy import EntropyController
from components.train.loop import Progress, StageLoop
from components.train.plan import Plan, count_visits
from components.train.problem_pool import ProblemPool, choose_problems
from components.train.stage_state import StageState, carried_state, write_carried_state
from components.train.sync import push_weights, write_model

log = logging.getLogger(__name__)
EXPOSURES_SCHEMA = pa.schema(
    [
        ("row_id", pa.string()),
        ("problem_id", pa.string()),
        ("stage", pa.int64()),
        ("step", pa.int64()),
        ("num_correct", pa.int64()),
        ("num_graded", pa.int64()),
        ("used", pa.bool_()),
    ]
)


def run(config: TrainConfig, inputs: Inputs, outputs: Outputs) -> Counts:
    """Train one stage. Raises ConfigError, DataError, InfraError."""
    model_folder: Path = inputs["model"]
    require_model_folder(model_folder)
    _require_positions(model_folder, config)
    before = inputs.get("exposures_before")
    exposures = read_table(before, EXPOSURES_SCHEMA) if before else []
    pool = choose_problems(config, read_problems(inputs["problems"]), exposures, model_folder)
    carried = carried_state(inputs.get("checkpoint_before"), read_model_json(model_folder))
    with ExitStack() as stack:
        state = StageState(config, inputs, stack)
        loop = _start(config, pool, exposures, model_folder, state.resumed() or carried, state, stack)
        loop.run()
        final = state.chosen(loop)
    write_table(outputs["exposures"], exposures + loop.progress.exposures, EXPOSURES_SCHEMA)
    write_jsonl(outputs["metrics"], loop.progress.metrics)
    step = final.state["progress"]["step"]
    trained = write_model(outputs["model"], final.weights, model_folder, config.label, step)
    write_carried_state(outputs["checkpoint"], final, config.stage_index, trained)
    return {**pool.counts, **_summary(loop)}


def _require_positions(folder: Path, config: TrainConfig) -> None:
    positions = read_json(folder / "config.json").get("max_position_embeddings")
    needed = config.max_prompt_tokens + config.max_response_tokens
    if positions and needed > positions:
        raise ConfigError(
            f"max_prompt_tokens + max_response_tokens is {needed}, but the model has {positions} positions "
            "(max_position_embeddings); lower one of them"
        )


def _start(
    config: TrainConfig,
    pool: ProblemPool,
    exposures: Sequence[Mapping[str, Any]],
    model_folder: Path,
    start: Snapshot | None,
    state: StageState,
    stack: ExitStack,
) -> StageLoop:
    """Bring engines, grader and trainer up, with the weights and the state to start from."""
    from components.sample.pool import EnginePool
    from components.sample.ray_cluster import start_ray
    from components.train.ray_backend import TrainerRanks
    from components.verify.catalog import Grader

    start_ray()
    # The ranks load in the background while the engines start.
    ranks = stack.enter_context(TrainerRanks(config, model_folder))
    max_model_tokens = config.max_prompt_tokens + config.max_response_tokens
    engines = stack.enter_context(EnginePool(config.sampler, model_folder, max_model_tokens))
    grader = stack.enter_context(Grader(config.verifier))
    ranks.wait_ready()
    controller, progress = EntropyController.start(config.entropy), Progress()
    if start:
        ranks.load(start.weights, start.optimizer)
        push_weights(engines, start.weights)
        controller = EntropyController.restore(config.entropy, start.state["controller"])
        progress = Progress(**start.state["progress"])
    keys = tuple(p.key for p in pool.training)
    plan = Plan(keys, config.num_prompts, config.seed, count_visits(exposures, keys))
    return StageLoop(
        config, plan, pool.training, pool.held_out, engines, grader, ranks, controller, progress, state.after_step
    )


def _summary(loop: StageLoop) -> Counts:
    """Flat numbers for the step's metrics."""
    rows, progress = loop.progress.metrics, loop.progress
    accuracies = [a for r in rows if (a := r["train/accuracy_before_rejection"]) is not None]
    return {
        "steps": progress.stage_step,
        "steps_without_update": sum(1 for r in rows if r["train/loss"] is None),
        "rollouts": sum(r["train/groups_total"] for r in rows) * loop.config.group_size,
        "infra_errors": sum(r["train/infra_errors"] for r in rows),
        "accuracy_first_step": accuracies[0] if accuracies else 0.0,
        "accuracy_last_step": accuracies[-1] if accuracies else 0.0,
        "best_held_out_accuracy": progress.best["accuracy"] if progress.best else 0.0,
    }


STAGE = Stage(
    "train",
    TrainConfig,
    run,
    inputs=(
        Port("problems"),
        Port("model", "model"),
        Port("checkpoint_before", "folder", optional=True),
        Port("exposures_before", optional=True),
    ),
    outputs=(Port("model", "model"), Port("exposures"), Port("metrics", "jsonl"), Port("checkpoint", "folder")),
)
