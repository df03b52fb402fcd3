"""Standard input is recognised like a file (redirected, piped or compressed) and read from its first byte."""

import bz2
import gzip
import json
import lzma
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from program import LOG, MOST_SECONDS, Run, refused

sys.path.append(str(Path(__file__).parents[1] / "formats"))
from samples import SAMPLES

REQUESTS = 100_000
TEXT = "".join(f"1,R,{n * 4096},4096,{1600000000000000 + n}\n" for n in range(REQUESTS)).encode()
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
}
COUNT = "select count(*) as n, count(distinct lbn) as places from disk_io"
COUNT_KEYS = "select count(*) as n, count(distinct key) as places from key_io"


def counted(stdout: bytes) -> tuple[int, int]:
    (row,) = json.loads(stdout)
    return row["n"], row["places"]


@pytest.mark.parametrize("name", [name for name in SAMPLES if name != "csv"])
def test_every_format_is_recognised_in_a_pipe(run: Run, name: str) -> None:
    holds_keys = name.startswith("oracle-general")
    done = run("sql", "-", COUNT_KEYS if holds_keys else COUNT, "-f", "json", given=SAMPLES[name][1])
    assert (done.returncode, counted(done.stdout)) == (0, (4, 4)), done.stderr


@pytest.mark.parametrize("compression", COMPRESSORS)
def test_a_long_trace_comes_whole_from_a_pipe_and_from_a_file(
    run: Run, tmp_path: Path, compression: str
) -> None:
    packed = COMPRESSORS[compression](TEXT)
    (tmp_path / "t").write_bytes(packed)
    done = run("sql", "-", COUNT, "-f", "json", given=packed)
    assert (done.stderr, counted(done.stdout)) == (b"", (REQUESTS, REQUESTS))
    done = run.shell(f'"$IOTRACE" sql - "{COUNT}" -f json < t', tmp_path)
    assert (done.stderr, counted(done.stdout)) == (b"", (REQUESTS, REQUESTS))


def test_a_file_is_read_from_where_it_stands(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"another's line\n" + SAMPLES["alibaba"][1])
    line = f'(read -r; "$IOTRACE" sql - "{COUNT}" -f json) < t'
    assert counted(run.shell(line, tmp_path).stdout) == (4, 4)


def test_a_pipe_that_gives_little_at_a_time(run: Run) -> None:
    process = run.start("sql", "-", COUNT, "-f", "json")
    assert process.stdin is not None
    content = SAMPLES["msr-cambridge"][1]
    for at in range(0, len(content), 50):
        process.stdin.write(content[at : at + 50])
        process.stdin.flush()
        time.sleep(0.005)
    result, complained = process.communicate(timeout=MOST_SECONDS)
    assert (complained, counted(result)) == (b"", (4, 4))


def test_calls_still_come_by_a_pipe(run: Run) -> None:
    many = LOG.read_bytes() + b'1000  1700000001.000000 write(4, "a", 1) = 1\n' * REQUESTS
    done = run("sql", "-", "select count(*) as n from syscall", "-f", "csv", given=many)
    assert done.stdout == f"n\n{20 + REQUESTS}\n".encode()
    (warning,) = done.stderr.splitlines()  # nobody opened descriptor 1
    assert b"at unknown offsets" in warning


def test_standard_input_that_is_nothing(run: Run, tmp_path: Path) -> None:
    assert "is empty" in refused(run("info", "-"))
    assert refused(run.shell('"$IOTRACE" info - <&-', tmp_path)).startswith("-: ")
    assert list(tmp_path.iterdir()) == []
