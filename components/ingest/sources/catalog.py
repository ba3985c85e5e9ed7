"""Every adapter by its name in the config. To add one: write its file, add a line here and the name in config.py."""

from components.ingest.sources import (
    aime_history,
    columns,
    deepscaler,
    leetcode,
    numinamath,
    omni_math,
    still3,
    taco,
)
from components.ingest.sources.adapter import Adapter

ADAPTERS: dict[str, Adapter] = {
    "numinamath": numinamath.ADAPTER,
    "deepscaler": deepscaler.ADAPTER,
    "still3": still3.ADAPTER,
    "omni_math": omni_math.ADAPTER,
    "aime_history": aime_history.ADAPTER,
    "leetcode": leetcode.ADAPTER,
    "taco": taco.ADAPTER,
    "columns": columns.ADAPTER,
}
