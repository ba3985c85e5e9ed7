"""`execute`: accounting, the store, resume after damage, and nothing half-written."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from components.core.config import StrictConfig
from components.core.errors import ConfigError, DataError
from components.core.files import read_table, write_table
from components.core.manifest import manifest_digest, read_manifest
from components.core.step import SCRATCH_PREFIX, Port, Stage, execute, remove_leftovers

SCHEMA = pa.schema([("n", pa.int64())])
calls = []


class HalveConfig(StrictConfig):
    modulus: int = 2


def run(config, inputs, outputs):
    calls.append(config.modulus)
    rows = read_table(inputs["numbers"], SCHEMA)
    kept = [r for r in rows if r["n"] % config.modulus == 0]
    write_table(outputs["kept"], kept, SCHEMA)
    if config.modulus == 13:
        raise DataError("numbers: row 3: unlucky")
    return {"rows_in": len(rows), "rows_kept": len(kept), "rows_dropped": len(rows) - len(kept)}


run.__module__ = "components.core.step"  # the source hash needs a room of the package
STAGE = Stage("halve", HalveConfig, run, (Port("numbers"),), (Port("kept"),))


def numbers(path: Path) -> Path:
    write_table(path, [{"n": i} for i in range(10)], SCHEMA)
    return path


def test_outputs_and_lineage_chain(tmp_path):
    first = execute(STAGE, "halve-1", "{}", {"numbers": numbers(tmp_path / "n.parquet")}, {"kept": tmp_path / "a"})
    second = execute(STAGE, "halve-2", '{"modulus": 4}', {"numbers": tmp_path / "a"}, {"kept": tmp_path / "b"})
    assert [r["n"] for r in read_table(tmp_path / "b" / "kept.parquet", SCHEMA)] == [0, 4, 8]
    manifest = read_manifest(tmp_path / "b")
    above = read_manifest(tmp_path / "a")
    assert manifest["parents"][0]["content_digest"] == first.digests["kept"]
    assert list(manifest["ancestors"]) == [above["manifest_digest"]]
    assert manifest_digest(manifest) == manifest["manifest_digest"]
    assert second.counts == {"rows_in": 5, "rows_kept": 3, "rows_dropped": 2}


def test_store_reuses_and_repairs(tmp_path):
    source, store = numbers(tmp_path / "n.parquet"), tmp_path / "store"
    calls.clear()
    one = execute(STAGE, "s", "{}", {"numbers": source}, {"kept": tmp_path / "a"}, store)
    two = execute(STAGE, "s", "{}", {"numbers": source}, {"kept": tmp_path / "b"}, store)
    assert (one.reused, two.reused, calls, one.digests) == (False, True, [2], two.digests)
    (store / one.key / "kept" / "kept.parquet").write_bytes(b"damaged")
    three = execute(STAGE, "s", "{}", {"numbers": source}, {"kept": tmp_path / "c"}, store)
    assert (three.reused, three.digests, calls) == (False, one.digests, [2, 2])


def test_failure_leaves_nothing(tmp_path):
    source = numbers(tmp_path / "n.parquet")
    with pytest.raises(DataError, match="unlucky"):
        execute(STAGE, "s", '{"modulus": 13}', {"numbers": source}, {"kept": tmp_path / "out" / "kept.parquet"})
    assert not (tmp_path / "out" / "kept.parquet").exists() and not list((tmp_path / "out").iterdir())


def test_file_outputs_have_their_manifest_beside_them(tmp_path):
    source = numbers(tmp_path / "n.parquet")
    execute(STAGE, "s", "{}", {"numbers": source}, {"kept": tmp_path / "out" / "x.parquet"})
    assert json.loads((tmp_path / "out" / "x.lineage.json").read_text())["step"]["name"] == "s"
    assert read_manifest(tmp_path / "out" / "x.parquet")["artifact"]["rows"] == 5


def test_wrong_settings_and_ports_are_named(tmp_path):
    with pytest.raises(ConfigError, match="unknown setting 'modulos'"):
        execute(STAGE, "s", '{"modulos": 3}', {"numbers": tmp_path}, {"kept": tmp_path / "a"})
    with pytest.raises(ConfigError, match="unknown input"):
        execute(STAGE, "s", "{}", {"nombres": tmp_path}, {"kept": tmp_path / "a"})
    with pytest.raises(DataError, match="does not exist"):
        execute(STAGE, "s", "{}", {"numbers": tmp_path / "none.parquet"}, {"kept": tmp_path / "a"})


@pytest.mark.parametrize("place", ["thesis", "n.parquet", "k.json", "thesis/notes.txt"])
def test_outputs_never_destroy_other_things(tmp_path, place):
    source = numbers(tmp_path / "n.parquet")
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "notes.txt").write_text("years of work")
    before = source.read_bytes()
    with pytest.raises(ConfigError, match="output 'kept'"):
        execute(STAGE, "s", "{}", {"numbers": source}, {"kept": tmp_path / place})
    assert (tmp_path / "thesis" / "notes.txt").read_text() == "years of work" and source.read_bytes() == before


def test_only_leftovers_of_dead_processes_leave_a_store(tmp_path):
    gone, alive, other = tmp_path / f"{SCRATCH_PREFIX}999999999.x", tmp_path / f"{SCRATCH_PREFIX}1.x", tmp_path / ".ssh"
    for folder in (gone, alive, other):
        folder.mkdir()
    remove_leftovers(tmp_path)
    assert (gone.exists(), alive.exists(), other.exists()) == (False, True, True)


def test_a_column_of_another_type_is_named(tmp_path):
    write_table(tmp_path / "n.parquet", [{"n": "one"}], pa.schema([("n", pa.string())]))
    with pytest.raises(DataError, match="column 'n' holds string, expected int64"):
        read_table(tmp_path / "n.parquet", SCHEMA)
