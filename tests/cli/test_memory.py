"""Limits of memory: every command has the option, and ends in a sentence where it is not enough."""

import csv
import re
import threading
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from iotrace.reports.report.data import collect
from iotrace.reports.report.figures import figures
from program import LOG, Run

from iotrace import queries
from iotrace.analysis.characterize import characterize_store, why_left_out
from iotrace.analysis.curves.sampling import Sampling, within_memory
from iotrace.analysis.overview import overview
from iotrace.cli import COMMANDS
from iotrace.errors import SHORTAGE_OF_QUERY, MemoryLimitError
from iotrace.files import memory
from iotrace.ingest.pipeline import ingest
from iotrace.store.connections import within_memory as within_limit
from iotrace.store.store import Store

GROUPS = ("paper", "generate", "disk")
"""Commands of commands."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return ingest([Path(LOG)], tmp_path_factory.mktemp("memory") / "log.iotrace")


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in GROUPS])
def test_every_command_has_the_option(run: Run, command: str) -> None:
    said = [run(command, help_).stdout.decode() for help_ in ("--help", "--help-all")]
    assert any("--memory" in help_ for help_ in said)


@pytest.mark.parametrize("size", ["1M", "255M", "0"])
def test_too_little_is_refused(run: Run, tmp_path: Path, size: str) -> None:
    done = run("report", LOG, "-o", tmp_path / "page.html", "--memory", size)
    assert done.returncode == 2
    assert done.stderr.decode() == (
        "iotrace: --memory must be at least 256M, which iotrace and its libraries take\n"
    )
    assert not (tmp_path / "page.html").exists()


def test_a_size_that_is_none_is_refused(run: Run) -> None:
    done = run("info", LOG, "--memory", "much")
    assert done.returncode == 2
    assert "much" in done.stderr.decode()


def test_duckdb_gets_half_of_what_the_program_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_STATE", {})
    memory.limit(1 << 30)
    with duckdb.connect(config=memory.of_duckdb()) as connection:
        ((shown,),) = connection.execute("select current_setting('memory_limit')").fetchall()
    assert shown == "432.0 MiB"


def test_a_sort_larger_than_the_share_of_duckdb_ends(run: Run, store: Store, tmp_path: Path) -> None:
    """Its 38 MB are nearly as much as DuckDB has, and several threads would need more than that."""
    statement = "select range as number, repeat('x', 60) as text from range(500_000) order by hash(range)"
    output = tmp_path / "sorted.parquet"
    done = run.anew("sql", store.path, statement, "--memory", "256M", "-o", output)
    assert done.returncode == 0, done.stderr
    numbers = pq.read_table(output)["number"].to_pylist()
    assert sorted(numbers) == list(range(500_000)) != numbers


def test_a_query_that_needs_more_says_what_it_may_take(run: Run, store: Store) -> None:
    done = run.anew("sql", store.path, TOO_LARGE, "--memory", "256M")
    assert done.returncode == 1
    assert done.stderr.decode() == f"iotrace: SQL: {SHORTAGE_OF_QUERY}\n"


TOO_LARGE = "select list(range) from range(100_000_000)"


def test_a_query_that_needs_more_is_an_error_and_the_next_one_runs(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_STATE", {"limit": 300 << 20})
    with store.queried() as connection:
        with (
            pytest.raises(MemoryLimitError, match="more than the 300 MB of --memory are needed"),
            within_limit(connection),
        ):
            connection.execute(TOO_LARGE).fetchall()
        assert connection.execute("select 1").fetchall() == [(1,)]


def test_a_query_is_interrupted_before_the_process_takes_all(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The watching thread finds the process near its limit, and only the query ends."""
    monkeypatch.setattr(memory, "_STATE", {"limit": 1000 << 20})
    monkeypatch.setattr(memory, "_resident_bytes", lambda: 960 << 20)
    others = set(threading.enumerate())
    memory.watch(lambda: pytest.fail("the process takes less than the limit"))
    (watching,) = set(threading.enumerate()) - others
    with store.queried() as connection:
        with pytest.raises(MemoryLimitError), within_limit(connection):
            connection.execute("select count(*) from range(100_000) a, range(10_000_000) b").fetchall()
        monkeypatch.setattr(memory, "_resident_bytes", lambda: None)
        watching.join()
        assert connection.execute("select 1").fetchall() == [(1,)]


def test_the_top_of_many_keys_fits(run: Run, tmp_path: Path) -> None:
    """Only the keys that are shown have their names read."""
    lines = (f"{number},{'k' * 60}{number},{4096 + number},get\n" for number in range(100_000))
    (tmp_path / "keys.csv").write_text("".join(lines))
    ingest([tmp_path / "keys.csv"], tmp_path / "keys.iotrace", format="csv:time=1,key=2,size=3,op=4")
    done = run.anew(
        "characterize", tmp_path / "keys.iotrace", "top_files", "--memory", "256M", "--format", "csv"
    )
    assert done.returncode == 0, done.stderr
    first = done.stdout.decode().splitlines()[1]
    assert first.startswith(f"{'k' * 60}99999,datafile,{4096 + 99_999},1,")


def test_a_statistic_that_does_not_fit_is_left_out_and_named(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are as without a limit; the reason has the command and memory that may give it."""
    names = ["totals", "top_files", "runs_by_length"]
    expected = characterize_store(store, names)
    monkeypatch.setattr(memory, "_STATE", {"limit": 1000 << 20})
    monkeypatch.setattr(memory, "_resident_bytes", lambda: 200 << 20)  # not that of the tests before
    definition = queries.definition

    def too_large(query: queries.Query) -> str:
        sql = definition(query)
        return sql if query.name != "top_files" else f"from ({sql}) where len(({TOO_LARGE})) > 0"

    monkeypatch.setattr(queries, "definition", too_large)
    left_out: dict[str, str] = {}
    results = characterize_store(store, names, {}, left_out)
    assert list(left_out) == ["top_files"]
    assert results["top_files"].num_rows == 0
    for name in ("totals", "runs_by_length"):
        assert results[name].equals(expected[name])
    assert why_left_out(store, "top_files", left_out["top_files"]) == (
        "the 1,000 MB of --memory leave too little for it here; alone and with more it may fit:"
        f" iotrace characterize {store.path} top_files --memory 2000M"
    )


@pytest.mark.parametrize("short", ["totals", "runs_by_length"])
def test_a_verdict_does_not_take_what_is_left_out_for_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch, short: str
) -> None:
    """Without totals there is none; without runs it says nothing of them, and the rest is as with all memory."""
    whole = overview(store, {}, {})["verdict"]["sentence"].to_pylist()
    monkeypatch.setattr(memory, "_STATE", {"limit": 1000 << 20})
    monkeypatch.setattr(memory, "_resident_bytes", lambda: 200 << 20)
    definition = queries.definition

    def too_large(query: queries.Query) -> str:
        sql = definition(query)
        return sql if query.name != short else f"from ({sql}) where len(({TOO_LARGE})) > 0"

    monkeypatch.setattr(queries, "definition", too_large)
    left_out: dict[str, str] = {}
    found = overview(store, {}, left_out)["verdict"]["sentence"].to_pylist()
    page = collect(store, figures())
    assert list(left_out) == [short]
    if short == "totals":
        (sentence,) = found
        assert sentence.startswith(
            "The verdict could not be computed: statistic totals is left out: the 1,000 MB of --memory"
        )
        assert page.screen.headline.sentence.startswith(
            "The answers could not be computed: statistic totals is left"
        )
    else:
        assert [name for name, note in page.notes.items() if note.needs_memory] == ["runs", "run_bytes"]
        assert "; ".join(found) == re.sub("; [^;]* runs longer than 64 KB", "", "; ".join(whole))


@pytest.mark.parametrize("size", ["64K", "1M"])
def test_a_largest_cache_needs_no_state(run: Run, tmp_path: Path, size: str) -> None:
    """It gives the counts of the exact curve up to that size, within a limit in which that does not fit."""
    trace = _random_blocks(tmp_path)
    sizes = ["--block", "2K", "--sizes", size, "-f", "csv"]
    done = run.anew("curve", trace, *sizes, "--largest", "1M", "--memory", "512M")
    assert done.returncode == 0, done.stderr
    exact = run.anew("curve", trace, *sizes)
    rows, expected = ([*csv.DictReader(each.stdout.decode().splitlines())] for each in (done, exact))
    assert len(rows) == len(expected) == 2
    for row, whole in zip(rows, expected, strict=True):
        times = {name for name in row if name.endswith("_time_ns")}
        assert {name: whole[name] for name in row if name not in times} == {
            name: value for name, value in row.items() if name not in times
        }


def test_what_takes_more_ends_in_a_sentence(run: Run, tmp_path: Path) -> None:
    code = "select count(*) from (select unnest(range(1000000)) as a) join (select unnest(range(30)) as b) on true"
    done = run("sql", LOG, code, "--memory", "2G")
    assert done.returncode == 0, done.stderr
    done = run.anew("nonvolatile", _random_blocks(tmp_path), "--budget", "100000000", "--memory", "256M")
    assert done.returncode == 1
    assert "--memory" in done.stderr.decode()
    assert len(done.stderr.decode().splitlines()[-1]) < 300


def test_a_curve_that_does_not_fit_is_estimated(run: Run, tmp_path: Path) -> None:
    """The exact curve needs 400 MB more than the command; a warning says so, and the curve is estimated."""
    sizes = ["--block", "2K", "--sizes", "64K,1G", "-f", "csv"]
    done = run.anew("curve", _random_blocks(tmp_path), *sizes, "--memory", "512M")
    assert done.returncode == 0, done.stderr
    said = done.stderr.decode()
    assert "512 MB of --memory are too little for a curve of up to" in said
    assert "M gives the exact curve; this one is estimated from a sample (--sample '" in said
    assert b"block_misses_low" in done.stdout
    done = run.anew("curve", _random_blocks(tmp_path), *sizes, "--memory", "256M")
    assert done.returncode == 1
    assert "256 MB of --memory are too little for a curve of up to" in done.stderr.decode()


@pytest.mark.parametrize(
    ("left_mb", "most_blocks", "is_too_large", "expected"),
    [(2000, 10_000_000, False, None), (2000, 10_000_000, True, "sample"), (500, 10_000_000, False, "sample")],
)
def test_a_curve_is_exact_where_all_blocks_fit(
    left_mb: int, most_blocks: int, is_too_large: bool, expected: str | None
) -> None:
    sampling = within_memory(
        left_mb + 300 << 20, left_mb << 20, most_blocks, MemoryLimitError("") if is_too_large else None
    )
    assert (sampling is None) == (expected is None)
    if sampling is not None:
        assert sampling.most_blocks is not None
        assert 1000 < sampling.most_blocks < (left_mb << 20) // 5000
        assert f"up to {most_blocks:,} blocks" in sampling.reason


def test_what_reads_a_store_ends_before_the_limit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the limit a store is read; where too little is left, it is not, and the sentence has what helps."""
    monkeypatch.setattr(memory, "_STATE", {"limit": 1000 << 20})
    for taken_mb, is_refused in ((100, False), (870, False), (890, True), (2000, True)):
        monkeypatch.setattr(memory, "_resident_bytes", lambda taken_mb=taken_mb: taken_mb << 20)
        if is_refused:
            with pytest.raises(
                MemoryLimitError, match="more than the 1,000 MB of --memory are needed: give more"
            ):
                next(store.batches("reference", ["file"]))
        else:
            assert next(store.batches("reference", ["file"])).num_rows
    monkeypatch.setattr(memory, "_STATE", {})
    assert next(store.batches("reference", ["file"])).num_rows


def _random_blocks(folder: Path) -> Path:
    """Write a trace of requests that touch 16 million blocks."""
    place = folder / "random.csv"
    lines = (
        f"{128166372003061629 + 10 * number},web,0,Write,{(number * 2654435761 % (1 << 30)) * 65536},65536,700\n"
        for number in range(120_000)
    )
    place.write_text("".join(lines))
    return place


@pytest.mark.parametrize("taken_mb", [100, 150])
def test_the_memory_named_has_room_for_the_exact_curve(taken_mb: int) -> None:
    """Of each limit a share stays free."""

    def chosen(limit_bytes: int) -> Sampling | None:
        left_bytes = int(limit_bytes * (1 - memory.KEPT_FREE)) - (taken_mb << 20)
        return within_memory(limit_bytes, left_bytes, 10_000_000)

    sampling = chosen(512 << 20)
    assert sampling is not None
    named = re.search(r"--memory (\d+)M gives the exact curve", sampling.reason)
    assert named is not None
    assert chosen(int(named[1]) << 20) is None
