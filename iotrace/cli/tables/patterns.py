"""The table and the page of ``iotrace patterns``, and its warnings."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.cli.output import Output
from iotrace.cli.terminal import print, warn_of

if TYPE_CHECKING:
    from iotrace.analysis.patterns.study import Subject
    from iotrace.store.store import Store

SHOWN = (
    "path", "phase", "operation", "pattern", "certainty", "processes", "accesses", "record_bytes", "meaning",
)  # fmt: skip


def emit_patterns(subjects: Sequence[Subject], is_locality: bool, output: Output) -> None:
    """Write the patterns (on a terminal, the columns that fit), or the curves of interprocess locality."""
    from iotrace.analysis.patterns import study

    if is_locality:
        output.emit(study.locality(subjects))
        return
    table = study.patterns(subjects)
    output.emit(table.select(SHOWN) if output.is_table else table)


def write_page(store: Store, subjects: Sequence[Subject], place: Path, is_all: bool) -> None:
    """Write the page, and say where: on standard error, unless it is all that is written."""
    from iotrace.reports.pages.patterns import page
    from iotrace.reports.pages.write import write_page

    write_page(page(_name(store), subjects), place)
    if is_all:
        print(place)
    else:
        print(f"iotrace: wrote the page {place}", file=sys.stderr)


def warn_of_unknowns(subjects: Sequence[Subject]) -> None:
    """Warn of what the trace does not contain."""
    parts = [part for subject in subjects for part in subject.parts]
    remarks = []
    if any(part.first_ns is None and (part.processes or 0) > 1 for part in parts):
        remarks.append("the trace has no times: how the processes' accesses mix is taken from its order")
    if lists := sum(part.processes is None for part in parts):
        remarks.append(
            f"{lists} series of records that no process has taken yet (process *): shown as self-scheduled,"
            " the number of processes is unknown"
        )
    for words in remarks:
        warn_of(words)


def _name(store: Store) -> str:
    sources = store.manifest.get("sources") or []
    return Path(sources[0]).name if sources and sources[0] != "-" else store.path.name
