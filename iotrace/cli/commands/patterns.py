"""``iotrace patterns``: which parallel access pattern each file sees, how sure that is, and the evidence."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace import units
from iotrace.analysis.block_budget import Budget
from iotrace.cli.inputs import AlignClocksOption, TraceArgument, TraceFormatOption, open_trace
from iotrace.cli.options.block_budget import BudgetOption
from iotrace.cli.output import (
    PAGES,
    ForceOption,
    Format,
    FormatOrPageOption,
    OutputOption,
    emit,
    output_path,
    refuse_to_overwrite,
)
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from iotrace.analysis.patterns.study import Part
    from iotrace.store.store import Store

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace patterns parallel.strace.zst                    each file's pattern, by phase, with how sure it is
 iotrace patterns run.iotrace -o patterns.html           a page: accesses as points, evidence, interprocess locality
 iotrace patterns run.iotrace -o patterns.csv            all the evidence
 iotrace patterns run.iotrace --locality --block 1K      how soon another process uses a block, as a curve
 iotrace patterns run.iotrace --shared --least 100       only what several processes access, at least 100 times

[b]Names[/b]

 lw   every process the whole file       gw   all together the whole file, self-scheduled
 lfp  portions of one length for each    gfp  portions of one length, self-scheduled
 lrp  portions of random length          grp  portions of random length, self-scheduled
 seg  a segment for each process         rnd  random
 lw1  one process the whole file         strided, nested-strided, forward (by varying distances)
 unknown  the certainty is below 0.25: meaning has the candidates and why

Names joined by or are the same accesses: no trace could tell which of them was programmed; the likelier stands first.

A name allows for a tenth of the records to be missing, at most three in a row; portions out of place by a twentieth of
their length; short accesses to metadata; accesses exchanged with a neighbour; and backward order (column direction).

Kotz and Ellis 1991, section 3.2. A file's phase ends where every use of it has been closed, and at quiet gaps (over a
second, over 100 times the median time between its accesses, and over 10 times that between a process's); reads and
writes are looked at apart. Threads count as processes. What each column means: iotrace schema patterns.
"""
}
SHOWN = (
    "path", "phase", "operation", "pattern", "certainty", "processes", "accesses", "record_bytes", "meaning",
)  # fmt: skip


def patterns(
    trace: TraceArgument,
    output: OutputOption = None,
    form: FormatOrPageOption = Format.TABLE,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page",
            parser=output_path,
            metavar="FILE",
            help="Write a page there, too; -o NAME.html is the same alone.",
        ),
    ] = None,
    locality: Annotated[
        bool, typer.Option("--locality", help="The curves of interprocess locality, and not the patterns.")
    ] = False,
    block: Annotated[str, typer.Option("--block", "-b", help="The block of interprocess locality.")] = "4K",
    window: Annotated[
        int | None,
        typer.Option(
            "--window",
            metavar="ACCESSES",
            help="How far accesses may be out of order in time; two for each process unless given.",
            show_default=False,
        ),
    ] = None,
    least: Annotated[int, typer.Option("--least", help="Leave out phases of fewer reads or writes.")] = 20,
    shared: Annotated[
        bool, typer.Option("--shared", help="Leave out what one process alone accesses.")
    ] = False,
    one_phase: Annotated[
        bool, typer.Option("--one-phase", help="Take all reads, and all writes, of a file together.")
    ] = False,
    force: ForceOption = False,
    budget: BudgetOption = Budget.PATTERNS.value,
    align_clocks: AlignClocksOption = False,
    trace_format: TraceFormatOption = None,
) -> None:
    """Say which parallel access pattern each file sees, and how sure that is (Kotz and Ellis 1991)."""

    block_bytes = units.size_bytes(block)
    for option, value in (("--block", block_bytes), ("--least", least), ("--window", window)):
        if value is not None and value < 1:
            raise UsageError(f"{option} is at least 1, not {value}")
    page_only = output is not None and output.suffix.lower() in PAGES
    if page_only and (page is not None or locality):
        raise UsageError(f"-o {output} is a page, which holds all; leave --page and --locality out")
    page = output if page_only else page
    if not page_only:
        refuse_to_overwrite(output, force)
    from iotrace.reports.pages import write

    if page is not None:
        write.refuse_to_overwrite(page, force)
    from iotrace.analysis.patterns import study

    store = open_trace(trace, None, trace_format, align_clocks=align_clocks)
    options = study.Options(
        least, window, block_bytes, apart=not one_phase, shared_only=shared, budget_blocks=budget
    )
    subjects = study.study(store, options)
    _warn([part for subject in subjects for part in subject.parts])
    if not page_only:
        table = study.locality(subjects) if locality else study.patterns(subjects)
        emit(table.select(SHOWN) if form is Format.TABLE and not locality else table, form, output)
    if page is not None:
        from iotrace.reports.pages import patterns as drawn

        write.write_page(drawn.page(_name(store), subjects), page)
        if page_only:
            print(page)
        else:
            print(f"iotrace: wrote the page {page}", file=sys.stderr)


def _warn(parts: Sequence[Part]) -> None:
    """Say on standard error what the trace does not tell."""
    said = []
    if any(part.first_ns is None and (part.processes or 0) > 1 for part in parts):
        said.append("the trace has no times: how the processes' accesses mix is taken from its order")
    if lists := sum(part.processes is None for part in parts):
        said.append(
            f"{lists} series of records that no process has taken yet (process *): shown as self-scheduled,"
            " the number of processes is unknown"
        )
    for words in said:
        warn_of(words)


def _name(store: Store) -> str:
    sources = store.manifest.get("sources") or []
    return Path(sources[0]).name if sources and sources[0] != "-" else store.path.name
