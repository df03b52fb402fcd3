"""``iotrace curve --policy linux``: which traces and options it takes."""

from pathlib import Path

import pytest
from program import LOG, Run


def test_the_command_compares_it_on_calls(run: Run) -> None:
    done = run("curve", LOG, "--policy", "linux,lru", "--sizes", "64K,1M", "--format", "csv")
    assert done.returncode == 0, done.stderr
    lines = [line.split(",")[0] for line in done.stdout.decode().splitlines()]
    assert lines == ["policy", "linux", "linux", "lru", "lru"]
    everything = run("curve", LOG, "--policy", "all", "--sizes", "64K", "--format", "csv")
    assert "linux" not in everything.stdout.decode()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--block", "8K"), "pages of 4 KB"),
        (("--sample", "0.5"), "read-ahead needs all blocks of a file"),
    ],
)
def test_the_command_says_what_it_cannot_do(run: Run, words: tuple[str, ...], message: str) -> None:
    done = run("curve", LOG, "--policy", "linux", *words)
    assert done.returncode == 2
    assert message in done.stderr.decode()


def test_traces_of_disks_have_no_page_cache(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "disk.csv"
    trace.write_text(
        "".join(f"{128166372003061629 + number},web,0,Read,{number * 4096},4096,700\n" for number in range(9))
    )
    done = run("curve", trace, "--policy", "linux")
    assert done.returncode == 2
    assert "'linux' is not simulated for caches of blocks" in done.stderr.decode()
