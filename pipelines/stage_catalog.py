"""Every stage by name. The run modules are imported when asked for, so that listing stages stays light."""

from importlib import import_module

from components.core.errors import ConfigError
from components.core.step import Stage
from pipelines.recipe import STAGE_CONFIGS


def stage_of(name: str) -> Stage:
    """The stage `name`. Raises ConfigError naming the stages there are."""
    if name not in STAGE_CONFIGS:
        raise ConfigError(f"no stage '{name}'; the stages are {', '.join(STAGE_CONFIGS)}")
    stage = import_module(f"components.{name}.run").STAGE
    assert isinstance(stage, Stage)
    return stage
