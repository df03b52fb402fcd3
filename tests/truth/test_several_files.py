"""What is said of each file where a trace is several: files of other formats, and records that were skipped."""

import json
from pathlib import Path

import pytest
from program import Run

REQUESTS = 400


def msr(first: int, bad: int = 0, requests: int = REQUESTS) -> str:
    """Requests as of MSR Cambridge, some of them of an operation that there is not."""
    return "".join(
        f"{128166372000000000 + first + n * 1000},host,0,{'Peek' if n < bad else 'Read'},{n * 4096},4096,100\n"
        for n in range(requests)
    )


def systor() -> str:
    rows = [f"{1455592217 + n * 0.01:.6f},0.0002,W,4,{n * 4096},4096\n" for n in range(3)]
    return "".join(["Timestamp,Response,IOType,LUN,Offset,Size\n", *rows])


def requests_of_a_cache(first: int, bad: int = 0) -> str:
    return "".join(f"{first + n},k{n},{'huge' if n < bad else 100}\n" for n in range(REQUESTS))


@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
@pytest.mark.parametrize("order", [["a", "b", "c"], ["b", "a", "c"], ["a", "c", "b"]])
def test_a_file_of_another_format_is_named(
    run: Run, tmp_path: Path, order: list[str], workers: list[str]
) -> None:
    for name, first in (("a", 0), ("c", 10_000_000)):
        (tmp_path / f"{name}.csv").write_text(msr(first))
    (tmp_path / "b.csv").write_text(systor())
    files = [f"{name}.csv" for name in order]
    words = ["--trace-format", "msr-cambridge", "--max-skipped", "100", *workers]
    done = run("ingest", *files, "-o", "t.iotrace", *words, folder=tmp_path)
    said = done.stderr.decode()
    assert done.returncode == 1
    assert "iotrace: b.csv: is no msr-cambridge trace: none of its 4 records is a request" in said, said
    assert "Timestamp,Response" in said
    assert not (tmp_path / "t.iotrace").exists()


@pytest.mark.parametrize("workers", [[], ["--workers", "2"]])
def test_the_limit_holds_for_each_file(run: Run, tmp_path: Path, workers: list[str]) -> None:
    (tmp_path / "a.csv").write_text(msr(0, requests=10_000))
    (tmp_path / "b.csv").write_text(msr(100_000_000, bad=20))
    written = ("-o", "t.iotrace", *workers)
    done = run("ingest", "a.csv", "b.csv", *written, folder=tmp_path)  # 20 of 10,400 are less than 1 %
    assert done.returncode == 1
    sentence = "5 % of b.csv's records could not be read (20 of 400)"
    assert sentence in done.stderr.decode()
    assert "more records of b.csv were skipped than --max-skipped 1 allows" in done.stderr.decode()
    assert sentence in run("report", "t.iotrace", "-f", "json", folder=tmp_path).stderr.decode()
    known = json.loads(run("info", "t.iotrace", "-f", "json", folder=tmp_path).stdout)
    assert known["skipped_by_file"] == {"b.csv": {"records": 400, "skipped": 20}}
    done = run("ingest", "a.csv", "b.csv", *written, "--force", "--max-skipped", "5", folder=tmp_path)
    assert done.returncode == 0


def test_files_of_keys(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(requests_of_a_cache(0) * 30)
    (tmp_path / "b.csv").write_text(requests_of_a_cache(20_000, bad=20))
    (tmp_path / "c.csv").write_text(systor().split("\n", 1)[1])
    words = ("--columns", "time=1:s,key=2,size=3", "-o", "t.iotrace", "--force")
    done = run("ingest", "a.csv", "b.csv", *words, folder=tmp_path)
    assert done.returncode == 1 and "5 % of b.csv's records" in done.stderr.decode()
    done = run("ingest", "a.csv", "c.csv", *words, folder=tmp_path)
    assert done.returncode == 1 and "iotrace: c.csv: " in done.stderr.decode()


def test_empty_files_and_files_of_headers_are_none_of_that(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(systor())
    (tmp_path / "b.csv").write_text(systor().split("\n", 1)[0] + "\n")
    (tmp_path / "c.csv").write_text("")
    assert run("ingest", "a.csv", "b.csv", "c.csv", "-o", "t.iotrace", folder=tmp_path).returncode == 0


def test_requests_of_equal_times_are_in_the_order_of_the_files(run: Run, tmp_path: Path) -> None:
    for name, place in (("a", 0), ("b", 40_960), ("c", 81_920)):
        rows = [f"{128166372000000000 + n},host,0,Read,{place + n * 4096},4096,100\n" for n in range(3)]
        (tmp_path / f"{name}.csv").write_text("".join(rows))
    query = "select string_agg(lbn // 80 order by seq) as files from disk_io"
    for order in ("abc", "cab", "bca"):
        places = ",".join(str("abc".index(name)) for name in order)
        for workers in ([], ["--workers", "2"]):
            files = [f"{name}.csv" for name in order]
            done = run("ingest", *files, "-o", "t.iotrace", "--force", *workers, folder=tmp_path)
            assert done.returncode == 0, done.stderr
            found = run("sql", "t.iotrace", query, "-f", "csv", folder=tmp_path).stdout.decode()
            assert found == f'files\n"{",".join([places] * 3)}"\n'
