"""``iotrace schema``: the columns of every table and view, with types, units and descriptions."""

from typing import Annotated

import typer

from iotrace.cli.options.groups import grouped
from iotrace.cli.output import Output
from iotrace.errors import UsageError
from iotrace.libraries import pa

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
        typer.Option("--search", metavar="WORDS", help="Find tables and views by words of a question."),
    ] = None,
    joins: Annotated[bool, typer.Option("--joins", help="Show which column leads to which table.")] = False,
    *,
    output: Output,
) -> None:
    """Describe the tables, views and their columns. Each has its type, its unit and a description."""
    from iotrace import queries
    from iotrace.queries.search import search as found
    from iotrace.schemas.joins import joins as all_joins

    if sum((table is not None, search is not None, joins)) > 1:
        raise UsageError("give a table, --search or --joins: one of them")
    known = queries.described()
    if joins:
        shown = [
            {
                "table": one.table,
                "column": one.column,
                "other_table": one.other,
                "other_column": one.other_column,
            }
            for one in all_joins()
        ]
        output.emit(pa.Table.from_pylist(shown), "Columns that lead to other tables")
    elif search is not None:
        matches = found(search, known)
        if not matches:
            raise UsageError(f"{search}: no table or view has these words; iotrace schema lists all")
        rows = [
            {"table": one.name, "columns": ", ".join(one.columns), "sentence": one.described.description}
            for one in matches
        ]
        output.emit(pa.Table.from_pylist(rows), f"Tables and views for: {search}")
    elif table is None:
        rows = [{"table": name, "sentence": one.description} for name, one in known.items()]
        output.emit(
            pa.Table.from_pylist(rows), "Wide views, tables, views, statistics, and results of commands"
        )
    elif table not in known:
        raise UsageError(f"{table}: no such table, view or statistic; iotrace schema lists them")
    else:
        columns = [
            {"column": c.name, "type": c.type, "unit": c.unit, "null": c.nullable, "sentence": c.description}
            for c in known[table].columns
        ]
        output.emit(pa.Table.from_pylist(columns), f"{table}: {known[table].description}")
