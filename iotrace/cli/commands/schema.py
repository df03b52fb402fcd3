"""``iotrace schema``: the columns of every table and view, with types, units and descriptions."""

from typing import Annotated

import typer

from iotrace.cli.options.groups import grouped
from iotrace.cli.output import Output
from iotrace.errors import UsageError

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace schema                              tables and views; first the wide ones, which need no joins
 iotrace schema call_wide                    the columns of one
 iotrace schema --search "latency by size"   those for a question
 iotrace schema --joins                      which column leads to which table
"""
}


@grouped
def schema(
    table: Annotated[
        str | None,
        typer.Argument(help="A table, a view, a statistic, or a command's result.", show_default=False),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option("--search", metavar="WORDS", help="Find tables and views by the words of a question."),
    ] = None,
    joins: Annotated[bool, typer.Option("--joins", help="Show which column leads to which table.")] = False,
    *,
    output: Output,
) -> None:
    """Describe the tables, views and their columns. Each has its type, its unit and a description."""
    from iotrace.cli.tables.schema import show

    if sum((table is not None, search is not None, joins)) > 1:
        raise UsageError("give a table, --search or --joins: one of them")
    show(output, table, search, joins)
