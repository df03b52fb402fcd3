"""Queries of a report: statistics and advice, on one connection, so that views are computed once."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import duckdb
import pyarrow as pa
from iotrace.reports.pages.attempted import Failure, attempted
from iotrace.reports.pages.figures import Figure, Note
from iotrace.reports.report import kept_partitions
from iotrace.reports.report.opening import OVER_TIME
from iotrace.reports.report.producers import OF_RESULTS, figures_by_producer
from iotrace.reports.report.progress import Progress, silent

from iotrace import queries, units
from iotrace.analysis import kept_statistics
from iotrace.analysis.advice import Advice, Whole
from iotrace.analysis.advice.ask import advise, answered, asked_of, needs
from iotrace.analysis.answers.ask import queries_of
from iotrace.analysis.characterize import (
    characterize_store,
    prepared,
    refuse_without,
    result,
    short_of_memory,
)
from iotrace.analysis.facts import queries_for
from iotrace.files import memory
from iotrace.store.store import Store


@dataclass(frozen=True)
class QueryResults:
    """Results of queries on a store, and advice."""

    results: Mapping[str, pa.Table]
    """By statistic; without rows where it could not be computed."""
    left_out: Mapping[str, str]
    """Why statistics could not be computed."""
    short: Mapping[str, str]
    """The same for those that need more memory."""
    advice: Advice
    why_no_advice: str | None
    """Why the rules could not be asked, if they could not."""

    def whole(self, names: Iterable[str]) -> Mapping[str, pa.Table]:
        """Return the results; raises MemoryLimitError where one of these is left out for want of memory."""
        refuse_without(names, self.short)
        return self.results

    def notes(self, figures: Sequence[Figure]) -> dict[str, Note]:
        """Return the reason of each figure whose statistic could not be computed, by its id."""
        return {
            figure.id: Note(
                f"Left out: {why}.",
                is_not_computed=True,
                is_failure=isinstance(why, Failure),
                needs_memory=figure.query in self.short,
            )
            for figure in figures
            if figure.query is not None and (why := self.left_out.get(figure.query)) is not None
        }


def ask(
    store: Store,
    figures: Sequence[Figure],
    parameters: Mapping[str, str | int],
    progress: Progress = silent,
) -> QueryResults:
    """Ask a store for the statistics of figures, those of the verdict, and advice."""
    of_tables = [
        name for producer, _ in figures_by_producer(figures, OF_RESULTS) for name in producer.queries
    ]
    drawn = [name for name in OVER_TIME if queries.query(name).is_of(store.family.name)]
    of_figures = [figure.query for figure in figures if figure.query]
    names = list(
        dict.fromkeys([*queries_for(store.family), *queries_of(store), *of_tables, *drawn, *of_figures])
    )
    left_out: dict[str, str] = {}
    none = Advice((), 0, Whole(None, 0))
    if store.kept is not None:
        results = kept_statistics.statistics(store, names, parameters, left_out)
        short = short_of_memory(store, left_out)
        return QueryResults(results, left_out | short, short, none, kept_partitions.WHY_NO_ADVICE)
    read = _Reading(store.manifest["counts"]["references"], progress)
    if memory.limit_bytes() is not None:  # advice has a connection without what statistics keep
        results = characterize_store(store, names, parameters, left_out, read=read.add)
        short = short_of_memory(store, left_out)
        progress("looking for what to change")
        advice, why = attempted(lambda: advise(store))
        return QueryResults(results, left_out | short, short, advice or none, why)
    below = [*names, *needs(store)]
    with (
        store.queried() as connection,
        prepared(connection, below, parameters, left_out, read=read.add),
    ):
        progress("computing statistics")
        results = {name: _result(connection, name, left_out) for name in names}
        progress("looking for what to change")
        advice, why = attempted(lambda: answered(connection, store, asked_of(store)))
    return QueryResults(results, left_out, {}, advice or none, why)


@dataclass
class _Reading:
    """Says how much of the references has been read, and how fast."""

    references: int
    progress: Progress
    read: int = 0
    began_s: float = field(default_factory=time.monotonic)

    def add(self, rows: int) -> None:
        before, self.read = self.read, self.read + rows
        if 100 * before // max(self.references, 1) != 100 * self.read // max(self.references, 1):
            rate = self.read / max(time.monotonic() - self.began_s, 1e-9)
            part = min(1.0, self.read / self.references)
            self.progress("characterizing", part, f"{units.count(round(rate))} references/s")


def _result(connection: duckdb.DuckDBPyConnection, name: str, left_out: dict[str, str]) -> pa.Table:
    table, why = attempted(lambda: result(connection, name))
    if why is not None:
        left_out[name] = why
    return queries.query(name).schema.empty_table() if table is None else table
