"""A report of a long trace: parts are simulated, and said; a part that fails costs its figures alone."""

from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from iotrace.reports.pages import attempted
from iotrace.reports.pages.charts import registry
from iotrace.reports.report import data, figures, nonvolatile, page, write_cache
from iotrace.reports.report.first_part import FirstPart

from iotrace.cli.report_page import write_report
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store


def a_store(folder: Path, requests: int = 400) -> Store:
    lines = (
        f"{128166372003061629 + 250 * place},web,0,{('Read', 'Write', 'Write')[place % 3]},"
        f"{40960 * (place * 7919 % 150)},{512 * (1 + place % 9)},700\n"
        for place in range(requests)
    )
    raw = folder / "small.csv"
    raw.write_text("".join(lines))
    return ingest([raw], folder / "small.iotrace")


requests = st.lists(
    st.tuples(st.sampled_from(["read", "write", "sync", "delete"]), st.none() | st.integers(0, 30)),
    max_size=40,
)


@given(requests, st.integers(1, 12), st.integers(1, 20), st.integers(1, 7))
def test_the_first_part_ends_at_the_first_request_too_many(
    rows: list[tuple[str, int | None]], most_requests: int, most_blocks: int, batch_rows: int
) -> None:
    table = pa.table(
        {
            "operation": pa.array([operation for operation, _ in rows], pa.string()),
            "length": pa.array([length for _, length in rows], pa.int64()),
        }
    )
    expected, taken, blocks = 0, 0, 0
    for operation, length in rows:
        if operation in ("read", "write"):
            touched = -(-(length or 0) // 4)
            if taken + 1 > most_requests or (taken and blocks + touched > most_blocks):
                break
            taken, blocks = taken + 1, blocks + touched
        expected += 1
    first = FirstPart(most_requests, most_blocks, 4)
    given_on = list(first.of(table.to_batches(batch_rows)))
    assert sum(batch.num_rows for batch in given_on) == expected
    assert first.requests == taken
    assert first.is_cut == (expected < len(rows))
    assert bool(first.sentence("iotrace x")) == first.is_cut


def test_parts_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nonvolatile, "MOST_REQUESTS", 100)
    monkeypatch.setattr(write_cache, "MOST_REQUESTS", 100)
    html = page.report(a_store(tmp_path))
    assert "The first 100 requests were simulated; iotrace nonvolatile simulates all." in html
    assert "Its first 100 requests were simulated; iotrace write-cache simulates all." in html


def test_what_is_simulated_of_a_part_is_what_its_requests_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_cache, "MOST_REQUESTS", 100)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    of_part, _ = write_cache.tables(a_store(tmp_path / "a"), lambda doing: None)
    of_whole, _ = write_cache.tables(a_store(tmp_path / "b", 100), lambda doing: None)
    assert of_part["write_cache_policies"].equals(of_whole["write_cache_policies"])


@pytest.mark.parametrize(
    "module", ["nonvolatile", "write_cache", "caches", "block_budget", "reliability", "notes"]
)
def test_a_section_that_fails_does_not_cost_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    def fail(*arguments: Any, **named: Any) -> Any:
        raise ZeroDivisionError("nothing to divide by")

    names = {"caches": "lines", "block_budget": "refused", "notes": "notes"}
    monkeypatch.setattr(import_module(f"iotrace.reports.report.{module}"), names.get(module, "tables"), fail)
    html = page.report(a_store(tmp_path))
    assert "What its I/O looks like" in html or "what its I/O looks like" in html
    assert ("Not computed: nothing to divide by." in html) == (module not in ("block_budget", "notes"))


def test_a_statistic_that_fails_costs_its_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from iotrace.reports.report import query_results

    before = query_results.result

    def result(connection: duckdb.DuckDBPyConnection, name: str) -> pa.Table:
        if name == "totals":
            raise duckdb.OutOfMemoryException("could not allocate block of size 1")
        return before(connection, name)

    monkeypatch.setattr(query_results, "result", result)
    evidence = data.collect(a_store(tmp_path), figures.figures(("disk_io",)))
    assert evidence.numbers.num_rows == 0
    assert any(table.num_rows for table in evidence.tables.values())


def test_interruptions_end_the_report() -> None:
    def interrupted() -> None:
        raise duckdb.InterruptException("INTERRUPT Error: Interrupted!")

    with pytest.raises(duckdb.InterruptException):
        attempted.attempted(interrupted)


def test_a_figure_that_cannot_be_drawn_says_so_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*arguments: Any) -> Any:
        raise IndexError("list index out of range")

    monkeypatch.setitem(registry.DRAWINGS, "working_set_over_time", fail)
    store = a_store(tmp_path)
    write_report(lambda: store, tmp_path / "page.html", False)
    html = (tmp_path / "page.html").read_text()
    assert '<strong class="failed">Not drawn: list index out of range.</strong>' in html
    assert "1 of the page's figures could not be made; the page says why" in capsys.readouterr().err
    monkeypatch.setenv("IOTRACE_TRACEBACK", "1")
    with pytest.raises(IndexError):
        write_report(lambda: store, tmp_path / "page.html", False)


def test_a_verdict_that_cannot_be_computed_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any) -> Any:
        raise KeyError("reads")

    monkeypatch.setattr(data, "summarized", fail)
    assert "The verdict could not be computed" in page.report(a_store(tmp_path))
