"""``iotrace paper kotz`` as a user runs it: the cells, the page and its files, and what it refuses in one line."""

import csv
import json
from pathlib import Path

from program import Run, refused, remarks

from iotrace.units import change

FIELDS = [
    "overhead",
    "table",
    "pattern",
    "record",
    "cache",
    "printed_s",
    "simulated_s",
    "error",
    "cv",
    "disk_reads",
    "disk_writes",
    "hit_ratio",
    "rewrites",
    "rereads",
]


def test_cells_are_json(run: Run) -> None:
    done = run("paper", "kotz", "--format", "json")
    assert done.returncode == 0 and remarks(done) == []
    listed = json.loads(done.stdout)
    assert len(listed) == 88 and all(list(cell) == FIELDS for cell in listed)
    (one,) = (
        cell
        for cell in listed
        if (cell["overhead"], cell["table"], cell["pattern"], cell["record"], cell["cache"])
        == ("calibrated", "write_only", "gw", "quarter_block", True)
    )
    assert one["printed_s"] == 8.7 and abs(one["error"]) < 0.1 and one["rewrites"] > 0
    assert one["hit_ratio"] == 0.75 and one["disk_writes"] == 4000 + one["rewrites"]
    assert run("paper", "kotz", "--format", "json").stdout == done.stdout  # its seeds are its own


def test_a_terminal_has_the_fitted_preset_first_and_errors_in_percent(run: Run) -> None:
    lines = run("paper", "kotz", "--format", "table").stdout.decode().splitlines()
    presets = [line.split()[0] for line in lines if line.split()[:1] in (["zero"], ["calibrated"])]
    assert presets == ["calibrated"] * 44 + ["zero"] * 44
    listed = json.loads(run("paper", "kotz", "--format", "json").stdout)
    first = next(cell for cell in listed if cell["overhead"] == "calibrated")
    shown = next(line for line in lines if line.split()[:1] == ["calibrated"])
    assert "error" in lines[2].split() and f" {change(100 * first['error'])} " in shown


def test_a_page_and_a_file_for_each_table_and_figure(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "page"
    done = run("paper", "kotz", "-o", folder)
    assert done.returncode == 0 and done.stdout.decode().strip() == str(folder / "index.html"), done.stderr
    assert {path.name for path in folder.glob("*.csv")} == {
        "read_only.csv",
        "write_only.csv",
        "findings.csv",
        *(f"figure_{name}.csv" for name in ("1", "1_computing", "2", "2_computing", "3", "4a", "4b", "4c")),
    }
    with (folder / "read_only.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == FIELDS and len(rows) == 2 * 32
    html = (folder / "index.html").read_text()
    assert "Write-only patterns" in html and "44 of the 44" in html and "Figure 4a" in html
    assert "Of the paper's 31 findings" in html and "Of their 56 claims, 42 are evidence" in html
    with (folder / "findings.csv").open() as file:
        judged = {row["finding"]: row for row in csv.DictReader(file)}
    assert judged["K24b"]["verdict"] == "holds" and judged["K01a"]["printed_verdict"] == "holds"


def test_readings_are_printed_alone(run: Run) -> None:
    done = run("paper", "kotz", "--findings", "--readings")
    assert done.returncode == 0, done.stderr
    words = done.stdout.decode()
    assert all(order in words for order in ("random", "fifo", "lifo", "lowest"))
    assert "seg written, one-block records, cache" in words and "K01a" not in words


def test_findings_in_a_file_have_the_form_of_its_ending(run: Run, tmp_path: Path) -> None:
    for ending in ("csv", "json", "txt"):
        done = run("paper", "kotz", "--findings", "-o", f"new.{ending}", folder=tmp_path)
        assert done.returncode == 0 and done.stdout == b"" and remarks(done) == []
    with (tmp_path / "new.csv").open() as file:
        rows = list(csv.DictReader(file))
    listed = json.loads((tmp_path / "new.json").read_text())
    assert len(rows) == len(listed) == 56 and list(rows[0]) == list(listed[0])
    assert (tmp_path / "new.txt").read_text().startswith("Claims by kind")
    other = run("paper", "kotz", "--findings", "-f", "json", "-o", "other.csv", folder=tmp_path)
    assert b"ends in .csv, but is written as --format json" in other.stderr
    words = refused(run("paper", "kotz", "--findings", "-o", "new.doc", folder=tmp_path), 2)
    assert words.startswith("new.doc: no form of a table ends in .doc")


def test_what_is_refused(run: Run, log: Path, tmp_path: Path) -> None:
    def result(*words: object) -> str:
        return refused(run("paper", *words), 2)

    assert result("kotz", log) == "iotrace paper kotz takes no trace: its programs are made"
    assert result("kotz", "--disk", "ra81") == "--disk is for iotrace paper biswas"
    assert result("kotz", "--regions", "bounds") == "--regions is for iotrace paper richardson"
    assert result("kotz", "--findings", "-f", "html").startswith("--findings is not for --format html")
    assert result("biswas") == "iotrace paper biswas needs a trace, or several"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter").write_text("dear")
    assert "holds other files" in result("kotz", "-o", tmp_path / "mine")


def test_the_page_alone_goes_where_its_name_says(run: Run, tmp_path: Path) -> None:
    done = run("paper", "kotz", "-o", "kotz.html", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, b"kotz.html\n")
    assert [path.name for path in tmp_path.iterdir()] == ["kotz.html"]
    html = (tmp_path / "kotz.html").read_bytes()
    assert b"Of the paper's 31 findings" in html
    assert run("paper", "kotz", "-o", "-", folder=tmp_path).stdout == html
    assert run("paper", "kotz", "-o", "kotz.html", folder=tmp_path).returncode == 0  # one of ours is replaced
    (tmp_path / "mine.html").write_text("mine")
    assert "not a report" in refused(run("paper", "kotz", "-o", "mine.html", folder=tmp_path), 2)
    assert "mkdir -p no" in refused(run("paper", "kotz", "-o", "no/kotz.html", folder=tmp_path), 1)


def test_a_table_goes_where_its_name_says(run: Run, tmp_path: Path) -> None:
    assert run("paper", "vilayannur", "-o", "cells.csv", folder=tmp_path).returncode == 0
    given = run("paper", "vilayannur", "--format", "csv", folder=tmp_path).stdout
    assert (tmp_path / "cells.csv").read_bytes() == given


def test_a_page_that_is_none_is_refused(run: Run, tmp_path: Path) -> None:
    def result(*words: object) -> str:
        return refused(run("paper", "kotz", *words, folder=tmp_path), 2)

    for words, other in ((["--format", "csv"], "--format csv"), (["--findings"], "--findings")):
        said = result(*words, "-o", "kotz.html")
        assert said == f"-o kotz.html is a page, and {other} is none: give one of them"
    assert "is not a name for a page" in result("--format", "html", "-o", "kotz.csv")
    assert not any(tmp_path.iterdir())
