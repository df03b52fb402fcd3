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

 iotrace schema                      the tables
 iotrace schema reference            the columns of one
 iotrace schema static_by_type       statistics are documented the same way
"""
}


@grouped
def schema(
    table: Annotated[
        str | None,
        typer.Argument(help="A table, a view, a statistic, or a command's result.", show_default=False),
    ] = None,
    *,
    output: Output,
) -> None:
    """Describe the tables, views and their columns. Each has its type, its unit and a description."""
    from iotrace import queries, schemas

    known: dict[str, schemas.Table | queries.Query] = {
        **{name: schemas.table(name) for name in schemas.names()},
        **{
            name: queries.query(name)
            for name in [*queries.views(), *queries.names(), *queries.counter_views()]
        },
        **queries.results(),
    }
    if table is None:
        rows = [{"table": name, "sentence": described.description} for name, described in known.items()]
        output.emit(pa.Table.from_pylist(rows), "Tables, views, statistics, and results of commands")
        return
    if table not in known:
        raise UsageError(f"{table}: no such table, view or statistic; iotrace schema lists them")
    described = [
        {"column": c.name, "type": c.type, "unit": c.unit, "null": c.nullable, "sentence": c.description}
        for c in known[table].columns
    ]
    output.emit(pa.Table.from_pylist(described), f"{table}: {known[table].description}")
