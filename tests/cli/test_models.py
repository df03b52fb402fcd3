"""Models of the file system, and which requests a curve is of."""

import json
from pathlib import Path

import pytest
from program import LOG, Run


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
