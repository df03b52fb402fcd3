"""Requests that touch more blocks than statistics and figures can follow one by one: those are left out, and named."""

import re
from pathlib import Path

import pytest
from program import Run, refused

REQUESTS, LENGTH = 48, 2**31
BLOCKS = "25,165,824"


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("huge")
    lines = [f"{number},{'rw'[number % 2]},{number * 2**30},{LENGTH}" for number in range(REQUESTS)]
    (folder / "huge.csv").write_text("\n".join(["time,op,offset,length", *lines]) + "\n")
    columns = "time=time:s,op=op,offset=offset:1,length=length:1"
    done = Run(folder / "cache")(
        "ingest", folder / "huge.csv", "--columns", columns, "-o", folder / "h.iotrace"
    )
    assert done.returncode == 0, done.stderr
    return folder / "h.iotrace"


def test_a_statistic_that_follows_blocks_is_refused(run: Run, huge: Path) -> None:
    for name in ("read_after_write", "written_data_lifetimes"):
        message = refused(run("characterize", huge, name))
        assert f"48 requests touch {BLOCKS} blocks" in message and "--budget" in message
    assert run("characterize", huge, "read_after_write", "--block", "1048576").returncode == 0


def test_the_first_look_leaves_it_out_and_says_so(run: Run, huge: Path) -> None:
    done = run("characterize", huge)
    assert (done.returncode == 0 and b"48 requests for data" in done.stdout) or b"48 requests" in done.stdout
    assert f"written_data_lifetimes is left out: 48 requests touch {BLOCKS} blocks" in done.stderr.decode()


def test_a_report_leaves_its_figures_out_and_says_so(run: Run, huge: Path, tmp_path: Path) -> None:
    done = run("report", huge, "-o", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "page.html").read_text("utf-8")
    (left_out,) = re.findall(r'<p id="left-out"[^>]*>(.*?)</p>', page, re.DOTALL)
    said = f"48 requests touch {BLOCKS} blocks"
    assert (
        f"Reads after writes, Lifetimes of written data (Left out: {said}, too many to follow one by one)"
        in left_out
    )
    for figure in (
        "How much cache is enough",
        "What would a crash have cost?",
        "Policies",
        "Reuse distances",
    ):
        assert figure in left_out
    assert left_out.count(said) >= 4 and "Invalid Input Error" not in page
    assert "Nothing that the trace wrote was read again." not in page
