"""All data of the figures of one store: statistics, caches, and what the manifest says of its reliability."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
from iotrace.reports.pages.attempted import attempted
from iotrace.reports.pages.figures import Figure, Note
from iotrace.reports.report import (
    block_budget,
    caches,
    kept_partitions,
    notes,
    reliability,
)
from iotrace.reports.report.at_once import concurrently, sequentially
from iotrace.reports.report.opening import OVER_TIME
from iotrace.reports.report.producers import OF_RESULTS, OF_STORE, Sources, figures_by_producer
from iotrace.reports.report.progress import Progress, silent
from iotrace.reports.report.query_results import QueryResults, ask
from iotrace.reports.report.section_results import SectionResults

from iotrace import queries
from iotrace.analysis.advice import Advice
from iotrace.analysis.advice.ask import asked_of
from iotrace.analysis.advice.table import table
from iotrace.analysis.answers.ask import (
    asks_of_caches,
    cache_of_blocks,
    cache_of_curve,
    cache_of_memory,
    cache_of_objects,
    composed,
    queries_of,
    unanswered,
)
from iotrace.analysis.answers.cache import ObjectCurves, memo_of
from iotrace.analysis.answers.figures import Known
from iotrace.analysis.answers.memory import PageReads
from iotrace.analysis.answers.screen import Cache, FirstScreen
from iotrace.analysis.block_budget import Budget
from iotrace.analysis.curves.sizing import CurveHits, sentences, sizing
from iotrace.analysis.facts import Facts, queries_for
from iotrace.analysis.jobs import STATISTIC, first_look
from iotrace.analysis.lines.runs import RunMemo
from iotrace.analysis.problem import problem
from iotrace.analysis.summary import summarized
from iotrace.analysis.times import Leader, is_short, lengthened, paused
from iotrace.analysis.verdict import unseen
from iotrace.files import memory
from iotrace.store.skipped import cautions
from iotrace.store.store import Store

ENOUGH = ("working_sets", "enough")
"""The figures of how much cache is enough, of calls and of others."""

MOST_AT_ONCE = 10_000_000
"""The most references of which statistics and simulations are computed at the same time."""


MOST_ROWS = 1000
"""The most rows of a table on the page, of which those come first that matter most."""


@dataclass(frozen=True)
class Evidence:
    """The numbers of a report: `tables` holds one table per figure, by its id."""

    tables: Mapping[str, pa.Table]
    verdict: tuple[str, ...]
    numbers: pa.Table
    notes: Mapping[str, Note]
    """Notes on figures for this trace only, by figure id."""
    advice: Advice
    why_no_advice: str | None
    """Why the rules could not be asked, if they could not."""
    screen: FirstScreen
    """The headline, the answers and the key figures."""
    over_time: Mapping[str, pa.Table]
    """The statistics of the pictures of the first screen, by name."""
    lru: Cache | None = None
    """The answer on LRU caches, also where the first screen has the one on memory; None without."""
    moved_bytes: float | None = None
    """The bytes that reads and writes of data moved, where the trace states them."""
    is_much_unseen: bool = False
    """Whether I/O that the trace cannot show may change what the numbers say."""


def collect(store: Store, figures: Sequence[Figure], progress: Progress = silent) -> Evidence:
    """Return the numbers that the figures show.

    Statistics are binned in SQL and curves thinned, so that the amount does not grow with the trace. What cannot be
    made is without rows, and its figures' notes say why.
    """
    progress("characterizing")
    parts = SectionResults()
    if store.kept is not None:
        return _of_partitions(store, figures, progress)
    with_caches = asks_of_caches(store) or any(figure.producer == "caches" for figure in figures)
    refused = attempted(lambda: block_budget.refused(store))[0] or {} if with_caches else {}
    memo = None if Budget.CURVE in refused or not with_caches else memo_of(store.warmed or store)
    objects = ObjectCurves(store.warmed or store)
    reads = PageReads(store) if store.family.has_model else None
    sources = Sources(store, refused, memo, objects, reads, progress)
    make = concurrently if _fits_at_once(store) else sequentially
    queried, _ = make(
        lambda: ask(store, figures, {}, progress),
        lambda: _produce(sources, figures, parts),
    )
    for producer, needing in figures_by_producer(figures, OF_RESULTS):
        parts.add(needing, partial(producer.make, queried.results))
    lru, why_no_lru = attempted(lambda: _lru(store, memo, refused, objects, reads) if with_caches else None)
    return _evidence(
        store,
        figures,
        queried,
        parts,
        block_budget.notes(figures, refused),
        _which_size(store, memo, parts, progress),
        lru,
        _screen(store, queried, lru, why_no_lru, reads, with_caches),
    )


def _of_partitions(store: Store, figures: Sequence[Figure], progress: Progress) -> Evidence:
    """Return the numbers of partitions whose requests are not read."""
    queried, parts = ask(store, figures, {}, progress), SectionResults()
    progress("merging curves")
    curves, why_not = attempted(lambda: kept_partitions.curves_of(store))
    trust = [figure for figure in figures if figure.producer == "reliability" and not figure.query]
    parts.add(trust, lambda: (reliability.tables(store), {}))
    kept_partitions.add(parts, figures, curves, why_not)
    hits = None if curves is None else CurveHits(curves)
    lru = cache_of_curve(store, hits, why_not)
    screen, why = attempted(
        lambda: composed(store, queried.whole(queries_of(store)), None, queried.why_no_advice, lru)
    )
    which_size = [] if hits is None else attempted(lambda: sentences(sizing(hits)))[0] or []
    return _evidence(
        store, figures, queried, parts, {}, which_size, lru, screen or unanswered(store, why or "")
    )


def _evidence(
    store: Store,
    figures: Sequence[Figure],
    queried: QueryResults,
    parts: SectionResults,
    refused: Mapping[str, Note],
    which_size: Sequence[str],
    lru: Cache | None,
    screen: FirstScreen,
) -> Evidence:
    """Return the numbers of results of queries, tables of producers, and answers on caches."""
    tables = {figure.id: _table(figure, queried, parts) for figure in figures}
    long = {figure.id: tables[figure.id] for figure in figures if figure.draw == "table"}
    cut = {name: Note(_cut(table)) for name, table in long.items() if len(table) > MOST_ROWS}
    tables |= {name: long[name].slice(0, MOST_ROWS) for name in cut}
    noted = cut | queried.notes(figures) | parts.notes | parts.failures
    noted |= refused
    noted = notes.with_text(
        noted, [figure for figure in figures if figure.id in ENOUGH], " ".join(which_size)
    )
    noted = notes.with_cold_caches(store, figures, noted)
    trace_notes = attempted(lambda: notes.notes(store, tables))[0] or {}
    of_verdict = partial(queried.whole, queries_for(store.family))
    first, why = attempted(
        lambda: (
            summarized(of_verdict(), store.manifest)
            if store.family.answers("accesses")
            else first_look(queried.results[STATISTIC])
        )
    )
    doubts = attempted(lambda: unseen(Facts.of(of_verdict())))[0] or ()
    problems, why_no_problem = attempted(lambda: _problem(store, queried, tables, doubts))
    failed = [f"The verdict could not be computed: {each}." for each in (why_no_problem, why) if each]
    doubtful = cautions(store.manifest)
    first_sentences = (*doubtful, *failed[:1], *(problems or ()), *which_size[: caches.IN_VERDICT])
    return Evidence(
        tables,
        (
            *first_sentences,
            *(text for text in (first.verdict if first else ()) if text not in (*doubts, *doubtful)),
        ),
        first.numbers if first else queries.table_schema("summary").empty_table(),
        _joined(trace_notes, noted),
        queried.advice,
        queried.why_no_advice,
        screen,
        {name: queried.results[name] for name in OVER_TIME if name in queried.results},
        lru,
        attempted(lambda: Known(of_verdict(), None).moved_bytes)[0],
        bool(doubts),
    )


def _which_size(store: Store, memo: RunMemo | None, parts: SectionResults, progress: Progress) -> list[str]:
    """Return the sentences on the size of a cache."""
    if store.family.has_objects:
        from iotrace.reports.report import object_caches

        return (
            object_caches.sentences(parts.tables["object_shares"]) if "object_shares" in parts.tables else []
        )
    return [] if memo is None else attempted(lambda: caches.which_size(memo, progress))[0] or []


def _lru(
    store: Store,
    memo: RunMemo | None,
    refused: Mapping[Budget, str],
    objects: ObjectCurves,
    reads: PageReads | None,
) -> Cache:
    """Return the answer on LRU caches, or why they are not simulated."""
    if store.family.has_objects:
        return cache_of_objects(store, objects)
    why_not = refused.get(Budget.CURVE, "").removeprefix(block_budget.REFUSED)
    return cache_of_blocks(store, memo, why_not, reads)


def _screen(
    store: Store,
    queried: QueryResults,
    lru: Cache | None,
    why_no_lru: str | None,
    reads: PageReads | None,
    with_caches: bool,
) -> FirstScreen:
    """Return the answers of the first screen, or why there are none."""

    def answer() -> FirstScreen:
        cache = None
        if with_caches:
            of_memory, why = attempted(lambda: cache_of_memory(store, reads))
            cache = of_memory or (None if why else lru) or cache_of_blocks(store, None, why or why_no_lru)
        results = queried.whole(queries_of(store))
        return composed(store, results, queried.advice, queried.why_no_advice, cache)

    screen, why = attempted(answer)
    return screen or unanswered(store, why or "")


def _fits_at_once(store: Store) -> bool:
    """Whether statistics and simulations may take memory at the same time."""
    return memory.limit_bytes() is None and store.manifest["counts"]["references"] <= MOST_AT_ONCE


def _produce(sources: Sources, figures: Sequence[Figure], parts: SectionResults) -> None:
    """Make the tables of figures that are made from the store."""
    for producer, needing in figures_by_producer(figures, OF_STORE):
        parts.add(needing, partial(producer.make, sources, needing))


def _table(figure: Figure, queried: QueryResults, parts: SectionResults) -> pa.Table:
    return queried.results[figure.query] if figure.query else parts.table(figure, figure.table or figure.id)


def _cut(table: pa.Table) -> str:
    return f"The first {MOST_ROWS:,} of {len(table):,} rows."


def _joined(texts: Mapping[str, str], noted: Mapping[str, Note]) -> dict[str, Note]:
    """Return the notes of figures; those that are made for a simulation follow what else there is to say."""
    joined = {name: Note(text) for name, text in texts.items()} | dict(noted)
    for name in texts.keys() & noted.keys():
        if not noted[name].is_not_computed:
            joined[name] = Note(f"{texts[name]} {noted[name].text}")
    return joined


def _problem(
    store: Store, queried: QueryResults, tables: Mapping[str, pa.Table], doubts: Sequence[str]
) -> list[str]:
    """Return the first sentences: the problem, what is not measured, and what tracing adds to calls that are short."""
    call, file = (_leader(tables.get(f"time_by_{name}"), name) for name in ("call", "file"))
    added = lengthened(store.manifest) if is_short(call) else None
    split = _split(tables)
    is_judged = queried.why_no_advice is None and asked_of(store)
    named = problem(queried.advice, split, call, file) if is_judged else []
    pause = attempted(lambda: _pause(store, split))[0] if split else None
    return [*named, *filter(None, [pause]), *doubts, *filter(None, [added])]


def _pause(store: Store, split: Mapping[str, int]) -> str | None:
    with store.queried() as connection:
        return paused(connection, split)


def numbers(evidence: Evidence, is_text: bool) -> dict[str, pa.Table]:
    """Return the numbers of every figure, by its id, and the advice; as text where lists cannot be written."""
    return {**evidence.tables, "advice": table(evidence.advice.cards, is_text)}


def _split(tables: Mapping[str, pa.Table]) -> dict[str, int]:
    """Return the clock's time by state; nothing where the trace does not record it."""
    rows = tables["wall_time"].to_pylist() if "wall_time" in tables else []
    return {row["state"]: row["wall_ns"] for row in rows if row["scope"] == "clock"}


def _leader(table: pa.Table | None, name: str) -> Leader | None:
    """Return the first row of a table of times, which has most of them, if it is of storage calls."""
    rows = table.slice(0, 1).to_pylist() if table is not None else []
    return next(
        (
            (row[name], row["timed"], row["total_s"] if row["net_s"] is None else row["net_s"])
            for row in rows
            if row["class"] == "storage"
        ),
        None,
    )
