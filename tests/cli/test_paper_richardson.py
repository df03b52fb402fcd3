"""``iotrace paper richardson`` by chapters and figures, as a user runs it, and the spellings that it had before."""

import json
from pathlib import Path

import pytest
from program import Run, refused, remarks

CHAPTERS = {
    "3": {"chapter_3", "chapter_3_figures", "chapter_3_printed", "findings"},
    "4": {"chapter_4_figures", "chapter_4_printed", "chapter_4_demand_paging", "findings"},
    "5": {
        "chapter_5_figures",
        "chapter_5_printed",
        "chapter_5_improvements",
        "chapter_5_table_5_1",
        "chapter_5_least_regret",
        "findings",
    },
}


def test_the_chapters_are_the_whole(run: Run, shared_store: Path) -> None:
    words = ("paper", "richardson", shared_store, "--format", "json")
    whole = json.loads(run(*words).stdout)
    parts = {one: json.loads(run(*words, "--chapter", one).stdout) for one in CHAPTERS}
    assert {one: set(tables) for one, tables in parts.items()} == CHAPTERS
    findings = [row for tables in parts.values() for row in tables.pop("findings")]
    assert findings == whole.pop("findings")
    assert {name: table for tables in parts.values() for name, table in tables.items()} == whole


def test_figures_alone_are_a_page_and_their_numbers(run: Run, shared_store: Path, tmp_path: Path) -> None:
    done = run("paper", "richardson", shared_store, "--figure", "3.8,4.2,5.10", "-o", tmp_path / "two")
    assert done.returncode == 0, done.stderr
    html = (tmp_path / "two" / "index.html").read_text("utf-8")
    drawn = {one: f"Figure {one}:" in html for one in ("3.8", "3.9", "4.2", "4.3", "5.10", "5.11")}
    assert [one for one, is_there in drawn.items() if is_there] == ["3.8", "4.2", "5.10"]
    assert {path.name for path in (tmp_path / "two").glob("*.csv")} == {
        f"chapter_{chapter}_{part}.csv" for chapter in (3, 4, 5) for part in ("figures", "printed")
    }


def test_every_figure_of_a_measurement_is_on_the_page(run: Run, shared_store: Path, tmp_path: Path) -> None:
    assert run("paper", "richardson", shared_store, "-o", tmp_path / "all").returncode == 0
    html = (tmp_path / "all" / "index.html").read_text("utf-8")
    assert html.index("the dissertation&#39;s 121 claims on") < html.index('id="figure-3-1"')
    of_chapters = {3: range(1, 11), 4: range(1, 16), 5: (4, 6, 7, 8, *range(10, 21))}
    for chapter, numbers in of_chapters.items():
        for number in numbers:
            start = html.index(f'id="figure-{chapter}-{number}"')
            assert 'class="plot"' in html[start : html.index("</figure>", start)], (chapter, number)


def test_the_page_says_whether_the_uncached_baseline_counts(
    run: Run, shared_store: Path, tmp_path: Path
) -> None:
    words = ("paper", "richardson", shared_store, "--chapter", "5", "-o")
    said = {
        "usual": "left out of the means; --keep-uncached keeps it",
        "kept": "is in the means (--keep-uncached)",
    }
    for name, more in (("usual", ()), ("kept", ("--keep-uncached",))):
        done = run(*words, tmp_path / name, *more)
        assert done.returncode == 0, done.stderr
        html = (tmp_path / name / "index.html").read_text("utf-8")
        assert [words_ in html for words_ in said.values()] == [one == name for one in said]


def test_a_figure_takes_the_uncached_baseline_that_it_shows_in_any_case(run: Run, shared_store: Path) -> None:
    figure = ("paper", "richardson", shared_store, "--figure", "5.14", "-f", "json")
    usual, kept = run(*figure), run(*figure, "--keep-uncached")
    assert kept.returncode == 0 and kept.stdout == usual.stdout
    assert b"figures show 32 KB in any case" in kept.stderr and remarks(usual) == []


def test_the_options_of_a_chapter_change_its_numbers(run: Run, shared_store: Path) -> None:
    words = ("paper", "richardson", shared_store, "--chapter", "4", "-f", "json")
    done = run(*words, "--page", "8K", "--overhead", "10", "--transfer", "0.25")
    equation = {row["symbol"]: row for row in json.loads(done.stdout)["chapter_4_demand_paging"]}
    assert [equation[name]["ours"] for name in ("O", "Tx", "Psz")] == [10, 4, 8192]
    assert equation["Psz"]["paper"] == 4096


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--chapter", "6"], "chapter"),
        (["--figure", "4.99"], "no figure 4.99 shows a measurement"),
        (["--chapter", "5", "--figure", "4.2"], "--figure 4.2 is not of --chapter 5"),
        (["--chapter", "3", "--regions", "bounds"], "--regions is for chapter 5"),
        (["--figure", "4.2", "--page", "8K"], "--page is for chapter 4, not for its figures"),
        (["--chapter", "4", "--keep-uncached"], "--keep-uncached is for chapter 5"),
        (["--chapter", "4", "--runs", "mixed"], "--runs is for chapter 3"),
        (["--transfer", "0"], "--transfer: is above 0"),
    ],
)
def test_what_has_no_effect_is_refused(run: Run, shared_store: Path, words: list[str], message: str) -> None:
    done = run("paper", "richardson", shared_store, *words, "-f", "json")
    assert done.returncode == 2 and message in done.stderr.decode()


def test_the_findings_alone_are_counted_by_kind(run: Run, shared_store: Path) -> None:
    done = run("paper", "richardson", shared_store, "--findings", "--as", "kernel-build")
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0 and "claims of the dissertation" in lines[0]
    assert "Claims by kind" in lines[1] and any("apart: structural" in line for line in lines[:20])
    rows = json.loads(run("paper", "richardson", shared_store, "--findings", "-f", "json").stdout)
    assert {row["finding"][0] for row in rows} == {"F", "W", "R"}
    assert {"kind", "judged_on", "origin", "bounds", "distance", "cause", "whole_verdict"} <= rows[0].keys()
    refused_words = run("paper", "richardson", shared_store, "--findings", "--figure", "4.2")
    assert refused(refused_words, 2) == "--findings cannot be combined with --figure"


def test_a_terminal_has_the_verdicts_in_a_sentence(run: Run, shared_store: Path) -> None:
    done = run("paper", "richardson", shared_store, "--chapter", "4", "--format", "table")
    assert done.returncode == 0 and b"claims of the dissertation" in done.stdout.splitlines()[0]


def test_the_report_has_the_dissertation_where_it_is_asked_for(
    run: Run, shared_store: Path, tmp_path: Path
) -> None:
    words = ("report", shared_store, "-f", "json")
    usual, beside = (json.loads(run(*words, *more).stdout) for more in ((), ("--paper",)))
    assert set(beside) - set(usual) == {
        "paper_requests",
        "paper_bytes",
        "findings",
        "demand_paging",
        "attribute_improvements",
        "attribute_requests",
        "attribute_time",
        "attribute_findings",
    }
    assert {name: beside[name] for name in usual} == usual
    (tmp_path / "t.iolog").write_text("fio version 3 iolog\n0 /dev/d read 0 4096\n9 /dev/d write 4096 4096\n")
    assert run("ingest", tmp_path / "t.iolog", "-o", tmp_path / "t.iotrace").returncode == 0
    result = refused(run("report", tmp_path / "t.iotrace", "--paper", "-o", tmp_path / "t.html"), 2)
    assert "--paper is for traces of calls" in result
