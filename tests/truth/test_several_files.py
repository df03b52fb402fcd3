"""Messages about each file where a trace is several: files of other formats, and records that were skipped."""

import json
import struct
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
    assert "iotrace: b.csv: is not in format msr-cambridge: none of its 4 records is a request" in said, said
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


def thread(first_s: int, calls: int, others: str = "") -> str:
    reads = "".join(
        f'{first_s + n / 1000:.6f} read(3</f>, "", 4096) = 4096 <0.00001>\n' for n in range(calls)
    )
    return reads + others


def notes(first_s: int, lines: int) -> str:
    return "".join(f"{first_s + n / 1000:.6f} opened the door {n} times\n" for n in range(lines))


def test_a_log_of_a_thread_that_is_none_is_named(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    (folder / "trace.7").write_text(thread(1_700_000_000, 9_000))
    (folder / "trace.999").write_text(notes(1_700_000_000, 60))  # less than 1 % of the lines
    done = run("ingest", "t", "-o", "t.iotrace", folder=tmp_path)
    assert done.returncode == 1
    said = done.stderr.decode()
    assert "t/trace.999: none of its 60 lines is a system call" in said, said
    assert "line 1 is: 1700000000.000000 opened the door 0 times; the files of one trace" in said, said
    assert not (tmp_path / "t.iotrace").exists()
    (folder / "trace.999").write_text("1700000000.0010")  # a thread that was killed with strace
    done = run("ingest", "t", "-o", "t.iotrace", folder=tmp_path)
    assert b"t.iotrace: is written, but the trace could not be read to its end" in done.stderr
    assert b"of t/trace.999's records" not in done.stderr  # its one line is said to be cut


def test_the_limit_holds_for_the_log_of_each_thread(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    (folder / "trace.7").write_text(thread(1_700_000_000, 9_000))
    (folder / "trace.8").write_text(thread(1_700_000_001, 380, notes(1_700_000_002, 20)))
    done = run("ingest", "t", "-o", "t.iotrace", folder=tmp_path)
    said = done.stderr.decode()
    assert done.returncode == 1
    assert "5 % of t/trace.8's records could not be read (20 of 400)" in said, said
    assert "20 lines skipped: not a call; the first is line 381 of t/trace.8: 1700000002.0" in said, said
    known = json.loads(run("info", "t.iotrace", "-f", "json", folder=tmp_path).stdout)
    assert known["skipped_by_file"] == {"t/trace.8": {"records": 400, "skipped": 20}}
    assert known["skipped"]["not a call"]["file"] == "t/trace.8"


def test_the_limit_holds_for_the_file_of_each_processor(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    (folder / "sda.blktrace.0").write_bytes(blktrace(0, 9_000))
    whole = blktrace(5, 200)
    half = len(whole) // 2
    damaged = b"".join(whole[at : at + half // 10] + b"no record" for at in range(0, half, half // 10))
    (folder / "sda.blktrace.1").write_bytes(damaged + whole[half:])
    done = run("ingest", "t", "-o", "t.iotrace", folder=tmp_path)
    said = done.stderr.decode()
    assert done.returncode == 1
    known = json.loads(run("info", "t.iotrace", "-f", "json", folder=tmp_path).stdout)
    ((name, counts),) = known["skipped_by_file"].items()
    assert name == "t/sda.blktrace.1" and counts["records"] >= 200 and counts["skipped"] >= 9
    assert (
        f"of t/sda.blktrace.1's records could not be read ({counts['skipped']} of {counts['records']})"
        in said
    )


def blktrace(first: int, requests: int) -> bytes:
    """Reads that are queued and complete: struct blk_io_trace of version 7, little-endian."""
    read_event = 1 << 16
    return b"".join(
        struct.pack(
            "<IIQQIIIIIHH",
            0x65617407, 2 * n + of, 1_000_000 + 1000 * (first + 10 * n) + 500 * of, 8 * n, 4096, action | read_event,
            7, 0x800000, 0, 0, 0,
        )
        for n in range(requests)
        for of, action in enumerate((1, 8))
    )  # fmt: skip
