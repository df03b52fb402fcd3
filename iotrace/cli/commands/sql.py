"""``iotrace sql``: any DuckDB query over a store, or over several."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from iotrace.cli.inputs import RawTrace
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import PartWithWhere
from iotrace.cli.options.query import QueryCommand, traces_and_query
from iotrace.cli.output import Output
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import IotraceError

SETTINGS: dict[str, Any] = {
    "cls": QueryCommand,
    "epilog": """
[b]Examples[/b]

 iotrace sql build.iotrace "from static_by_type"
 iotrace sql strace.log "select path, size_largest_bytes from file limit 10"
 iotrace sql a.iotrace b.iotrace "select trace, calls, files from totals"
 iotrace sql x=a.iotrace y=b.iotrace "from y.file anti join x.file using (path)"
 iotrace sql build.iotrace --file mine.sql --format csv -o mine.csv
 iotrace sql build.iotrace "show tables"
 iotrace sql build.iotrace --allow-files "copy file to 'files.csv'"
 iotrace sql build.iotrace 'select file, "offset", length from reference'   offset is a word of SQL: quote it
""",
}


NO_ROWS = "the query gives no rows"
LASTING = "; tables and views that it creates are not kept: add a select to the query, after a semicolon"


@grouped
def sql(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="TRACE... [QUERY]",
            help="Stores (NAME.iotrace) or raw traces, and the query; - for standard input. Several traces are schemas"
            " called after their files, or NAME in NAME=TRACE; without a schema, views have the rows of all, and column"
            " trace.",
            show_default=False,
        ),
    ],
    file: Annotated[Path | None, typer.Option("--file", help="Read the query from a file.")] = None,
    *,
    output: Output,
    allow_files: Annotated[
        bool,
        typer.Option(
            "--allow-files",
            help="Let the query read and write files, attach databases and load extensions. Without it, a query sees"
            " these traces' tables only.",
        ),
    ] = False,
    part: PartWithWhere,
    raw: RawTrace,
) -> None:
    """Query a trace, or several, in SQL. Every table and every documented statistic is a view."""
    from iotrace.store.query import answered

    traces, text = traces_and_query(words, file)
    with answered(part.of_traces(raw.open_named(traces)), text, allow_files) as answer:
        if answer.queries > 1:
            warn_of(f"of {answer.queries} queries only the last one's rows are shown")
        if answer.rows is not None:
            output.emit(answer.rows)
            return
    sentence = NO_ROWS if allow_files else f"{NO_ROWS}{LASTING}"
    if output.output is not None:
        raise IotraceError(sentence)
    print(f"iotrace: {sentence}", file=sys.stderr)
