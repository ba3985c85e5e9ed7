"""The base of every setting: strict, immutable and cheap to import.

Unknown keys are refused, and the line under each field is its manual. Config modules load
nothing heavier than pydantic.
"""

import json
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from components.core.errors import ConfigError


class StrictConfig(BaseModel):
    """Base of all settings. Defaults are the vetted run; a recipe says only what differs."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, validate_default=True, allow_inf_nan=False
    )

    @classmethod
    def parse(cls, settings: Any, where: str = "") -> Self:
        """Validate a mapping or JSON text. Raises ConfigError naming every wrong field at once."""
        try:
            return (
                cls.model_validate_json(settings) if isinstance(settings, str | bytes) else cls.model_validate(settings)
            )
        except ValidationError as error:
            raise ConfigError(explain(error, where or cls.__name__)) from error

    def to_json(self) -> str:
        """Exact JSON of all settings, keys sorted."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def explain(error: ValidationError, where: str) -> str:
    """One line per wrong field: its dotted path, what is wrong, and what was given."""
    lines = []
    for problem in error.errors():
        path = ".".join(str(part) for part in problem["loc"]) or "(the whole text)"
        if problem["type"] == "extra_forbidden":
            lines.append(f"{where}: unknown setting '{path}'; remove it or check its spelling")
        else:
            given = repr(problem.get("input"))[:80]
            lines.append(f"{where}: setting '{path}': {problem['msg']} (given: {given})")
    return "\n".join(lines)
