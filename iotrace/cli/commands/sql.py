"""``iotrace sql``: any DuckDB query over a store, or over several."""

from pathlib import Path
from typing import Annotated, Any

import typer

from iotrace.cli.inputs import RawTrace
from iotrace.cli.options.groups import grouped
from iotrace.cli.options.part import PartWithWhere
from iotrace.cli.options.query import QueryCommand, QueryOutput, parameters, traces_and_query

SETTINGS: dict[str, Any] = {
    "cls": QueryCommand,
    "epilog": """
[b]Examples[/b]

 iotrace sql build.iotrace "from static_by_type"
 iotrace sql strace.log "select path, size_largest_bytes from file limit 10"
 iotrace sql a.iotrace b.iotrace "select trace, calls, files from totals"
 iotrace sql x=a.iotrace y=b.iotrace "from y.file anti join x.file using (path)"
 iotrace sql build.iotrace --file mine.sql --format csv -o mine.csv
 iotrace sql build.iotrace "from file where path like $p" --param p='%.c'
 iotrace sql build.iotrace @slow-syncs                  of the cookbook, or ~/.config/iotrace/queries/slow-syncs.sql
 iotrace sql build.iotrace @most-calls --chart bar call,calls
 iotrace sql build.iotrace "show tables"
 iotrace sql build.iotrace --allow-files "copy file to 'files.csv'"
 iotrace sql build.iotrace 'select file, "offset", length from reference'   offset is a word of SQL: quote it
""",
}


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
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="NAME=VALUE", help="The value of $NAME in the query (repeatable)."),
    ] = None,
    *,
    output: QueryOutput,
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
    """Query a trace, or several, in SQL. Every table and every documented statistic is a view.

    Without a query it starts a session on a terminal; .help lists its commands.
    """
    from iotrace.store.query import answered

    traces, text = traces_and_query(words, file, output.output is None)
    source, values = part.of_traces(raw.open_named(traces)), parameters(param)
    if text is None:
        from iotrace.cli.session import converse

        converse(source, allow_files, values, output)
        return
    with answered(source, text, allow_files, values) as answers:
        output.emit_answers(answers, allow_files)
