"""Chapters 3 to 5 of the dissertation for one trace, and what chapter 5 says of several together."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from iotrace.analysis.curves.cache import Cache, Deletes
from iotrace.analysis.curves.device import DEVICE_1994
from iotrace.analysis.lines import runs
from iotrace.errors import IotraceError, UsageError
from iotrace.papers.options import Options
from iotrace.papers.richardson import attribute_figures, attribute_judging, cache_figures, cache_judging
from iotrace.papers.richardson.attribute_improvements import improvements
from iotrace.papers.richardson.characterization import compare_with_paper, draw
from iotrace.papers.richardson.paging import Disk, demand_paging
from iotrace.papers.richardson.steps import Steps
from iotrace.papers.richardson.workloads import Subject
from iotrace.simulate.attribute.best import Searches, assigned_spaces
from iotrace.simulate.attribute.comparison import comparison, regrets
from iotrace.simulate.attribute.outcome import assigned_rows, prepare
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.schemes import spaces, variable
from iotrace.store.store import Store

Tables = dict[str, pa.Table]
CHAPTERS = ("3", "4", "5")


@dataclass(frozen=True)
class ModelPair:
    """A trace by the dissertation's model of the file system, and by today's if that is compared too."""

    paper: Store
    today: Store | None = None
    like: str | None = None
    """The workload of the dissertation that the trace is like, if any."""

    def references(self, paper_alone: bool) -> int:
        """How many references both have, or the paper's alone."""
        stores = [self.paper, *([self.today] if self.today and not paper_alone else [])]
        return sum(int(store.manifest["tables"]["reference"]) for store in stores)


@dataclass(frozen=True)
class Partitions:
    """A trace's best partitions, and table 5.1 compared with them."""

    search: Searches
    table_5_1: pa.Table

    @classmethod
    def of(cls, name: str, memo: PassMemo) -> "Partitions":
        """Find them for a trace of that name."""
        search = Searches(memo, spaces())
        return cls(search, comparison(name, search, variable(), variable().printed_bytes))


@dataclass(frozen=True)
class Subcaches:
    """Results of a trace with which chapter 5 compares it with others."""

    paper: PassMemo
    today: PassMemo | None
    points: attribute_figures.Points
    partitions: Partitions | None
    """None where only figures are asked for."""


@dataclass(frozen=True)
class TraceChapters:
    """Results of the chapters for one trace: the tables of each, and what chapter 5 compares."""

    tables: Mapping[str, Tables]
    subcaches: Subcaches | None


def chapters_of(
    name: str,
    pair: ModelPair,
    options: Options,
    steps: Steps,
    chapters: Collection[str] = CHAPTERS,
    figures: Sequence[str] = (),
) -> TraceChapters:
    """Return chapters for a trace of that name, or only some figures of them."""
    tables, subcaches = {}, None
    if "3" in chapters:
        steps.at(f"{name}: chapter 3")
        tables["3"] = chapter_3(pair, options, steps, of_chapter("3", figures))
    if "4" in chapters:
        steps.at(f"{name}: chapter 4")
        tables["4"] = chapter_4(pair, options, steps, of_chapter("4", figures))
    if "5" in chapters:
        steps.at(f"{name}: chapter 5")
        tables["5"], subcaches = chapter_5(name, pair, options, steps, of_chapter("5", figures))
    with_name = {
        chapter: {key: named(name, table) for key, table in results.items()}
        for chapter, results in tables.items()
    }
    return TraceChapters(with_name, subcaches)


def of_chapter(chapter: str, figures: Sequence[str]) -> list[str]:
    """Return the figures of a chapter."""
    return [figure for figure in figures if figure.startswith(f"{chapter}.")]


def chapter_3(pair: ModelPair, options: Options, steps: Steps, figures: Sequence[str] = ()) -> Tables:
    """Return the figures of chapter 3, and unless only some are asked for its tables, and the findings of no curve."""
    tables = compared(pair, {"file_size": options.file_size, "runs": options.runs}, figures)
    steps.read(pair.references(bool(figures)))
    keys = {"chapter_3": "paper_tables", "chapter_3_figures": "paper_figures", "findings": "paper_findings"}
    return {name: tables[key] for name, key in keys.items() if key in tables}


def compared(pair: ModelPair, parameters: Mapping[str, str | int], figures: Sequence[str] = ()) -> Tables:
    """Return a trace's `compare_with_paper` with all figures, or some figures alone.

    Raises IotraceError for what DuckDB cannot do (a full disk, say).
    """
    with ExitStack() as stack:
        stores = [store for store in (pair.paper, None if figures else pair.today) if store is not None]
        first, *second = (stack.enter_context(closing(store.sandboxed(views=[]))) for store in stores)
        try:
            if figures:
                return {"paper_figures": draw(first, parameters, figures)}
            today = second[0] if second else None
            return compare_with_paper(
                first, parameters, today, Subject.of(pair.paper, pair.like), is_drawn=True
            )
        except duckdb.Error as error:
            raise IotraceError(f"{pair.paper.path}: {str(error).splitlines()[0]}") from None


def chapter_4(pair: ModelPair, options: Options, steps: Steps, figures: Sequence[str] = ()) -> Tables:
    """Return the figures of chapter 4, and unless only some `figures` are asked for equation 4.2 and the findings."""
    memo = runs.RunMemo(pair.paper, options.deletes, read=steps.read)
    memo.prepare([*cache_figures.needed(figures), *([] if figures else cache_judging.needed())])
    drawn = {"chapter_4_figures": cache_figures.figure_tables(memo, list(figures))}
    if figures:
        return drawn
    today = runs.RunMemo(pair.today, "honour", read=steps.read) if pair.today else None
    return drawn | {
        "chapter_4_demand_paging": demand_paging(pair.paper, disk_of(options)),
        "findings": cache_judging.judge(memo, today, pair.like),
    }


def disk_of(options: Options) -> Disk:
    """Return the disk of equation 4.2; raises UsageError for one that there cannot be."""
    if options.transfer_ms_per_kb <= 0:
        raise UsageError("--transfer: is above 0")
    return Disk(options.overhead_ms, 1 / options.transfer_ms_per_kb, options.page_bytes)


def chapter_5(
    name: str, pair: ModelPair, options: Options, steps: Steps, figures: Sequence[str] = ()
) -> tuple[Tables, Subcaches]:
    """Return the findings of chapter 5, unless only some `figures` are asked for, and what traces are compared by.

    The paper's caches keep deleted files' blocks; today's drop them.
    """
    memo = _memo(name, pair.paper, options.deletes, steps)
    _prepare(memo, figures)
    points = attribute_figures.points(memo, figures)
    if figures:
        return {}, Subcaches(memo, None, points, None)
    today = None if pair.today is None else _memo(name, pair.today, "honour", steps)
    judged = attribute_judging.judge(memo, today, pair.like, keep_uncached=options.keep_uncached)
    return {"findings": judged}, Subcaches(memo, today, points, Partitions.of(name, memo))


def chapter_5_together(
    subcaches: Mapping[str, Subcaches], options: Options, figures: Sequence[str]
) -> Tables:
    """Return chapter 5 of all traces but its findings: figures, improvements by region, table 5.1 and the best."""
    points = {name: chapter.points for name, chapter in subcaches.items()}
    drawn = {"chapter_5_figures": attribute_figures.figure_table(points, figures)}
    by_trace = {
        name: chapter.partitions for name, chapter in subcaches.items() if chapter.partitions is not None
    }
    if not by_trace:
        return drawn
    memos = {name: chapter.paper for name, chapter in subcaches.items()}
    today = {name: chapter.today for name, chapter in subcaches.items() if chapter.today is not None}
    return drawn | {
        "chapter_5_improvements": improvements(
            memos,
            today if len(today) == len(memos) else None,
            options.regions,
            keep_uncached=options.keep_uncached,
        ),
        "chapter_5_table_5_1": pa.concat_tables([chapter.table_5_1 for chapter in by_trace.values()]),
        "chapter_5_least_regret": regrets(
            list(by_trace),
            [chapter.search for chapter in by_trace.values()],
            variable(),
            variable().printed_bytes,
        ),
    }


def _prepare(memo: PassMemo, figures: Sequence[str]) -> None:
    """Make all passes of chapter 5, or of some figures, in one reading of the references."""
    schemes = list(attribute_figures.needed(figures))
    if figures:
        prepare(memo, schemes)
        return
    schemes += attribute_judging.needed()
    rows = [assigned for scheme in schemes for assigned in assigned_rows(memo, scheme)]
    memo.prepare([*rows, *assigned_spaces(memo, spaces())])


def _memo(name: str, store: Store, deletes: Deletes, steps: Steps) -> PassMemo:
    """Return a memo of passes over a store, with the dissertation's disk."""
    disk = DEVICE_1994
    cache = Cache(deletes=deletes, overhead_ms=disk.overhead_ms, transfer_ms_per_kb=disk.transfer_ms_per_kb)
    return PassMemo(store, cache=cache, progress=steps.of_passes(f"{name}: chapter 5"))


def named(name: str, table: pa.Table) -> pa.Table:
    """Return a table with the trace's name in front."""
    field = pa.field("trace", pa.string(), False, {"unit": "name", "description": "The trace."})
    return table.add_column(0, field, pa.array([name] * table.num_rows, pa.string()))
