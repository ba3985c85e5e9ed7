"""Python values as JSON that keeps types apart (tuple or list, set, int keys, bytes, big integers).

Used for arguments going into a sandboxed program and results coming out. Reading a value looks only at the real type
and uses the base classes' own methods, so a class of the program can't answer for itself. Standard library only.
"""

import math
from typing import Any

_SMALL_INT = 1 << 53
MAX_DEPTH = 200


class NotPlain(Exception):
    """The value holds something that is no plain data."""


def encode(value: Any, depth: int = 0) -> Any:
    """Plain data to JSON: scalars and lists as they are, all else as {"kind": …}. Raises NotPlain."""
    if depth > MAX_DEPTH:
        raise NotPlain("nested too deep")
    kind = type(value)
    if value is None or kind is bool or kind is str:
        return value
    if kind is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if kind is int:
        return value if -_SMALL_INT < value < _SMALL_INT else {"int": hex(value)}
    for base, reader in _READERS:
        if issubclass(kind, base):
            return reader(value, depth)
    if kind.__module__ == "numpy" and hasattr(kind, "tolist"):
        return encode(value.tolist(), depth + 1)
    raise NotPlain(f"a value of type {kind.__name__}")


def decode(value: Any) -> Any:
    """The inverse of `encode`. Raises ValueError or TypeError for what `encode` never makes."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "tuple":
        return tuple(decode(item) for item in content)
    if kind == "dict":
        return {decode(key): decode(item) for key, item in content}
    if kind in ("set", "frozenset"):
        return {"set": set, "frozenset": frozenset}[kind](decode(item) for item in content)
    if kind == "int":
        return int(content, 16)
    if kind == "float":
        return float(content)
    if kind == "bytes":
        return bytes(content)
    if kind == "complex":
        return complex(float(content[0]), float(content[1]))
    raise ValueError(f"unknown kind {kind!r}")


def _items(name: str, base: type) -> Any:
    def read(value: Any, depth: int) -> Any:
        return {name: [encode(item, depth + 1) for item in base.__iter__(value)]}  # type: ignore[attr-defined]

    return read


def _list(value: Any, depth: int) -> Any:
    return [encode(item, depth + 1) for item in list.__iter__(value)]


def _dict(value: Any, depth: int) -> Any:
    return {"dict": [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in dict.items(value)]}


_READERS: tuple[tuple[type, Any], ...] = (
    (list, _list),
    (tuple, _items("tuple", tuple)),
    (dict, _dict),
    (set, _items("set", set)),
    (frozenset, _items("frozenset", frozenset)),
    (str, lambda value, depth: str.__str__(value)),
    (int, lambda value, depth: encode(int.__add__(value, 0), depth + 1)),
    (float, lambda value, depth: encode(float.__add__(value, 0.0), depth + 1)),
    (complex, lambda value, depth: {"complex": [repr(value.real), repr(value.imag)]}),
    (bytes, lambda value, depth: {"bytes": list(bytes.__iter__(value))}),
    (bytearray, lambda value, depth: {"bytes": list(bytearray.__iter__(value))}),
)
