"""All data of the figures of one store: statistics, caches, and what the manifest says of its reliability."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from iotrace.reports.pages.figures import Figure, Note
from iotrace.reports.report import (
    attribute,
    block_budget,
    caches,
    cluster,
    nonvolatile,
    notes,
    paper,
    reliability,
    shared_files,
    write_cache,
)
from iotrace.reports.report.figures import PAPER

from iotrace import units
from iotrace.analysis.advice import Advice, advise
from iotrace.analysis.advice.table import table
from iotrace.analysis.advice.words import headline
from iotrace.analysis.block_budget import Budget
from iotrace.analysis.facts import QUERIES
from iotrace.analysis.overview import statistics
from iotrace.analysis.summary import summarized
from iotrace.analysis.times import largest_state
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.store.store import Store

PARAMETERS: Mapping[str, str | int] = {"top": 15}
"""What the statistics of a report are asked with, other than the defaults."""

ENOUGH = ("working_sets", "enough")
"""The figures of how much cache is enough, of calls and of others."""

Progress = Callable[[str], None]
"""Called with a short description of the current step."""


@dataclass(frozen=True)
class Evidence:
    """The numbers of a report: `tables` holds one table per figure, by its id."""

    tables: Mapping[str, pa.Table]
    verdict: tuple[str, ...]
    numbers: pa.Table
    notes: Mapping[str, Note]
    """What holds for a figure on this trace alone, by its id."""
    advice: Advice


def collect(store: Store, figures: Sequence[Figure], progress: Progress = lambda doing: None) -> Evidence:
    """Return the numbers that the figures show.

    Statistics are binned in SQL and curves thinned, so that the amount does not grow with the trace.
    """
    progress("characterizing")
    cached = store.warmed or store
    wanted = [*QUERIES, *(figure.query for figure in figures if figure.query)]
    left_out: dict[str, str] = {}
    results = statistics(store, wanted, PARAMETERS, left_out)
    made = reliability.tables(store)
    tables = {figure.id: results[figure.query] for figure in figures if figure.query}
    refused = block_budget.refused(store)
    if store.family == "syscall":
        memo = PassMemo(store)
        made |= attribute.tables(None if Budget.ATTRIBUTE in refused else memo, progress)
        if any(figure.section == PAPER for figure in figures):
            progress("comparing with the paper")
            made |= paper.tables(memo)
    if any(figure.table == "shared_files" for figure in figures):
        progress("naming the patterns of shared files")
        made["shared_files"] = shared_files.table(store)
    said = {
        figure.id: Note(f"Left out: {left_out[figure.query]}.", is_not_computed=True)
        for figure in figures
        if figure.query and figure.query in left_out
    }
    if store.family == "disk_io":
        simulated, more = write_cache.tables(store, progress)
        made, said = made | simulated, said | more
    if any(figure.table in cluster.TABLES for figure in figures):
        simulated, more = cluster.tables(store, progress)
        made, said = made | simulated, said | more
    progress("simulating non-volatile memory")
    made["crash"] = nonvolatile.table(None if Budget.NONVOLATILE in refused else cached)
    tables |= {figure.id: made[figure.table] for figure in figures if figure.table}
    lines = [figure for figure in figures if figure.lines]
    tables |= caches.lines(None if Budget.CURVE in refused else cached, lines, progress)
    said |= block_budget.notes(figures, refused)
    said = notes.with_cold_caches(store, figures, said)
    ordered = {figure.id: tables[figure.id] for figure in figures}
    noted = {name: Note(text) for name, text in notes.notes(store, ordered).items()} | said
    first = summarized(results, store.manifest)
    progress("looking for what to change")
    found = advise(store)
    sentences = (headline(found), *_time(tables.get("wall_time")), *_cache(tables), *first.verdict)
    return Evidence(ordered, sentences, first.numbers, noted, found)


def _cache(tables: Mapping[str, pa.Table]) -> list[str]:
    """Return the sentence on the sizes of a cache that have half, 90 % and 99 % of the hits; none without hits."""
    rows = [
        row for name in ENOUGH if name in tables for row in tables[name].to_pylist() if row["cache"] == "data"
    ]
    sizes = [
        [units.size(row[f"size_for_{percent}_percent_bytes"]) for percent in caches.CAPTURED_PERCENT]
        for row in rows
    ]
    return [
        f"A cache of {half} for data has half of the hits that any size gives, {most} has 90 %, {nearly} has 99 %."
        for half, most, nearly in sizes
    ]


def numbers(evidence: Evidence, is_text: bool) -> dict[str, pa.Table]:
    """Return the numbers of every figure, by its id, and the advice; as text where lists cannot be written."""
    return {**evidence.tables, "advice": table(evidence.advice.cards, is_text)}


def _time(wall: pa.Table | None) -> list[str]:
    """Return the sentence on the clock's time, where the trace records it."""
    rows = [row for row in wall.to_pylist() if row["scope"] == "clock"] if wall is not None else []
    return [largest_state({row["state"]: row["wall_ns"] for row in rows})] if rows else []
