"""``iotrace paper richardson``: traces of system calls compared with the dissertation, chapter by chapter."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pyarrow as pa

from iotrace.errors import IotraceError, UsageError
from iotrace.files.remote import Place
from iotrace.papers.by_trace import of_each
from iotrace.papers.findings.tally import for_a_terminal
from iotrace.papers.options import Options
from iotrace.papers.reproduction import PaperPart, PaperRequest, PaperResult, Progress, Work, silent
from iotrace.papers.richardson import (
    attribute_figures,
    cache_figures,
    characterization_figures,
    judging,
    page,
    printed,
)
from iotrace.papers.richardson.chapters import (
    CHAPTERS,
    ModelPair,
    Tables,
    chapter_5_together,
    chapters_of,
    disk_of,
    of_chapter,
)
from iotrace.papers.richardson.steps import Steps
from iotrace.papers.richardson.workloads import workload

OF_CHAPTERS = {
    "3": {"file_size", "runs"},
    "4": {"deletes", "page_bytes", "overhead_ms", "transfer_ms_per_kb"},
    "5": {"deletes", "regions", "keep_uncached"},
}
"""Options of some chapters only."""


Traces = Mapping[str, ModelPair]


def reproduce(request: PaperRequest) -> Work:
    """Open each trace by the dissertation's model and by today's, or by a model given."""
    options = request.options
    ids = _figures(options)
    chapters = {id_[0] for id_ in ids} or ({options.chapter} if options.chapter else set(CHAPTERS))
    _refuse_options(options, chapters, bool(ids))
    if ids and options.keep_uncached:
        request.warn("--keep-uncached: figures show 32 KB in any case; it is for the means of regions")
    disk_of(options)
    likes = _likes(options.like, len(request.traces))
    traces = {
        name: replace(opened(request, trace), like=like)
        for (name, trace), like in zip(request.traces.items(), likes, strict=True)
    }
    for name, pair in traces.items():
        pair.paper.family.check_answers("time", name)
    return partial(_made, traces, chapters, ids, request)


def opened(request: PaperRequest, trace: Place) -> ModelPair:
    """Open a trace by the dissertation's model with today's; by the model given alone, or where only that can be."""
    today = request.open(trace, request.model)
    if request.model or not today.family.has_model:
        return ModelPair(today)
    try:
        return ModelPair(request.open(trace, ["1994"]), today)
    except IotraceError as error:
        request.warn(f"not by the paper's model of the file system: {error}")
        return ModelPair(today)


def _likes(likes: str | None, traces: int) -> list[str | None]:
    """Return which workload each trace is like, by --as."""
    if likes is None:
        return [None] * traces
    names = [word.strip().lower() for word in likes.split(",")]
    if len(names) != traces:
        counted = f"{len(names)} name{'s' * (len(names) > 1)} for {traces} trace{'s' * (traces > 1)}"
        raise UsageError(f"--as: {counted}; give one for each, or none")
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
        of = [chapter for chapter, names in OF_CHAPTERS.items() if name in names]
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
    if request.part is PaperPart.PAGE:
        progress("writing the page")
        return PaperResult(tables, page.write(tables, list(traces), request.options.keep_uncached))
    if "findings" not in tables:
        return PaperResult(tables)
    findings = tables["findings"]
    if request.part is PaperPart.FINDINGS:
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
    workers: int | None = None,
) -> Tables:
    """Return chapters for traces, or only these figures of them: what a page shows and what the CSV files hold.

    As many traces as there are `workers`, or else cores, are read at the same time.
    """
    options = options or Options()

    def references(pair: ModelPair) -> int:
        return pair.references(bool(figures))

    steps = Steps(progress, len(chapters) * sum(map(references, traces.values())))
    by_trace = of_each(
        traces,
        lambda name, pair, check: chapters_of(name, pair, options, steps.apart(check), chapters, figures),
        references,
        workers,
    )
    results = {
        chapter: _stacked([of_trace.tables[chapter] for of_trace in by_trace.values()])
        for chapter in CHAPTERS
        if chapter in chapters
    }
    if "5" in results:
        steps.at("best partitions")
        subcaches = {
            name: of_trace.subcaches for name, of_trace in by_trace.items() if of_trace.subcaches is not None
        }
        results["5"] |= chapter_5_together(subcaches, options, of_chapter("5", figures))
    tables: Tables = {}
    judged = [of_one.pop("findings") for of_one in results.values() if "findings" in of_one]
    for chapter, of_one in results.items():
        drawn = dict.fromkeys(of_one[f"chapter_{chapter}_figures"]["figure"].to_pylist())
        tables |= of_one | {f"chapter_{chapter}_printed": printed.table(drawn)}
    return tables | ({"findings": pa.concat_tables(judged)} if judged else {})


def _stacked(of_traces: Sequence[Tables]) -> Tables:
    """Return the tables of several traces as one each."""
    return {key: pa.concat_tables([tables[key] for tables in of_traces]) for key in of_traces[0]}
