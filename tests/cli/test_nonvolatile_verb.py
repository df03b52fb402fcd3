"""``iotrace nonvolatile``: what it says of traces in which no interval ends."""

import json
from pathlib import Path

import pytest
from program import Run

LOG = """\
1700000010.000000 open("/data/a", O_RDWR|O_CREAT, 0644) = 3
1700000010.100000 write(3, "x"..., 4096) = 4096
{end} pread64(3, "x"..., 1, 0) = 1
{closed} close(3) = 0
"""
"""The end of the data decides, not that of the trace."""


def log(end_s: int) -> str:
    return LOG.format(end=f"{1_700_000_000 + end_s}.000000", closed="1700000099.000000")


@pytest.mark.parametrize(
    ("end", "interval", "never"),
    [
        (13, "30s", "periodic and deadline writes are never due"),
        (13, "1s", None),
        (45, "30s", None),
    ],
)
def test_intervals_that_never_end_are_named(
    end: int, interval: str, never: str | None, tmp_path: Path
) -> None:
    (tmp_path / "t.strace").write_text(log(end))
    done = Run(tmp_path)("nonvolatile", tmp_path / "t.strace", "--interval", interval, "--format", "json")
    assert done.returncode == 0, done.stderr
    message = done.stderr.decode()
    assert (never is None) == ("warning: what is simulated lasts" not in message)
    assert never is None or never in message
    rows = json.loads(done.stdout)
    written = {
        policy: [row["blocks_flushed"] for row in rows if row["write_policy"] == policy]
        for policy in ("periodic", "deadline")
    }
    assert all(any(counts) is (never is None) for counts in written.values())


def test_only_policies_that_were_asked_for_are_named(tmp_path: Path) -> None:
    (tmp_path / "t.strace").write_text(log(13))
    run = Run(tmp_path)
    for policy, is_named in (("copy-back", False), ("deadline", True)):
        message = run("nonvolatile", tmp_path / "t.strace", "--write-policy", policy).stderr.decode()
        assert (": deadline writes are never due" in message) is is_named
