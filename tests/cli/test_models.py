"""Models of the file system, stores of the first version, and which requests a curve is of."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from iotrace.schemas import table
from program import LOG, Run, refused


def rows(run: Run, *words: object) -> list[dict[str, object]]:
    done = run(*words, "--format", "json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, object]] = json.loads(done.stdout)
    return found


def test_a_curve_covers_data_and_a_condition_selects_from_all(run: Run) -> None:
    data = rows(run, "curve", LOG, "--sizes", "1G")[0]
    every = rows(run, "curve", LOG, "--sizes", "1G", "--population", "all")[0]
    inodes = rows(run, "curve", LOG, "--sizes", "1G", "--where", "type = 'inode'")[0]
    any_of_them = rows(run, "curve", LOG, "--sizes", "1G", "--where", "true")[0]
    assert 0 < data["read_requests"] < every["read_requests"]  # type: ignore[operator]
    assert inodes["read_requests"] and any_of_them == every


def test_a_store_of_the_first_version_is_read(run: Run, tmp_path: Path) -> None:
    new, old = tmp_path / "new" / "a.iotrace", tmp_path / "old" / "a.iotrace"
    for store in (new, old):
        assert run("ingest", LOG, "-o", store).returncode == 0
    manifest = json.loads((old / "manifest.json").read_text())
    manifest["store_version"] = 1
    del manifest["tables"]["call_file"]  # of version 3
    (old / "call_file.parquet").unlink()
    (old / "manifest.json").write_text(json.dumps(manifest))
    dropped = 0
    for name in manifest["tables"]:
        stored = pq.read_table(old / f"{name}.parquet")
        later = [column.name for column in table(name).columns if column.since > 1]
        dropped += len(later)
        pq.write_table(stored.drop_columns(later), old / f"{name}.parquet")
    assert dropped == 3  # call_seq, offset_source and the process's job
    for verb in (["characterize"], ["curve", "--sizes", "64K"], ["attribute"], ["nonvolatile"]):
        assert run(*verb, old, "--format", "csv").stdout == run(*verb, new, "--format", "csv").stdout
    (row,) = rows(run, "sql", old, "select count(*) as n, count(call_seq) as known from reference")
    assert row["n"] and row["known"] == 0
    assert run("report", old, "-o", tmp_path / "page.html").returncode == 0


def test_a_store_of_a_later_version_is_refused(run: Run, tmp_path: Path) -> None:
    store = tmp_path / "a.iotrace"
    assert run("ingest", LOG, "-o", store).returncode == 0
    manifest = json.loads((store / "manifest.json").read_text())
    (store / "manifest.json").write_text(json.dumps(manifest | {"store_version": 99}))
    assert "version" in refused(run("info", store))


SYNCS = """\
100 1700000000.000000 openat(AT_FDCWD, "/data/a", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3
100 1700000000.001000 write(3, "x"..., 4096) = 4096
100 1700000000.002000 fsync(3) = 0
100 1700000000.003000 write(3, "x"..., 4096) = 4096
100 1700000000.004000 write(3, "x"..., 8192) = 8192
100 1700000000.005000 fsync(3) = 0
100 1700000000.006000 close(3) = 0
100 1700000000.007000 exit_group(0) = ?
100 1700000000.008000 +++ exited with 0 +++
"""


@pytest.mark.parametrize(
    ("words", "message", "synced"),
    [
        ((), "Syncs are honoured", 4),
        (("--syncs", "ignore"), "Syncs are ignored", 0),
        (("--model", "1994"), "Syncs are ignored", 0),
        (("--policy", "lru"), "Syncs are ignored", None),
    ],
)
def test_a_curve_says_whether_syncs_are_honoured(
    run: Run, tmp_path: Path, words: tuple[str, ...], message: str, synced: int | None
) -> None:
    trace = tmp_path / "synced.strace"
    trace.write_text(SYNCS, "utf-8")
    asked = ("curve", trace, "--sizes", "1G", "--where", "type = 'datafile'", *words)
    assert message in " ".join(run(*asked).stdout.decode().split())
    *_, row = rows(run, *asked)
    assert synced is None or row["write_syncs"] == synced
