"""LiveCodeBench's encoded private tests: base64, zlib, pickle, JSON. Decoded without running what a pickle may name."""

import base64
import io
import json
import pickle
import zlib
from typing import Any

_MAX_BYTES = 512 << 20


class _TextOnly(pickle.Unpickler):
    """A pickle of plain text names no global; one that does is refused."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        raise pickle.UnpicklingError(f"private tests name {module_name}.{global_name}")

    def persistent_load(self, pid: Any) -> Any:
        raise pickle.UnpicklingError("private tests hold a persistent reference")


def decode_private_tests(encoded: str) -> Any:
    """The decoded cases: a list, or a mapping in a source's shape. Raises ValueError. JSON text is accepted too."""
    try:
        if encoded.lstrip().startswith("["):
            rows = json.loads(encoded)
        else:
            unpacker = zlib.decompressobj()
            data = unpacker.decompress(base64.b64decode(encoded), _MAX_BYTES)
            if unpacker.unconsumed_tail:
                raise ValueError("private tests are larger than 512 MiB")
            rows = _TextOnly(io.BytesIO(data)).load()
            rows = json.loads(rows) if isinstance(rows, str) else rows
    except (pickle.UnpicklingError, zlib.error, EOFError, TypeError, IndexError, AttributeError) as error:
        raise ValueError(f"private tests can't be decoded ({error})") from error
    if not isinstance(rows, list | dict):
        raise ValueError("private tests are neither a list nor a mapping")
    return rows
