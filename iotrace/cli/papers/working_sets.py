"""The parts of ``iotrace curve`` that stand beside the dissertation: --paper, --figure and --paging."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.cli.inputs import open_trace
from iotrace.cli.terminal import print
from iotrace.errors import IotraceError

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.analysis.curves.cache import Deletes
    from iotrace.papers.richardson.paging import Disk


def findings(trace: Path, model: list[str] | None, trace_format: str | None) -> pa.Table:
    """Judge the findings by the paper's model of the file system and its caches, with today's beside it.

    A model that the user gave is taken instead of both. The paper's caches keep deleted files' blocks.
    """
    from iotrace.analysis.lines.runs import Study
    from iotrace.papers.richardson.cache_judging import judge

    today = open_trace(trace, model, trace_format)
    if model:
        return judge(Study(today))
    try:
        store = open_trace(trace, ["1994"], trace_format)
    except IotraceError as error:
        print(f"iotrace: warning: not by the paper's model of the file system: {error}", file=sys.stderr)
        return judge(Study(today))
    return judge(Study(store), Study(today, deletes="honour"))


def say_verdicts(judged: pa.Table) -> None:
    """Print how many findings hold."""
    from iotrace.papers.findings import counted, counts

    verdicts = judged.column("verdict").to_pylist()
    print(f"Of {len(verdicts)} findings of the dissertation on caches, {counted(counts(verdicts))}.")


def figures(
    trace: Path,
    ids: str,
    deletes: Deletes,
    plot: Path | None,
    model: list[str] | None,
    trace_format: str | None,
) -> pa.Table:
    """Return the figures asked for as table cache_figures, and draw them if a file is given."""
    from iotrace.analysis.lines.runs import Study
    from iotrace.papers.richardson.cache_figures import figure_tables

    wanted = None if ids.strip() == "all" else [one.strip() for one in ids.split(",")]
    table = figure_tables(Study(open_trace(trace, model, trace_format), deletes), wanted)
    if plot is not None:
        from iotrace.papers.richardson.cache_page import page
        from iotrace.reports.pages.write import write_page

        write_page(page(table, trace.name), plot)
    return table


def paging(trace: Path, disk: Disk, model: list[str] | None, trace_format: str | None) -> pa.Table:
    """Return equation 4.2 for the trace's mean executable."""
    from iotrace.papers.richardson.paging import demand_paging

    return demand_paging(open_trace(trace, model, trace_format), disk)
