"""``iotrace views``: the views of stores for DuckDB's own command line and for other programs."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from iotrace.cli.options.groups import grouped
from iotrace.cli.options.query import named_path
from iotrace.cli.output import ForceOption, refuse_to_overwrite, written_option
from iotrace.cli.terminal import print
from iotrace.errors import UsageError
from iotrace.files.outputs import refuse_folder

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace views build.iotrace --database build.duckdb      then: duckdb build.duckdb
 iotrace views x=a.iotrace y=b.iotrace --database both.duckdb
 iotrace views build.iotrace --schema build -o build.sql  in DuckDB: .read build.sql
""",
}


@grouped
def views(
    stores: Annotated[
        list[str],
        typer.Argument(
            metavar="STORE...",
            help="Stores; several are schemas, called NAME in NAME=STORE.",
            show_default=False,
        ),
    ],
    schema: Annotated[
        str | None, typer.Option("--schema", metavar="NAME", help="The schema for a single store's views.")
    ] = None,
    database: Annotated[
        Path | None,
        written_option("--database", help="Write a DuckDB database with the views, which holds no rows."),
    ] = None,
    output: Annotated[
        Path | None,
        written_option("--output", "-o", help="Write the script to this file instead of standard output."),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write the views of stores as SQL, or as a DuckDB database: for DuckDB's own programs, DBeaver, Metabase, dbt."""
    from iotrace.files import atomic_write
    from iotrace.files.inputs import note
    from iotrace.store.database import views_script, write_database
    from iotrace.store.traces import schema_names

    given = [named_path(word) for word in stores]
    if schema is not None and len(given) > 1:
        raise UsageError("--schema is for a single store; of several, each has its own: NAME=STORE")
    if schema is not None:
        given = [(schema, given[0][1])]
    if database is not None and output is not None:
        raise UsageError("give --database or -o, not both")
    names: list[str | None] = [*schema_names(given)] if len(given) > 1 or given[0][0] else [None]
    places = dict(zip(names, [path for _, path in given], strict=True))
    note(list(places.values()))
    refuse_to_overwrite(database, force, "--database")
    refuse_to_overwrite(output, force)
    for place in filter(None, (database, output)):
        refuse_folder(place)
    if database is not None:
        write_database(places, database)
    elif output is None or str(output) == "-":
        sys.stdout.write(views_script(places))
    else:
        with atomic_write(output) as unfinished:
            unfinished.write_text(views_script(places), "utf-8")
    if len(places) > 1:
        listed = ", ".join(f"{name} ({path})" for name, path in places.items())
        print(f"iotrace: schemas {listed}; schema traces has the rows of all", file=sys.stderr)
