"""``iotrace sql``: any DuckDB query over a store."""

from __future__ import annotations

import re
import sys
from collections.abc import Container
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from iotrace.cli.inputs import ModelOption, TraceArgument, TraceFormatOption, open_trace
from iotrace.cli.output import (
    ForceOption,
    Format,
    FormatOption,
    OutputOption,
    refuse_to_overwrite,
)
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import IotraceError, UsageError, sql_reason

BATCH_ROWS = 1 << 17


class QueryCommand(TyperCommand):
    """A command whose query may begin with a comment: ``--`` and anything up to the line's end."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Set a space before such a query, which is then no option."""
        options = {name for parameter in self.params for name in parameter.opts}
        return super().parse_args(ctx, [f" {word}" if _is_comment(word, options) else word for word in args])


def _is_comment(word: str, options: Container[str]) -> bool:
    name, equals, _ = word.partition("=")
    is_option = bool(equals) and name in options
    return word.startswith("--") and re.search(r"\s", word) is not None and not is_option


SETTINGS: dict[str, Any] = {
    "cls": QueryCommand,
    "epilog": """
[b]Examples[/b]

 iotrace sql build.iotrace "from static_by_type"
 iotrace sql strace.log "select path, size_largest_bytes from file order by 2 desc limit 10"
 iotrace sql build.iotrace --file mine.sql --format csv -o mine.csv
 iotrace sql build.iotrace "show tables"
 iotrace sql build.iotrace --allow-files "copy file to 'files.csv'"
 iotrace sql build.iotrace 'select file, "offset", length from reference'   offset is a word of SQL: quote it
""",
}


NO_ROWS = "the query gives no rows"
LASTING = (
    "; what it creates or changes is gone when it ends: ask for rows in the same query, after a semicolon"
)


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
    text = _text(query, file)
    if not text.strip():
        raise UsageError("the query is empty")
    store = open_trace(trace, model, trace_format)
    connection = store.connect() if allow_files else store.sandboxed()
    try:
        if not allow_files:
            check_statements(connection, text)
        statements = connection.extract_statements(text)
        if not statements:
            raise UsageError("the query is empty")
        selects = [one for one in statements if one.type is duckdb.StatementType.SELECT]
        if len(selects) > 1:
            warn_of(f"of {len(selects)} queries only the last one's rows are shown")
        result = connection.sql(text)
        if result is None or duckdb.ExpectedResultType.NOTHING in statements[-1].expected_result_type:
            said = NO_ROWS if allow_files else f"{NO_ROWS}{LASTING}"
            if output is not None:
                raise IotraceError(said)
            print(f"iotrace: {said}", file=sys.stderr)
            return
        emit(result.to_arrow_reader(BATCH_ROWS), form, output)
    except (duckdb.Error, pa.ArrowException) as error:
        raise IotraceError(f"SQL: {sql_reason(error)}") from error


def _text(query: str | None, file: Path | None) -> str:
    """Return the query; raises UsageError where it is no UTF-8 text, and OSError where its file cannot be read."""
    try:
        if file is not None:
            return file.read_text("utf-8")
        if query == "-":
            return sys.stdin.buffer.read().decode("utf-8")
        return (query or "").encode("utf-8").decode("utf-8")
    except UnicodeError:
        place = file or ("standard input" if query == "-" else "the query")
        raise UsageError(f"{place}: is not UTF-8 text") from None
