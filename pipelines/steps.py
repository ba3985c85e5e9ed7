"""The picture as data: which steps a recipe has, and which output feeds which input.

    ingest-SOURCE… ─► filter ─► answers / validate_tests ─► dedup ─► decontaminate ─► difficulty ─► judge ─► mix
    base_model ─► evaluate-base                                                                            │
    train-1 ─► train-2 … (from base_model and mix) ─► evaluate-1 … evaluate-final ─► register  ◄────────────┘

The graph, the command line, the estimates and the report all read this one list.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from components.core.errors import ConfigError

Link = tuple[str, str]
"""(step, output port)"""


@dataclass(frozen=True)
class PlannedStep:
    """One node of the graph."""

    name: str
    stage: str
    slot: str
    """Name of the `resolve` output that carries its config."""
    inputs: dict[str, tuple[Link, ...]] = field(default_factory=dict)


def plan_steps(sources: Sequence[str], num_train_stages: int) -> list[PlannedStep]:
    """All steps in the order in which they run. Without train stages the graph ends at the base evaluation."""
    steps = [PlannedStep(f"ingest-{name}", "ingest", f"ingest_{i}") for i, name in enumerate(sources, 1)]
    ingested = tuple((step.name, "kept") for step in steps)
    kept: dict[str, tuple[Link, ...]] = {"problems": ingested}
    steps.append(PlannedStep("filter", "filter", "filter", kept))
    filtered: dict[str, tuple[Link, ...]] = {"problems": (("filter", "kept"),)}
    steps.append(PlannedStep("answers", "answers", "answers", filtered))
    steps.append(PlannedStep("validate_tests", "validate_tests", "validate_tests", filtered))
    checked: dict[str, tuple[Link, ...]] = {"problems": (("answers", "kept"), ("validate_tests", "kept"))}
    steps.append(PlannedStep("dedup", "dedup", "dedup", checked))
    steps.append(PlannedStep("decontaminate", "decontaminate", "decontaminate", {"problems": (("dedup", "kept"),)}))
    steps.append(PlannedStep("base_model", "base_model", "base_model"))
    base = (("base_model", "model"),)
    clean: dict[str, tuple[Link, ...]] = {"problems": (("decontaminate", "kept"),), "model": base}
    steps.append(PlannedStep("difficulty", "difficulty", "difficulty", clean))
    steps.append(PlannedStep("judge", "judge", "judge", {"problems": (("difficulty", "kept"),)}))
    steps.append(PlannedStep("mix", "mix", "mix", {"problems": (("judge", "kept"),)}))
    steps.append(PlannedStep("evaluate-base", "evaluate", "evaluate_base", {"model": base}))
    return steps + _train_and_evaluate(num_train_stages)


def _train_and_evaluate(num_train_stages: int) -> list[PlannedStep]:
    steps: list[PlannedStep] = []
    scores: list[Link] = [("evaluate-base", "scores")]
    before = "base_model"
    for n in range(1, num_train_stages + 1):
        name = f"train-{n}"
        inputs: dict[str, tuple[Link, ...]] = {"problems": (("mix", "kept"),), "model": ((before, "model"),)}
        if n > 1:
            inputs["checkpoint_before"] = ((before, "checkpoint"),)
            inputs["exposures_before"] = ((before, "exposures"),)
        steps.append(PlannedStep(name, "train", f"train_{n}", inputs))
        label = "final" if n == num_train_stages else str(n)
        steps.append(PlannedStep(f"evaluate-{label}", "evaluate", f"evaluate_{label}", {"model": ((name, "model"),)}))
        scores.append((f"evaluate-{label}", "scores"))
        before = name
    if num_train_stages:
        final = {"model": ((before, "model"),), "scores": tuple(scores), "data_card": (("mix", "data_card"),)}
        steps.append(PlannedStep("register", "register", "register", final))
    return steps


def up_to(steps: list[PlannedStep], name: str) -> list[PlannedStep]:
    """The steps that `name` needs, and itself. Raises ConfigError for an unknown name."""
    by_name = {step.name: step for step in steps}
    if name not in by_name:
        raise ConfigError(f"--until: no step '{name}'; the steps are {', '.join(by_name)}")
    needed, todo = set(), [name]
    while todo:
        step = by_name[todo.pop()]
        if step.name not in needed:
            needed.add(step.name)
            todo += [source for links in step.inputs.values() for source, _ in links]
    return [step for step in steps if step.name in needed]
