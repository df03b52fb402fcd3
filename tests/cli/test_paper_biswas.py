"""``iotrace paper biswas`` as a user runs it: the page and its files, the cells, and what it refuses in one line."""

import csv
import json
from pathlib import Path

import pytest
from program import Run, refused

from iotrace.papers.biswas.printed import disks, published_requests

COLUMNS = ["table", "disk", "policy", "setting", "metric", "printed", "simulated", "trace"]


@pytest.fixture(scope="session")
def small(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated trace of a few thousand requests, as text."""
    place = tmp_path_factory.mktemp("generated") / "small.vms"
    done = run("generate", "vms", "--like", "off-day", "--scale", "0.01", "-o", place)
    assert done.returncode == 0, done.stderr
    return place


@pytest.fixture(scope="session")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A trace of nobody's, whose blocks go beyond an RA82."""
    place = tmp_path_factory.mktemp("mine") / "mine.iolog"
    lines = [
        f"{i * 40000} /dev/d {('read', 'write')[i % 2]} {i * 7919 % 3000 * 512000} 4096" for i in range(300)
    ]
    place.write_text("\n".join(["fio version 3 iolog", *lines, ""]))
    return place


def test_cells_are_json(run: Run, small: Path) -> None:
    done = run("paper", "biswas", small, "--format", "json")
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)
    assert all(list(cell) == COLUMNS for cell in cells)
    (one,) = (
        cell
        for cell in cells
        if (cell["table"], cell["disk"], cell["policy"], cell["metric"])
        == ("A3", "Off-Day", "asap_125kb", "w_wc")
    )
    # it says itself what it is like
    assert one["printed"] == 94.72 and one["simulated"] > 0 and one["trace"] == "small.vms"
    assert {cell["trace"] for cell in cells if cell["disk"] == "Sci-Off"} == {None}


def test_a_page_and_a_file_for_each_table(run: Run, small: Path, stranger: Path, tmp_path: Path) -> None:
    folder = tmp_path / "page"
    done = run("paper", "biswas", small, stranger, "-o", folder)
    assert done.returncode == 0 and done.stdout.decode().strip() == str(folder / "index.html")
    assert "requests are beyond the end of a DEC RA82" in done.stderr.decode()
    with (folder / "table_A3.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == COLUMNS
    # off-day is compared with Off-Day, the unknown trace with all three
    assert len(rows) == 6 * (5 * 3 + 5)
    assert len(list(folder.glob("*.csv"))) == 24
    html = (folder / "index.html").read_text()
    assert "Table A2" in html and "small.vms" in html and "on a DEC RA81" in html
    assert run("paper", "biswas", small, "-o", folder).returncode == 0  # over its own page


def test_a_drive_and_a_likeness_can_be_chosen(run: Run, stranger: Path) -> None:
    words = (
        "paper",
        "biswas",
        stranger,
        "--as",
        "air-rsv",
        "--disk",
        "sata-7200",
        "--findings",
        "--format",
        "json",
    )
    done = run(*words)
    assert done.returncode == 0 and b"brought onto" not in done.stderr
    judged = {row["finding"]: row for row in json.loads(done.stdout)}
    assert judged["B13"]["printed"] == 0 and judged["B13"]["printed_verdict"] == "fails"
    assert {row["judged_on"] for row in judged.values()} == {"trace"}
    assert judged["B20"]["origin"] == "independent" and judged["B20"]["distance"] < 0
    assert judged["B08a"]["verdict"] == "can't be judged" and judged["B08b"]["verdict"] != "can't be judged"
    done = run(
        "paper", "biswas", stranger, "--as", "none", "--fit", "scale", "--time-scale", "2", "-f", "csv"
    )
    assert done.returncode == 0 and b"4.1,Off-Day,one_threshold" in done.stdout


MARKS = ("fitted", "partly fitted", "matched by construction")


def test_the_first_screen_counts_claims_by_kind(run: Run, small: Path) -> None:
    done = run("paper", "biswas", small, "--findings")
    assert done.returncode == 0
    title, *lines = (line.strip() for line in done.stdout.decode().splitlines()[:20])
    assert title == "Claims by kind" and "cannot be judged" in lines[1]
    kinds = "numeric", "ordering", "range", "all of these", *(f"apart: {mark}" for mark in MARKS)
    assert all(any(kind in line for line in lines) for kind in kinds)
    # the trace is generated: table 4.1 was fitted, table 3.1 matched
    rows = json.loads(run("paper", "biswas", small, "--findings", "-f", "json").stdout)
    judged = {row["finding"]: row for row in rows}
    assert {row["judged_on"] for row in rows} == {"made trace"}
    of_origin = {mark: [name for name, row in judged.items() if row["origin"] == mark] for mark in MARKS}
    assert [of_origin["fitted"], of_origin["matched by construction"]] == [["B01"], ["B20"]]
    assert "B02b" in of_origin["partly fitted"] and "B15" in of_origin["partly fitted"]


def test_a_trace_far_shorter_than_the_published_one_is_named(run: Run, small: Path, stranger: Path) -> None:
    said = run("paper", "biswas", small, "-f", "csv").stderr.decode()
    assert "small.vms: has 1,502 requests, and the trace of Off-Day 150,194:" in said
    said = run("paper", "biswas", stranger, "--as", "none", "-f", "csv").stderr.decode()
    assert "a trace as long" not in said


def test_published_requests_are_those_of_table_3_1() -> None:
    published = {disk.like: published_requests(disk) for disk in disks()}
    assert (published["off-day"], published["sci-off-system"]) == (58468 + 91726, None)


def test_what_is_refused(run: Run, small: Path, stranger: Path, log: Path, tmp_path: Path) -> None:
    def result(*words: object, code: int = 1) -> str:
        return refused(run("paper", *words, "--format", "json"), code)

    store = tmp_path / "calls.iotrace"
    assert run("ingest", log, "-o", store).returncode == 0
    assert result("biswas", store).startswith(
        "calls: is made of system calls, and iotrace write-cache simulates "
    )
    assert result("biswas", small, "--as", "vax", code=2).startswith("--as: 'vax' is not one of off-day, ")
    assert result("biswas", small, "--as", "off-day,none", code=2).startswith("--as: 2 names for 1 trace")
    assert "'vax' is not one of" in result("biswas", small, "--disk", "vax", code=2)
    assert "beyond the disk's end" in result("biswas", stranger, "--fit", "reject")
    assert (
        result("biswas", small, "--regions", "bounds", code=2) == "--regions is for iotrace paper richardson"
    )
    assert result("richardson", store, "--as", "off-day", code=2).startswith(
        "--as: 'off-day' is not one of kernel"
    )
    assert result("richardson", store, "--as", "cad,cad", code=2).startswith("--as: 2 names for 1 trace")
    assert result("kotz", "--as", "cad", code=2) == "--as is for iotrace paper richardson and biswas"
    assert "system calls" in result("richardson", small)
    assert "times are scaled" in result("biswas", small, "--time-scale", "0", code=2)
    html = run("paper", "biswas", small, "--findings", "--format", "html")
    assert refused(html, 2).startswith("--findings is not for --format html")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear")
    assert "holds other files" in refused(run("paper", "biswas", small, "-o", tmp_path / "mine"), 2)


def test_a_trace_without_operations_is_refused(run: Run, tmp_path: Path) -> None:
    text = tmp_path / "plain.csv"
    text.write_text("".join(f"{i},{8 * i},4096\n" for i in range(20)))
    store = tmp_path / "plain.iotrace"
    columns = "time=1:s,offset=2:512,length=3"
    done = run("ingest", text, "--columns", columns, "-o", store)
    assert done.returncode == 0, done.stderr
    done = run("paper", "biswas", store, "--format", "json")
    assert done.returncode == 1 and done.stdout == b""
    # after the warning that every command gives for such a trace
    result = done.stderr.decode().splitlines()[-1]
    assert (
        result
        == "iotrace: plain: has no reads and writes: without operations no write cache can be simulated"
    )
