"""``iotrace patterns`` and ``iotrace generate parallel`` as a user runs them, one after the other."""

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from program import Run, refused

import iotrace
from iotrace import queries
from iotrace.generate.patterns.settings import Pattern

SMALL = ("--processes", "4", "--per-process", "40")


def generate(run: Run, *words: object) -> None:
    done = run("generate", "parallel", *words)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def timed(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A timed trace of gw, in UMD's text."""
    place = tmp_path_factory.mktemp("generated") / "gw.asc"
    generate(run, "gw", *SMALL, "--record", "1/4", "--timed", "-o", place)
    return place


@pytest.mark.parametrize("pattern", [Pattern.LRP, Pattern.GFP, Pattern.LW1])
def test_what_is_generated_is_named(run: Run, tmp_path: Path, pattern: Pattern) -> None:
    place = tmp_path / "made.asc"
    portions = ("--least-portion", "4") if pattern.has_random_portions else ()
    generate(run, pattern.value, *SMALL, *portions, "--timed", "-o", place)
    done = run("patterns", place, "--format", "json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    assert row["pattern"].split(" or ")[0] == pattern.value
    assert row["path"] == "shared.dat" and row["processes"] == (1 if pattern is Pattern.LW1 else 4)


def test_missing_records_leave_the_name_and_are_counted(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "made.csv"
    generate(run, "lw", *SMALL, "-o", place)
    lines = place.read_text().splitlines(keepends=True)
    place.write_text("".join(line for number, line in enumerate(lines) if number % 30 != 29))
    (row,) = json.loads(run("patterns", place, "--format", "json").stdout)
    assert (row["pattern"], row["candidates"], row["direction"]) == ("lw", None, "forward")
    assert 0.02 < row["missing_share"] < 0.05
    assert "of the records are missing" in row["meaning"]


def test_two_patterns_at_once_are_unknown_with_candidates(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "made.csv"
    generate(run, "seg", *SMALL, "-o", place)
    lines = place.read_text().splitlines(keepends=True)
    generate(run, "rnd", *SMALL, "--force", "-o", place)
    random = [line for line in place.read_text().splitlines(keepends=True) if line[0].isdigit()]
    place.write_text("".join([*lines, *random]))
    (row,) = json.loads(run("patterns", place, "--format", "json").stdout)
    assert row["pattern"] == row["scope"] == "unknown" and row["certainty"] < 0.25
    assert len(row["candidates"].split(" or ")) > 1
    assert row["meaning"].startswith(row["candidates"] + "? Not certain: ")


def test_pattern_text_has_the_layout_and_says_what_made_it(run: Run, tmp_path: Path) -> None:
    text = run("generate", "parallel", "gw", *SMALL, "--record", "1/4", "-o", "-").stdout.decode()
    lines = text.splitlines()
    assert lines[:2] == ["# iotrace pattern 1", "proc,seq,op,record,offset_bytes,length_bytes,compute_us"]
    assert lines[2].startswith("# generated, not traced: iotrace generate parallel gw --processes 4")
    records = [line for line in lines[2:] if not line.startswith("#")]
    assert records[:2] == ["*,0,read,0,0,256,0", "*,1,read,1,256,256,0"] and len(records) == 640
    own = run("generate", "parallel", "seg", *SMALL, "--operation", "write", "-o", "-").stdout.decode()
    assert "1,0,write,40,40960,1024,0" in own.splitlines()


def test_the_same_command_makes_the_same_bytes(run: Run) -> None:
    words = ("lrp", *SMALL, "--compute", "exponential:30ms", "-o", "-")
    once, again, other = (run("generate", "parallel", *words, "--seed", seed).stdout for seed in (3, 3, 4))
    assert once == again != other


def test_a_store_holds_the_same_as_the_text(run: Run, tmp_path: Path) -> None:
    for name in ("made.iotrace", "made.csv"):
        generate(run, "seg", *SMALL, "-o", tmp_path / name)
    assert run("ingest", tmp_path / "made.csv", "-o", tmp_path / "read.iotrace").returncode == 0
    made, read = (iotrace.open(tmp_path / name) for name in ("made.iotrace", "read.iotrace"))
    assert made.arrow("parallel_io").equals(read.arrow("parallel_io"))
    assert made.manifest["generated"]["pattern"] == "seg"


def test_every_form(run: Run, timed: Path, tmp_path: Path) -> None:
    table = run("patterns", timed).stdout.decode()
    assert "gw or gfp" in table and "self-scheduled" in table
    rows = list(csv.DictReader(io.StringIO(run("patterns", timed, "-f", "csv").stdout.decode())))
    schema = queries.table_schema("patterns")
    assert list(rows[0]) == schema.names and rows[0]["record_bytes"] == "256"
    place = tmp_path / "patterns.parquet"
    assert run("patterns", timed, "-o", place).returncode == 0
    assert pq.read_schema(place).names == schema.names
    curves = json.loads(run("patterns", timed, "--locality", "--block", "1K", "-f", "json").stdout)
    assert {row["measure"] for row in curves} == {"accesses", "ns"}
    last = [row for row in curves if row["measure"] == "accesses"][-1]
    assert 0.5 < last["share"] <= 0.75


@pytest.mark.parametrize("pattern", ["gw", "gfp"])
def test_records_that_nobody_took_yet_have_no_number_of_processes(
    run: Run, tmp_path: Path, pattern: str
) -> None:
    place = tmp_path / "list.csv"
    generate(run, pattern, *SMALL, "-o", place)
    done = run("patterns", place, "--format", "json", "--page", tmp_path / "list.html")
    assert (
        b"1 series of records that no process has taken yet (process *): shown as self-scheduled"
        in done.stderr
    )
    (row,) = json.loads(done.stdout[: done.stdout.rindex(b"]") + 1])
    assert row["pattern"] == pattern and row["processes"] is None
    assert "self-scheduled" in row["meaning"]


def test_each_pattern_is_said_in_words_of_its_own(run: Run) -> None:
    done = run("generate", "parallel", "grp", *SMALL, "-o", "-")
    assert b"the processes together access portions of random length in random places" in done.stderr


def test_too_few_accesses_on_standard_input(run: Run) -> None:
    text = run(
        "generate", "parallel", "gw", "--processes", "2", "--blocks-per-process", "5", "-o", "-"
    ).stdout
    message = refused(run("patterns", "-", given=text))
    assert message.startswith("standard input: no file has a phase of 20 reads or writes (--least)")


def test_a_page(run: Run, timed: Path, tmp_path: Path) -> None:
    page = tmp_path / "patterns.html"
    done = run("patterns", timed, "-o", page)
    assert (done.returncode, done.stdout.decode()) == (0, f"{page}\n"), done.stderr
    html = page.read_text()
    assert "<b>1</b> gw or gfp" in html  # the headline as the table
    assert "parallel access patterns" in html and "gw or gfp" in html and 'id="plot-close-0"' in html
    assert run("patterns", timed, "-o", page).returncode == 0
    both = run("patterns", timed, "--page", tmp_path / "two.html", "-f", "csv")
    assert both.stdout.startswith(b"file,path") and (tmp_path / "two.html").exists()
    assert both.stdout.count(b"\n") == 2, "the table alone"
    assert both.stderr.decode() == f"iotrace: wrote the page {tmp_path / 'two.html'}\n"
    assert "give one of them" in refused(run("patterns", timed, "-o", page, "-f", "csv"), code=2)
    (tmp_path / "mine.html").write_text("mine")
    assert "is not a report" in refused(run("patterns", timed, "-o", tmp_path / "mine.html"), code=2)


def test_the_report_names_the_patterns_of_shared_files(run: Run, timed: Path, tmp_path: Path) -> None:
    assert run("report", timed, "-o", tmp_path / "report.html").returncode == 0
    assert "How do processes share files?" in (tmp_path / "report.html").read_text()
    result = json.loads(run("report", timed, "-f", "json").stdout)
    assert [row["pattern"] for row in result["shared_files"]] == ["gw or gfp or grp"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["xx"], "'xx' is not one of lw, lfp"),
        (["gw", "--operation", "append"], "'append' is not one of read, write"),
        (["gw", "--block", "0"], "--block is 0"),
        (["gw", "--record", "0"], "above 0"),
        (["gw", "--record", "1/0"], "is not a number of blocks"),
        (["seg", "--file-blocks", "100"], "longer than the file"),
        (["gw", "--compute", "exponential"], "is not none, constant:TIME"),
        (["gw", "--compute", "exponential:soon"], "is not none, constant:TIME"),
        (["gw", "--access", "3ms"], "--access needs --timed"),
        (["gw", "--per-process", "0"], "--blocks-per-process is 0"),
        (["lrp", "--portion", "0"], "--portion is 0"),
        (["lfp", "--gap", "-1"], "--gap is -1"),
        (["lrp", "--least-portion", "0"], "--least-portion is 0"),
        (["gfp", "--least-portion", "10000"], "--least-portion is 10000: pattern gfp has no random portions"),
        (["gw", "--seed", "-1"], "--seed is -1"),
        (["gw", "--timed", "--access", "0s"], "--access is 0"),
    ],
)
def test_bad_patterns_are_one_line(run: Run, tmp_path: Path, words: list[str], why: str) -> None:
    assert why in refused(run("generate", "parallel", *words, "-o", tmp_path / "x.csv"), code=2)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "why", "code"),
    [
        (["--block", "0"], "--block is at least 1", 2),
        (["--least", "1000000"], "no file has a phase of 1000000", 1),
        (["-o", "x.html", "--locality"], "is a page", 2),
    ],
)
def test_bad_questions_are_one_line(
    run: Run, timed: Path, tmp_path: Path, words: list[str], why: str, code: int
) -> None:
    store = tmp_path / "gw.iotrace"
    assert run("ingest", timed, "-o", store).returncode == 0
    assert why in refused(run("patterns", store, *words, folder=tmp_path), code=code)


def test_what_exists_is_overwritten_only_by_force(run: Run, timed: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_text("mine\n")
    result = refused(run("patterns", timed, "-o", tmp_path / "notes.csv"), code=2)
    assert "exists" in result and (tmp_path / "notes.csv").read_text() == "mine\n"
    assert run("patterns", timed, "-o", tmp_path / "notes.csv", "--force").returncode == 0
    assert (tmp_path / "notes.csv").read_text() != "mine\n"
