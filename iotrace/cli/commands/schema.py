"""``iotrace schema``: the documented shape of every table."""

from __future__ import annotations

from typing import Annotated

import typer

from iotrace.cli.options.groups import grouped
from iotrace.cli.output import Output
from iotrace.errors import UsageError

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
        str | None, typer.Argument(help="A table, a statistic, or what a verb writes.", show_default=False)
    ] = None,
    *,
    output: Output,
) -> None:
    """Print the tables and their columns, each with its type, unit and a sentence."""
    import pyarrow as pa

    from iotrace import queries, schemas

    if table is None:
        rows = [{"table": name, "sentence": schemas.table(name).sentence} for name in schemas.names()]
        rows += [{"table": name, "sentence": queries.query(name).sentence} for name in queries.names()]
        rows += [{"table": name, "sentence": one.sentence} for name, one in queries.results().items()]
        output.emit(pa.Table.from_pylist(rows), "Tables, statistics, and what verbs write")
        return
    if table in schemas.names():
        columns = schemas.table(table).columns
        title = schemas.table(table).sentence
    elif table in queries.names():
        columns = queries.query(table).columns
        title = queries.query(table).sentence
    elif table in queries.results():
        columns = queries.results()[table].columns
        title = queries.results()[table].sentence
    else:
        raise UsageError(f"{table}: no such table or statistic; iotrace schema lists them")
    described = [
        {"column": c.name, "type": c.type, "unit": c.unit, "null": c.nullable, "sentence": c.sentence}
        for c in columns
    ]
    output.emit(pa.Table.from_pylist(described), f"{table}: {title}")
