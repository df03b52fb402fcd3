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
from iotrace.reports.report.asked import Asked, ask
from iotrace.reports.report.attempts import Attempts, attempted
from iotrace.reports.report.figures import PAPER

from iotrace import queries
from iotrace.analysis.advice import Advice
from iotrace.analysis.advice.table import table
from iotrace.analysis.advice.words import headline
from iotrace.analysis.block_budget import Budget
from iotrace.analysis.lines.runs import RunMemo
from iotrace.analysis.summary import summarized
from iotrace.analysis.times import largest_state
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.store.store import Store

ENOUGH = ("working_sets", "enough")
"""The figures of how much cache is enough, of calls and of others."""

PARAMETERS: Mapping[str, str | int] = {"top": 15}
"""What the statistics of a report are asked with, other than the defaults."""

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

    Statistics are binned in SQL and curves thinned, so that the amount does not grow with the trace. What cannot be
    made is without rows, and its figures' notes say why.
    """
    progress("characterizing")
    asked = ask(store, figures, PARAMETERS, progress)
    refused = attempted(lambda: block_budget.refused(store))[0] or {}
    made = Attempts()
    made.add(lambda figure: figure.table in ("reliability", "skipped"), lambda: reliability.tables(store))
    memo = None if Budget.CURVE in refused else caches.memo_of(store.warmed or store)
    _simulate(store, figures, made, refused, memo, progress)
    which_size = [] if memo is None else attempted(lambda: caches.which_size(memo, progress))[0] or []
    tables = {figure.id: _table(figure, asked, made) for figure in figures}
    said = asked.notes(figures) | made.notes | made.failures(figures)
    said |= block_budget.notes(figures, refused)
    said = notes.with_text(said, [figure for figure in figures if figure.id in ENOUGH], " ".join(which_size))
    said = notes.with_cold_caches(store, figures, said)
    said = notes.with_tracing(store, figures, said)
    usual = attempted(lambda: notes.notes(store, tables))[0] or {}
    first = attempted(lambda: summarized(asked.results, store.manifest))[0]
    sentences = (*_headline(asked), *_time(tables.get("wall_time")), *which_size[: caches.IN_VERDICT])
    return Evidence(
        tables,
        (*sentences, *(first.verdict if first else ())),
        first.numbers if first else queries.table_schema("summary").empty_table(),
        _joined(usual, said),
        asked.advice,
    )


def _simulate(
    store: Store,
    figures: Sequence[Figure],
    made: Attempts,
    refused: Mapping[Budget, str],
    caches_of_store: RunMemo | None,
    progress: Progress,
) -> None:
    """Make the tables of what is simulated, and of curves."""
    cached = store.warmed or store
    shown = {figure.table for figure in figures if figure.table}
    lines = [figure for figure in figures if figure.lines]
    if store.family == "syscall":
        memo = PassMemo(store)
        counted = None if Budget.ATTRIBUTE in refused else memo
        made.add(lambda figure: figure.section == "attribute", lambda: attribute.tables(counted, progress))
        if any(figure.section == PAPER for figure in figures):
            progress("comparing with the paper")
            made.add(lambda figure: figure.section == PAPER, lambda: paper.tables(memo))
    if "shared_files" in shown:
        progress("naming the patterns of shared files")
        made.add(
            lambda figure: figure.table == "shared_files", lambda: {"shared_files": shared_files.table(store)}
        )
    if store.family == "disk_io":
        made.add_noted(
            lambda figure: figure.section == "write_cache", lambda: write_cache.tables(store, progress)
        )
    if not shown.isdisjoint(cluster.TABLES):
        made.add_noted(lambda figure: figure.table in cluster.TABLES, lambda: cluster.tables(store, progress))
    progress("simulating non-volatile memory")
    remembered = None if Budget.NONVOLATILE in refused else cached
    made.add_noted(lambda figure: figure.table == "crash", lambda: nonvolatile.tables(remembered))
    made.add(lambda figure: bool(figure.lines), lambda: caches.lines(caches_of_store, lines, progress))


def _table(figure: Figure, asked: Asked, made: Attempts) -> pa.Table:
    return asked.results[figure.query] if figure.query else made.table(figure, figure.table or figure.id)


def _joined(usual: Mapping[str, str], said: Mapping[str, Note]) -> dict[str, Note]:
    """Return the notes of figures; those that are made for a simulation follow what else there is to say."""
    joined = {name: Note(text) for name, text in usual.items()} | dict(said)
    for name in usual.keys() & said.keys():
        if not said[name].is_not_computed:
            joined[name] = Note(f"{usual[name]} {said[name].text}")
    return joined


def _headline(asked: Asked) -> list[str]:
    return [headline(asked.advice)] if asked.why_no_advice is None else []


def numbers(evidence: Evidence, is_text: bool) -> dict[str, pa.Table]:
    """Return the numbers of every figure, by its id, and the advice; as text where lists cannot be written."""
    return {**evidence.tables, "advice": table(evidence.advice.cards, is_text)}


def _time(wall: pa.Table | None) -> list[str]:
    """Return the sentence on the clock's time, where the trace records it."""
    rows = [row for row in wall.to_pylist() if row["scope"] == "clock"] if wall is not None else []
    return [largest_state({row["state"]: row["wall_ns"] for row in rows})] if rows else []
