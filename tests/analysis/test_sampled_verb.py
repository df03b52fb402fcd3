"""``iotrace curve --sample`` as it is typed: what it says of the sample, its forms, and its refusals."""

import csv
import io
from pathlib import Path

import pyarrow as pa
import pytest
import sampling_traces
from figure_data import figure_data
from typer.testing import CliRunner

from iotrace.analysis.block_budget import BlockBudget, Budget
from iotrace.analysis.curves.requests import Requests
from iotrace.cli import application
from iotrace.errors import UsageError
from iotrace.ingest import opening

DEMO = Path(__file__).parents[2] / "iotrace" / "demo" / "demo.strace.zst"


def run(*words: object) -> str:
    result = CliRunner().invoke(application(), ["curve", *map(str, words)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.stdout


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A block trace of single blocks, as fio writes it."""
    blocks = dict(sampling_traces.made())["zipf 0.9"][:20_000]
    lines = ["fio version 2 iolog", "/dev/sda add", "/dev/sda open"]
    lines += [f"/dev/sda {'write' if block % 3 == 0 else 'read'} {block * 4096} 4096" for block in blocks]
    path = tmp_path_factory.mktemp("sampled") / "made.iolog"
    path.write_text("\n".join([*lines, "/dev/sda close", ""]))
    return path


def test_the_first_line_says_what_the_estimate_is_of(trace: Path) -> None:
    """It has the rate, the references sampled and all, the band, and where the exact head ends."""
    first = " ".join(run(trace, "--sample", "10%").split("size")[0].split())
    assert "estimated from 10.0 % of the blocks (" in first
    assert "references of 20,000), 95 % bands by jackknife over 16 groups; exact up to 2.5 MB" in first


def test_csv_has_counts_and_both_bands(trace: Path) -> None:
    """The wider band has the pointwise one, which has the estimate; in the head all are the count."""
    rows = list(csv.DictReader(io.StringIO(run(trace, "--sample", "0.1", "--format", "csv"))))
    assert {row["exact"] for row in rows} == {"True", "False"}
    for row in rows:
        for name in ("block_misses", "write_expulsions", "dirty_at_end"):
            order = [int(row[f"{name}{end}"]) for end in ("_low_all", "_low", "", "_high", "_high_all")]
            assert order == sorted(order)
            assert row["exact"] == "False" or order[0] == order[-1]
        assert row["cold_read_request_misses"] == ""


def test_auto_says_what_it_chose_and_why(trace: Path) -> None:
    """A trace that fits is exact; one that memory does not hold is sampled."""
    shown = " ".join(run(trace, "--sample", "auto").split())
    assert "exact (all of 20,000 references fit)" in shown
    assert "Without --sample the table also has requests and disk times." in shown and "the band" not in shown


@pytest.mark.parametrize("block_bytes", [512, 4096, 1 << 20])
def test_blocks_are_at_most_as_many_as_is_said(trace: Path, block_bytes: int) -> None:
    """The bound by which auto decides holds for data, inodes and directories."""
    for path in (trace, DEMO):
        requests = Requests(opening.open([path]), BlockBudget(Budget.CURVE, block_bytes, ""))
        last = run(path, "--population", "all", "--block", block_bytes, "--format", "csv").splitlines()[-1]
        assert int(last.split(",")[3]) <= requests.most_blocks(block_bytes)


def test_policies_and_pages_have_bands(trace: Path, tmp_path: Path) -> None:
    """Policies are estimated at sizes that miniature caches can have; a page draws both bands."""
    rows = run(
        trace, "--sample", "0.2", "--policy", "lru,arc", "--sizes", "8M,16M", "--format", "csv"
    ).splitlines()
    assert [line.split(",")[0] for line in rows] == ["policy", "lru", "lru", "arc", "arc"]
    page = tmp_path / "page.html"
    run(trace, "--sample", "0.2", "--plot", page)
    assert str(figure_data(page.read_text())).count("'fill': 'toself'") == 2


REFUSED = {
    "--sample 0": "above 0 and at most 1",
    "--sample 2": "above 0 and at most 1",
    "--sample nan": "above 0 and at most 1",
    "--sample many": "is not a sample",
    "--sample auto --sample-memory 1M": "1 MB of memory is too little",
    "--sample auto --sample-time 1us --sample-memory 100M": "are too little for",
    "--sample-memory 1M": "needs --sample auto",
    "--sample 0.1 --sample-time 1s": "needs --sample auto",
    "--sample-head 1M": "--sample-head needs --sample",
    "--sample 0.1 --by file --split": "cannot be combined with --split",
    "--sample 0.1 --fetch 16K": "cannot be combined with --fetch",
    "--sample 0.001 --policy arc --sizes 64K": "too small for miniature caches",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_makes_no_sense_is_refused_and_nothing_is_written(
    words: str, trace: Path, tmp_path: Path
) -> None:
    """One sentence says why; neither a table nor a page is left behind."""
    with pytest.raises(UsageError, match=REFUSED[words]):
        run(trace, *words.split(), "-o", tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_stream_is_told(trace: Path) -> None:
    """Where no request is chosen there is nothing to estimate, and no band."""
    rows = run(
        trace, "--sample", "0.1", "--where", "length > 1e9", "--sizes", "1M", "--format", "csv"
    ).splitlines()
    assert len(rows) == 2
    assert pa.array(rows[1].split(","))[2].as_py() == "0"
