"""``iotrace sql``: any DuckDB query over a store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from iotrace.cli.inputs import ModelOption, TraceArgument, TraceFormatOption, open_trace
from iotrace.cli.output import (
    ForceOption,
    Format,
    FormatOption,
    OutputOption,
    refuse_to_overwrite,
)
from iotrace.errors import IotraceError, UsageError, sql_reason

BATCH_ROWS = 1 << 17
SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace sql build.iotrace "from static_by_type"
 iotrace sql strace.log "select path, size_largest_bytes from file order by 2 desc limit 10"
 iotrace sql build.iotrace --file mine.sql --format csv -o mine.csv
 iotrace sql build.iotrace "show tables"
 iotrace sql build.iotrace --allow-files "copy file to 'files.csv'"
 iotrace sql build.iotrace 'select file, "offset", length from reference'   offset is a word of SQL: quote it
"""
}


def sql(
    trace: TraceArgument,
    query: Annotated[
        str | None, typer.Argument(help="The query; - for standard input.", show_default=False)
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", help="Read the query from a file.")] = None,
    form: FormatOption = Format.TABLE,
    output: OutputOption = None,
    force: ForceOption = False,
    allow_files: Annotated[
        bool,
        typer.Option(
            "--allow-files",
            help="Let the query read and write files, attach databases and load extensions. Without it, a query sees"
            " this trace's tables only.",
        ),
    ] = False,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
) -> None:
    """Ask anything in SQL: every table and every documented statistic is a view."""
    refuse_to_overwrite(output, force)
    import duckdb
    import pyarrow as pa

    from iotrace.cli.output import emit
    from iotrace.store.sandbox import check_statements

    if (query is None) == (file is None):
        raise UsageError("give a query or --file, not both" if query else "give a query, or --file FILE")
    text = sys.stdin.read() if query == "-" else file.read_text("utf-8") if file else query
    if not (text or "").strip():
        raise UsageError("the query is empty")
    store = open_trace(trace, model, trace_format)
    connection = store.connect() if allow_files else store.sandboxed()
    try:
        if not allow_files:
            check_statements(connection, text or "")
        result = connection.sql(text or "")
        if result is None:
            return
        emit(result.to_arrow_reader(BATCH_ROWS), form, output)
    except (duckdb.Error, pa.ArrowException) as error:
        raise IotraceError(f"SQL: {sql_reason(error)}") from error
