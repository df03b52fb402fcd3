"""Statistics of workers: those of one process, every one, for every family, whatever the parts."""

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from iotrace import queries
from iotrace.analysis import merging
from iotrace.analysis.characterize import characterize
from iotrace.analysis.merging import LARGE, sentence, views_of
from iotrace.analysis.overview import statistics
from iotrace.ingest import pipeline
from iotrace.store import streamed
from iotrace.store.store import Store
from iotrace.workers import Workers

TESTS = Path(__file__).parents[1]
RULES = {name: rule for name in queries.views() if (rule := merging.rule(name)) is not None}
OF_PARTS = {need for view in streamed.NAMES for need in queries.query(view).needs if need in RULES}
"""Those that are counted in each part apart; what is above them is the same for any parts."""
VIEWS = [name for name in RULES if name not in OF_PARTS]


def disk(folder: Path) -> Path:
    draw, trace = random.Random(6), folder / "disk.csv"
    trace.write_text(
        "".join(
            f"{128166372003061629 + 10_000 * place},host,{draw.choice('012')},{draw.choice(('Read', 'Write'))},"
            f"{draw.randrange(900) * 4096},{draw.randrange(9) * 4096},1000\n"
            for place in range(500)
        )
    )
    return trace


def parallel(folder: Path) -> Path:
    draw, trace = random.Random(7), folder / "ranks.csv"
    calls = (
        f"{place * 10},RW,1,{draw.randrange(4)},{draw.choice('ab')},{draw.choice(('', draw.randrange(9000)))},"
        f"{draw.randrange(5000)},{draw.choice(('read', 'write'))}\n"
        for place in range(300)
    )
    trace.write_text("time_us,type,app,client,file,offset,length,mode\n" + "".join(calls))
    return trace


def calls(folder: Path) -> Path:
    return TESTS / "cli" / "copy.strace"


TRACES = {"syscall": calls, "disk_io": disk, "parallel_io": parallel}


@pytest.fixture(scope="module", params=TRACES)
def store(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp(request.param)
    made = pipeline.ingest([TRACES[request.param](folder)], folder / "trace.iotrace")
    assert made.family.name == request.param
    return made


def same(found: dict[str, pa.Table], expected: dict[str, pa.Table]) -> None:
    assert found.keys() == expected.keys()
    for name, rows in expected.items():
        assert found[name].equals(rows, check_metadata=True), name


def test_every_statistic_is_that_of_one_process(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    names = queries.names(store.family.name)
    monkeypatch.setattr(merging, "MOST_ROWS", 250)
    with ThreadPoolExecutor(2) as pool:
        found = statistics(store, names, {}, {}, Workers(pool, 3, is_remote=False))
    same(found, statistics(store, names, {}, {}))


def rows_of(tables: dict[str, pa.Table]) -> dict[str, list[str]]:
    return {name: sorted(map(repr, table.to_pylist())) for name, table in tables.items()}


@pytest.mark.parametrize(("slots", "most", "population"), [(1, 170, "data"), (4, 333, "metadata")])
def test_any_parts_give_the_rows_of_views(store: Store, slots: int, most: int, population: str) -> None:
    """Also where a worker has less than its range in memory at a time."""
    parameters: dict[str, str | int] = {"population": population}
    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(2) as pool:
        patch.setattr(merging, "MOST_ROWS", most)
        found = merging.merged(store, VIEWS, parameters, Workers(pool, slots, is_remote=False))
    with store.queried() as connection:
        expected = rows_of(characterize(connection, [view for view in VIEWS if view in found], parameters))
    assert {"touched_object", "process_request"} <= expected.keys()
    assert {view: rows for view, rows in rows_of(found).items() if view in VIEWS} == expected


def test_what_merges_reads_no_large_table_above_its_views(store: Store) -> None:
    """By the needs of the queries: below a statistic, all ways to a large table lead through views that merge."""
    merging_names = [
        name for name in queries.names(store.family.name) if not views_of(name, store.family.name)[1]
    ]
    assert len(merging_names) >= 2
    for name in merging_names:
        known = {*views_of(name, store.family.name)[0], *streamed.NAMES}
        for one in set(queries.ordered([name], without=known)) - known:
            assert not set(queries.query(one).needs) & set(LARGE), name


def test_what_does_not_merge_is_said(store: Store) -> None:
    said = sentence(["by_process", "answer_times"], store.family.name)
    assert (
        said == "--workers: computed by one process, since they do not merge: answer_times (of whole tables)"
    )
    assert sentence(["by_process"], store.family.name) is None


def test_rules_are_read() -> None:
    assert merging.rule("request") is None
    made = merging.rule("touched_object")
    assert made is not None
    assert made.by == ("file", "type")
    assert made.largest == ("longest_bytes", "end_bytes")
    undirected = merging.rule("undirected")
    assert undirected is not None
    assert undirected.sql(["undirected"]) == 'select sum("undirected") as "undirected" from parts'
