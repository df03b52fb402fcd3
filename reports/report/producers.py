"""Which module makes the tables of figures that are not results of queries, by the name that figures.toml gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa
from iotrace.reports.pages.figures import Figure, Note
from iotrace.reports.report import caches, reliability, spent
from iotrace.reports.report.progress import Progress

from iotrace.analysis.answers.cache import ObjectCurves
from iotrace.analysis.answers.memory import PageReads
from iotrace.analysis.block_budget import Budget
from iotrace.analysis.lines.runs import RunMemo
from iotrace.store.store import Store

if TYPE_CHECKING:
    from iotrace.simulate.attribute.passes import PassMemo

AnyProducer = TypeVar("AnyProducer")
TablesAndNotes = tuple[Mapping[str, pa.Table], Mapping[str, Note]]


@dataclass(frozen=True)
class Sources:
    """All that tables are made of."""

    store: Store
    refused: Mapping[Budget, str]
    """Why simulations cannot run, by their budgets."""
    curves: RunMemo | None
    objects: ObjectCurves
    page_reads: PageReads | None
    """Of a trace of system calls."""
    progress: Progress

    @property
    def warmed(self) -> Store:
        """The store with the requests before it, which warm caches, if it is a part of a trace."""
        return self.store.warmed or self.store

    @cached_property
    def attribute_passes(self) -> PassMemo:
        """The passes of attribute caches, which several producers share."""
        from iotrace.simulate.attribute.passes import PassMemo

        return PassMemo(self.store)


@dataclass(frozen=True)
class Producer:
    """How the tables of some figures are made."""

    make: Callable[[Sources, Sequence[Figure]], TablesAndNotes]
    """Returns the tables by name, and notes by figure."""
    budget: Budget | None = None
    """The budget of blocks without which it makes tables without rows."""
    starts_empty: bool = False
    """Whether its caches are empty when a part of a trace begins."""


@dataclass(frozen=True)
class QueryProducer:
    """How tables are made of the results of queries."""

    queries: Sequence[str]
    make: Callable[[Mapping[str, pa.Table]], TablesAndNotes]


# Simulators are imported by those that use them, while the statistics are computed.


def _reliability(sources: Sources, figures: Sequence[Figure]) -> TablesAndNotes:
    return reliability.tables(sources.store), {}


def _caches(sources: Sources, figures: Sequence[Figure]) -> TablesAndNotes:
    left_out: dict[str, str] = {}
    tables = caches.lines(sources.curves, figures, sources.progress, left_out)
    notes = {}
    for id_, why in left_out.items():
        is_empty = not tables[id_].num_rows
        notes[id_] = Note(f"Not simulated: {why}.", is_not_computed=is_empty, is_failure=is_empty)
    return tables, notes


def _attribute(sources: Sources, figures: Sequence[Figure]) -> TablesAndNotes:
    from iotrace.reports.report import attribute

    passes = None if Budget.ATTRIBUTE in sources.refused else sources.attribute_passes
    return attribute.tables(passes, sources.progress), {}


def _paper(sources: Sources, figures: Sequence[Figure]) -> TablesAndNotes:
    from iotrace.reports.report import paper

    sources.progress("comparing with the paper")
    return paper.tables(sources.attribute_passes), {}


def _object_caches(sources: Sources, figures: Sequence[Figure]) -> TablesAndNotes:
    from iotrace.reports.report import object_caches

    return object_caches.tables(sources.warmed, sources.progress, sources.objects)


def _page_cache(sources: Sources, figures: Sequence[Figure]) -> TablesAndNotes:
    from iotrace.reports.report import page_cache

    reads = sources.page_reads or PageReads(sources.store)
    return page_cache.tables(reads, sources.progress)


def _shared_files(sources: Sources, figures: Sequence[Figure]) -> TablesAndNotes:
    from iotrace.reports.report import shared_files

    sources.progress("naming the patterns of shared files")
    table = shared_files.table(sources.store)
    pa.default_memory_pool().release_unused()  # simulations allocate elsewhere
    return {"shared_files": table}, {}


def _rhythm(sources: Sources, figures: Sequence[Figure]) -> TablesAndNotes:
    from iotrace.analysis import periodicity

    sources.progress("looking for a rhythm")
    return {"rhythm": periodicity.table(sources.store)}, {}


def _write_cache(sources: Sources, figures: Sequence[Figure]) -> TablesAndNotes:
    from iotrace.reports.report import write_cache

    return write_cache.tables(sources.store, sources.progress)


def _cluster(sources: Sources, figures: Sequence[Figure]) -> TablesAndNotes:
    from iotrace.reports.report import cluster

    return cluster.tables(sources.store, sources.progress)


def _nonvolatile(sources: Sources, figures: Sequence[Figure]) -> TablesAndNotes:
    from iotrace.reports.report import nonvolatile

    sources.progress("simulating non-volatile memory")
    return nonvolatile.tables(None if Budget.NONVOLATILE in sources.refused else sources.warmed)


def _spent(results: Mapping[str, pa.Table]) -> TablesAndNotes:
    return spent.tables(results), {}


OF_STORE = {
    "reliability": Producer(_reliability),
    "caches": Producer(_caches, Budget.CURVE),
    "attribute": Producer(_attribute, Budget.ATTRIBUTE, starts_empty=True),
    "paper": Producer(_paper),
    "page_cache": Producer(_page_cache, starts_empty=True),
    "object_caches": Producer(_object_caches),
    "shared_files": Producer(_shared_files),
    "rhythm": Producer(_rhythm, starts_empty=True),
    "write_cache": Producer(_write_cache, starts_empty=True),
    "cluster": Producer(_cluster, starts_empty=True),
    "nonvolatile": Producer(_nonvolatile, Budget.NONVOLATILE),
}
"""Producers from the store, in the order in which they run, at the same time as the queries."""

OF_RESULTS = {"spent": QueryProducer(spent.QUERIES, _spent)}


def producer_of(figure: Figure) -> Producer | None:
    """Return what makes the table of a figure from the store."""
    return OF_STORE.get(figure.producer or "")


def figures_by_producer(
    figures: Sequence[Figure], producers: Mapping[str, AnyProducer]
) -> Iterator[tuple[AnyProducer, list[Figure]]]:
    """Yield the producers that figures need, in their order, each with its figures."""
    for name, producer in producers.items():
        if needing := [figure for figure in figures if figure.producer == name]:
            yield producer, needing
