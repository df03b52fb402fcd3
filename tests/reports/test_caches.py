"""Lines over the size of a cache: few points, each exactly what the engine counts at that size."""

import random
from collections.abc import Iterable
from typing import Any
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from iotrace.reports.report import caches, figures
from traces import log

from iotrace.analysis.answers.cache import memo_of
from iotrace.analysis.curves import Cache, curve, simulate
from iotrace.analysis.curves.disk_times import simulate_with_writes, with_disk_times
from iotrace.analysis.curves.others import others
from iotrace.analysis.curves.references import of_population
from iotrace.analysis.curves.sizing import SHARES, CurveHits, sentences, sizing
from iotrace.analysis.lines.counts import MOST_DRAWN, thinned
from iotrace.analysis.lines.runs import Run, RunMemo
from iotrace.analysis.population import Population
from iotrace.errors import MemoryLimitError
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("caches")
    names = [f"/data/{number}" for number in range(150)]
    chosen = random.Random(1)
    raw = folder / "work.strace"
    raw.write_text(log([*names, *(chosen.choice(names) for _ in range(450))]))
    return ingest([raw], folder / "work.iotrace")


def figure(name: str) -> figures.Figure:
    return next(one for one in figures.figures() if one.id == name)


def points(store: Store, name: str, line: str) -> list[tuple[int, float]]:
    rows = caches.lines(memo_of(store), [figure(name)], lambda doing: None)[name].to_pylist()
    return [(row["size_bytes"], row["value"]) for row in rows if row["line"] == line]


def data(store: Store) -> Any:
    """The references that the figures are of."""
    return list(of_population(store, Population.DATA))


def test_every_point_is_what_the_engine_counts_at_that_size(store: Store) -> None:
    found = points(store, "disk_requests", "both")
    counts = curve(iter(data(store)), sizes_bytes=[size for size, _ in found]).to_pylist()
    assert 100 < len(found) <= MOST_DRAWN
    for (_, value), row in zip(found, counts, strict=True):
        requests = row["read_requests"] + row["write_requests"]
        assert value == pytest.approx(
            (row["read_request_misses"] + row["write_expulsions"] + row["write_syncs"]) / requests
        )


def test_disk_time_is_that_of_the_curve(store: Store) -> None:
    found = points(store, "disk_time", "4 KB blocks")
    sizes = [size for size, _ in found]
    cache = Cache(syncs="honour")
    curves = simulate_with_writes(
        iter(data(store)), cache, cache.sizes_blocks(sizes), again=lambda: iter(data(store))
    )
    without, *rows = with_disk_times(curves, sizes, alone=False).to_pylist()
    for (_, value), row in zip(found, rows, strict=True):
        assert value == pytest.approx((row["read_service_time_ns"] + row["write_service_time_ns"]) / 1e9)
    time_ns = without["read_service_time_ns"] + without["write_service_time_ns"]
    for _, value in points(store, "disk_time", "no cache"):
        assert value == pytest.approx(time_ns / 1e9)


def test_a_capturing_size_is_the_smallest_that_reaches_so_many_hits(store: Store) -> None:
    memo = memo_of(store)
    table = caches.lines(memo, [figure("working_sets")], lambda doing: None)["working_sets"]
    (row,) = [row for row in table.to_pylist() if row["cache"] == "everything"]
    every = curve(store.arrow("reference")).to_pylist()
    hits = {one["size_bytes"]: one["block_references"] - one["block_misses"] for one in every}
    for percent in SHARES:
        enough = [size for size, hit in hits.items() if hit >= percent / 100 * max(hits.values())]
        assert row[f"size_for_{percent}_percent_bytes"] == min(enough)
    references = every[0]["block_references"]
    assert row["least_miss_percent"] == pytest.approx(100 * (1 - max(hits.values()) / references))


def test_the_report_chooses_the_size_that_the_curve_chooses(store: Store) -> None:
    said = caches.which_size(memo_of(store), lambda doing: None)
    curves = simulate(iter(data(store)), Cache(syncs="honour"))
    found = sizing(CurveHits(curves))
    assert found is not None
    assert said == sentences(found, others(iter(data(store)), curves.cache, found))
    assert "with W-TinyLFU" in " ".join(said)


sizes = st.sets(st.integers(1, 10**7), max_size=2000)


@given(sizes, sizes.filter(bool))
def test_thinning_draws_of_several_lines_what_it_draws_of_all_their_sizes(
    reads: set[int], writes: set[int]
) -> None:
    kept = thinned([np.array(sorted(one), np.uint32) for one in (reads, writes)])
    every = np.array(sorted(reads | writes), float)
    assert kept.tolist() == (every if len(every) <= MOST_DRAWN else drawn_of(every)).tolist()
    assert len(kept) <= MOST_DRAWN


def drawn_of(every: Any) -> Any:
    """The largest size up to each of many steps that are even on a logarithmic scale, and both ends."""
    steps = np.geomspace(every[0], every[-1], MOST_DRAWN - 1)
    upto = [
        max((size for size in every[: np.searchsorted(every, step) + 1] if size <= step), default=every[0])
        for step in steps
    ]
    return np.unique([every[0], *upto, every[-1]])


@pytest.mark.parametrize("limit_bytes", [None, 1 << 30])
def test_long_traces_are_read_again_for_the_same_lines(
    store: Store, monkeypatch: pytest.MonkeyPatch, limit_bytes: int | None
) -> None:
    """Each selection takes a pass of its own, and where memory is limited each size of blocks."""
    wanted = [one for one in figures.figures() if one.lines]
    at_once: list[str] = []
    expected = caches.lines(memo_of(store), wanted, at_once.append)
    monkeypatch.setattr(caches, "SIDE_BY_SIDE", 0)
    monkeypatch.setattr(caches.memory, "limit_bytes", lambda: limit_bytes)
    said: list[str] = []
    assert caches.lines(memo_of(store), wanted, said.append) == expected
    runs = [run for one in wanted for line in one.lines for run in (line.run, *line.population)]
    passes = {(run.selection, run.block_bytes if limit_bytes else None) for run in runs}
    assert len(at_once) == 1 and len(said) == len(passes) > 1


def test_requests_that_move_many_blocks_take_a_pass_for_each_cache(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = [one for one in figures.figures() if one.lines]
    expected = caches.lines(memo_of(store), wanted, lambda doing: None)
    monkeypatch.setattr(caches, "BLOCKS_SIDE_BY_SIDE", 0)
    said: list[str] = []
    assert caches.lines(memo_of(store), wanted, said.append) == expected
    runs = {run for one in wanted for line in one.lines for run in (line.run, *line.population)}
    assert len(said) == len(runs) > 1


def test_caches_that_memory_has_no_room_for_cost_their_lines_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs that do not fit side by side have a pass each; one that does not fit alone has no line, and a reason."""
    wanted = [one for one in figures.figures() if one.producer == "caches"]
    expected = caches.lines(memo_of(store), wanted, lambda doing: None)
    large = wanted[0].lines[0].run
    prepare = RunMemo.prepare

    def limited(memo: RunMemo, runs: Iterable[Run]) -> None:
        different = set(runs)
        if len(different) > 1 or large in different:
            raise MemoryLimitError("too little")
        prepare(memo, different)

    monkeypatch.setattr(RunMemo, "prepare", limited)
    left_out: dict[str, str] = {}
    tables = caches.lines(memo_of(store), wanted, lambda doing: None, left_out)
    partly = 0
    for one in wanted:
        lacking = [line.label for line in one.lines if large in (line.run, *line.population)]
        others = set(expected[one.id].column(0).to_pylist()) - set(lacking)
        kept = pc.is_in(expected[one.id].column(0), pa.array(sorted(others), pa.string()))
        assert tables[one.id] == expected[one.id].filter(kept)
        if len(lacking) == len(one.lines) and lacking:
            assert left_out[one.id] == "too little" and not tables[one.id].num_rows
        else:
            assert left_out.get(one.id) == (f"{', '.join(lacking)} (too little)" if lacking else None)
            partly += bool(lacking)
    assert partly
    with pytest.raises(MemoryLimitError):
        caches.lines(memo_of(store), wanted, lambda doing: None)


def test_times_that_memory_has_no_room_for_cost_their_lines_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = [figure("disk_time"), figure("unified")]
    expected = caches.lines(memo_of(store), wanted, lambda doing: None)
    monkeypatch.setattr(caches, "write_times_ns", Mock(side_effect=MemoryLimitError("too little")))
    left_out: dict[str, str] = {}
    tables = caches.lines(memo_of(store), wanted, lambda doing: None, left_out)
    assert left_out == {"disk_time": "1 KB blocks, 4 KB blocks, 16 KB blocks (too little)"}
    assert tables["unified"] == expected["unified"]
    assert set(tables["disk_time"]["line"].to_pylist()) == {"no cache"}
