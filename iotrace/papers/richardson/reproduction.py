"""``iotrace paper richardson``: traces of system calls compared with the dissertation, chapter by chapter."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import duckdb
import pyarrow as pa

from iotrace.analysis.curves.cache import Cache, Deletes
from iotrace.analysis.curves.device import DEVICE_1994
from iotrace.analysis.lines import runs
from iotrace.errors import IotraceError, UsageError
from iotrace.papers.findings.tally import for_a_terminal
from iotrace.papers.options import Options
from iotrace.papers.reproduction import PaperRequest, PaperResult, Part, Progress, Work, silent
from iotrace.papers.richardson import (
    attribute_figures,
    attribute_judging,
    cache_figures,
    cache_judging,
    characterization_figures,
    judging,
    page,
    printed,
)
from iotrace.papers.richardson.attribute_improvements import improvements
from iotrace.papers.richardson.characterization import compare_with_paper, draw
from iotrace.papers.richardson.paging import Disk, demand_paging
from iotrace.papers.richardson.steps import Steps
from iotrace.papers.richardson.workloads import Subject, workload
from iotrace.simulate.attribute.best import Searches, assigned_spaces
from iotrace.simulate.attribute.comparison import comparison, regrets
from iotrace.simulate.attribute.outcome import assigned_rows, prepare
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.schemes import spaces, variable
from iotrace.store.store import Store

Tables = dict[str, pa.Table]
CHAPTERS = ("3", "4", "5")
OF_CHAPTERS = {
    "3": {"file_size", "runs"},
    "4": {"deletes", "page_bytes", "overhead_ms", "transfer_ms_per_kb"},
    "5": {"deletes", "regions", "keep_uncached"},
}
"""What only some chapters ask."""


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


Traces = Mapping[str, ModelPair]


def reproduce(request: PaperRequest) -> Work:
    """Open each trace by the dissertation's model and by today's, or by a model given."""
    options = request.options
    ids = _figures(options)
    chapters = {id_[0] for id_ in ids} or ({options.chapter} if options.chapter else set(CHAPTERS))
    _refuse_options(options, chapters, bool(ids))
    if ids and options.keep_uncached:
        request.warn("--keep-uncached: figures show 32 KB in any case; it is for the means of regions")
    _disk(options)
    if request.part is Part.FINDINGS and ids:
        raise UsageError("--figure does not go with --findings")
    likes = _likes(options.like, len(request.traces))
    traces = {
        name: replace(opened(request, trace), like=like)
        for (name, trace), like in zip(request.traces.items(), likes, strict=True)
    }
    for name, pair in traces.items():
        if pair.paper.family != "syscall":
            raise IotraceError(f"{name}: is a block trace; the dissertation is about system calls")
    return partial(_made, traces, chapters, ids, request)


def opened(request: PaperRequest, trace: Path) -> ModelPair:
    """Open a trace by the dissertation's model with today's; by the model given alone, or where only that can be."""
    today = request.open(trace, request.model)
    if request.model or today.family != "syscall":
        return ModelPair(today)
    try:
        return ModelPair(request.open(trace, ["1994"]), today)
    except IotraceError as error:
        request.warn(f"not by the paper's model of the file system: {error}")
        return ModelPair(today)


def _likes(words: str | None, traces: int) -> list[str | None]:
    """Return which workload each trace is like, by --as."""
    if words is None:
        return [None] * traces
    names = [word.strip().lower() for word in words.split(",")]
    if len(names) != traces:
        said = f"{len(names)} name{'s' * (len(names) > 1)} for {traces} trace{'s' * (traces > 1)}"
        raise UsageError(f"--as: {said}; give one for each, or none")
    return [workload(name) for name in names]


def _figures(options: Options) -> list[str]:
    ids = [word.strip() for word in (options.figure or "").split(",") if word.strip()]
    known = [
        *characterization_figures.figures(), *cache_figures.figures(), *attribute_figures.figures(),
    ]  # fmt: skip
    if unknown := [id_ for id_ in ids if id_ not in known]:
        raise UsageError(f"no figure {', '.join(unknown)} shows a measurement; {', '.join(known)} do")
    if options.chapter and any(not id_.startswith(f"{options.chapter}.") for id_ in ids):
        raise UsageError(f"--figure {options.figure} is not of --chapter {options.chapter}")
    return ids


def _refuse_options(options: Options, chapters: Collection[str], only_figures: bool) -> None:
    """Raise UsageError for an option that changes nothing in the chapters or figures asked for."""
    of_figures = (
        {"deletes", "file_size", "runs", "keep_uncached"}
        if only_figures
        else set[str]().union(*OF_CHAPTERS.values())
    )
    for name in sorted(options.changed & set[str]().union(*OF_CHAPTERS.values())):
        of = [chapter for chapter, own in OF_CHAPTERS.items() if name in own]
        if name not in of_figures or not set(of) & set(chapters):
            word = {"page_bytes": "page", "overhead_ms": "overhead", "transfer_ms_per_kb": "transfer"}
            where = f"chapter {' and '.join(of)}" + (
                ", not for its figures" if name not in of_figures else ""
            )
            raise UsageError(f"--{word.get(name, name.replace('_', '-'))} is for {where}")


def _made(
    traces: Traces, chapters: Collection[str], ids: Sequence[str], request: PaperRequest, progress: Progress
) -> PaperResult:
    tables = all_tables(traces, request.options, progress, chapters, ids)
    if request.part is Part.PAGE:
        progress("writing the page")
        return PaperResult(tables, page.write(tables, list(traces), request.options.keep_uncached))
    if "findings" not in tables:
        return PaperResult(tables)
    findings = tables["findings"]
    if request.part is Part.FINDINGS:
        tables = {"findings": findings}
    if not request.to_read:
        return PaperResult(tables)
    del tables["findings"]
    return PaperResult(for_a_terminal(findings) | tables, "", judging.tally(findings))


def all_tables(
    traces: Traces,
    options: Options | None = None,
    progress: Progress = silent,
    chapters: Collection[str] = CHAPTERS,
    figures: Sequence[str] = (),
) -> Tables:
    """Return chapters for traces, or only these figures of them: what a page shows and what the CSV files hold."""
    options = options or Options()
    steps = Steps(progress, len(chapters) * sum(pair.references(bool(figures)) for pair in traces.values()))
    tables: Tables = {}
    for chapter, make in (("3", chapter_3), ("4", chapter_4), ("5", chapter_5)):
        if chapter in chapters:
            made = make(
                traces, options, steps, [figure for figure in figures if figure.startswith(f"{chapter}.")]
            )
            judged = [part.pop("findings") for part in (tables, made) if "findings" in part]
            drawn = dict.fromkeys(made[f"chapter_{chapter}_figures"]["figure"].to_pylist())
            tables |= made | {f"chapter_{chapter}_printed": printed.table(drawn)}
            if judged:
                tables["findings"] = pa.concat_tables(judged)
    return tables


def chapter_3(traces: Traces, options: Options, steps: Steps, figures: Sequence[str] = ()) -> Tables:
    """Return the figures of chapter 3, and unless only some are asked for its tables, and the findings of no curve."""
    parts: dict[str, list[pa.Table]] = {}
    parameters = {"file_size": options.file_size, "runs": options.runs}
    for name, pair in traces.items():
        steps.at(f"{name}: chapter 3")
        tables = compared(pair, parameters, figures)
        steps.read(pair.references(bool(figures)))
        for key, table in tables.items():
            parts.setdefault(key, []).append(named(name, table))
    keys = {"chapter_3": "paper_tables", "chapter_3_figures": "paper_figures", "findings": "paper_findings"}
    return {name: pa.concat_tables(parts[key]) for name, key in keys.items() if key in parts}


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


def chapter_4(traces: Traces, options: Options, steps: Steps, figures: Sequence[str] = ()) -> Tables:
    """Return the figures of chapter 4, and unless only some `figures` are asked for equation 4.2 and the findings."""
    curves, paging, judged = [], [], []
    for name, pair in traces.items():
        steps.at(f"{name}: chapter 4")
        memo = runs.RunMemo(pair.paper, options.deletes, read=steps.read)
        memo.prepare([*cache_figures.needed(figures), *([] if figures else cache_judging.needed())])
        curves.append(named(name, cache_figures.figure_tables(memo, list(figures))))
        if not figures:
            paging.append(named(name, demand_paging(pair.paper, _disk(options))))
            today = runs.RunMemo(pair.today, "honour", read=steps.read) if pair.today else None
            judged.append(named(name, cache_judging.judge(memo, today, pair.like)))
    parts = {"chapter_4_figures": curves, "chapter_4_demand_paging": paging, "findings": judged}
    return {name: pa.concat_tables(tables) for name, tables in parts.items() if tables}


def _disk(options: Options) -> Disk:
    """Return the disk of equation 4.2; raises UsageError for one that there cannot be."""
    if options.transfer_ms_per_kb <= 0:
        raise UsageError("--transfer: is above 0")
    return Disk(options.overhead_ms, 1 / options.transfer_ms_per_kb, options.page_bytes)


def chapter_5(traces: Traces, options: Options, steps: Steps, figures: Sequence[str] = ()) -> Tables:
    """Return chapter 5: improvements by region, table 5.1 and the best partition, findings judged, figures.

    The paper's caches keep deleted files' blocks; today's drop them.
    """
    memos = {name: _memo(name, pair.paper, options.deletes, steps) for name, pair in traces.items()}
    for memo in memos.values():
        _prepare(memo, figures)
    drawn = {"chapter_5_figures": attribute_figures.figure_table(memos, figures)}
    if figures:
        return drawn
    today = {
        name: _memo(name, pair.today, "honour", steps)
        for name, pair in traces.items()
        if pair.today is not None
    }
    both = today if len(today) == len(memos) else None
    judged = [
        named(
            name,
            attribute_judging.judge(
                memo, today.get(name), traces[name].like, keep_uncached=options.keep_uncached
            ),
        )
        for name, memo in memos.items()
    ]
    steps.at("best partitions")
    searches = {name: Searches(memo, spaces()) for name, memo in memos.items()}
    totals = variable().printed_bytes
    compared = [comparison(name, search, variable(), totals) for name, search in searches.items()]
    return drawn | {
        "chapter_5_improvements": improvements(
            memos, both, options.regions, keep_uncached=options.keep_uncached
        ),
        "chapter_5_table_5_1": pa.concat_tables(compared),
        "chapter_5_least_regret": regrets(list(searches), list(searches.values()), variable(), totals),
        "findings": pa.concat_tables(judged),
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
    field = pa.field("trace", pa.string(), False, {"unit": "name", "sentence": "The trace."})
    return table.add_column(0, field, pa.array([name] * table.num_rows, pa.string()))
