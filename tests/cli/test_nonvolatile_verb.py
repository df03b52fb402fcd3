"""``iotrace nonvolatile``: what it says of traces in which no interval ends."""

import json
from pathlib import Path

import pytest
from program import Run, refused

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


TEMPORARY = """\
1 1700000010.000000 open("/tmp/t", O_RDWR|O_CREAT|O_EXCL|O_SYNC, 0644) = 3
1 1700000010.100000 write(3, "x"..., 8192) = 8192
1 1700000010.200000 fork() = 2
1 1700000010.300000 close(3) = 0
1 1700000010.400000 unlink("/tmp/t") = 0
1 1700000011.000000 open("/data/a", O_RDWR|O_CREAT, 0644) = 3
1 1700000011.100000 write(3, "x"..., 4096) = 4096
2 1700000011.150000 exit_group(0) = ?
2 1700000011.160000 +++ exited with 0 +++
1 1700000040.000000 pread64(3, "x"..., 1, 0) = 1
"""


@pytest.mark.parametrize("data", ["temporary", "path like '/tmp/%'"])
def test_data_that_may_be_lost_are_compared_with_data_that_may_not(data: str, tmp_path: Path) -> None:
    (tmp_path / "t.strace").write_text(TEMPORARY)
    command = ["nonvolatile", tmp_path / "t.strace", "--write-policy", "copy-back", "--nonvolatile", "0"]
    done = Run(tmp_path)(*command, "--volatile", "1M", "--may-be-lost", data, "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row["may_be_lost"] for row in rows] == [None, data]
    assert [(row["blocks_written"], row["most_unsecured"]) for row in rows] == [(2, 0), (0, 2)]


def test_the_largest_saving_is_said_first(tmp_path: Path) -> None:
    (tmp_path / "t.strace").write_text(TEMPORARY)
    command = ["nonvolatile", tmp_path / "t.strace", "--write-policy", "copy-back", "--volatile", "1M"]
    said = Run(tmp_path)(*command, "--nonvolatile", "0,1M", "--may-be-lost", "temporary").stdout.decode()
    assert said.startswith(
        "The largest saving is 2 non-volatile block writes (66.7 %), 1 instead of 3: copy-back"
    )
    said = Run(tmp_path)(*command, "--nonvolatile", "1M", "--may-be-lost", "false").stdout.decode()
    assert said.startswith("No cache writes less to non-volatile memory")
    said = Run(tmp_path)(*command, "--nonvolatile", "0", "--may-be-lost", "temporary").stdout.decode()
    assert said.startswith("Limited non-volatile memory")


def test_a_block_trace_has_no_temporary_files(tmp_path: Path) -> None:
    run, disk = Run(tmp_path), tmp_path / "disk.iotrace"
    (tmp_path / "disk.csv").write_text(
        "128166372003061629,hm,0,Read,8192,4096,153\n128166372016382155,hm,0,Write,4096,4096,217\n"
    )
    assert run("ingest", tmp_path / "disk.csv", "-o", disk).returncode == 0
    assert "is made of requests to disks, which name no files" in refused(
        run("nonvolatile", disk, "--may-be-lost", "temporary")
    )


def test_processes_take_memory_from_the_cache(tmp_path: Path) -> None:
    (tmp_path / "t.strace").write_text(TEMPORARY)
    command = ["nonvolatile", tmp_path / "t.strace", "--write-policy", "copy-back", "--nonvolatile", "0"]
    done = Run(tmp_path)(*command, "--volatile", "1M", "--process-memory", "256K", "--format", "json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    assert (row["process_memory_bytes"], row["least_volatile_blocks"]) == (256 << 10, 128)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--may-be-lost", "path like"], "SQL of --may-be-lost"),
        (
            ["--may-be-lost", "true", "--volatile", "0", "--nonvolatile", "1M"],
            "cannot be combined with --volatile 0",
        ),
        (
            ["--may-be-lost", "tmp"],
            "'tmp' is not a column; give temporary, or a condition such as path like '/tmp/%'",
        ),
        (
            ["--may-be-lost", "pth like '/tmp/%' and size_largest_bytes > 4096"],
            "SQL of --may-be-lost: there is no column pth; most like it: path, ",
        ),
        (["--may-be-lost", "lower(path, 1) = 'x'"], "SQL of --may-be-lost: Binder Error: "),
        (["--where", "tpe = 'inode'"], "SQL of --where: there is no column tpe; most like it: type, "),
        (["--may-be-lost", " "], "--may-be-lost is empty"),
        (["--process-memory", "-1"], "process-memory"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(options: list[str], reason: str, tmp_path: Path) -> None:
    (tmp_path / "t.strace").write_text(TEMPORARY)
    done = Run(tmp_path)("nonvolatile", tmp_path / "t.strace", *options)
    message = done.stderr.decode()
    assert done.returncode in (1, 2) and reason in message and "Traceback" not in message, message
    assert len([line for line in message.splitlines() if "kept as" not in line]) == 1
