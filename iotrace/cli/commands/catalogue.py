"""``iotrace catalogue``: a row for each store beneath a folder."""

from typing import Annotated

import typer

from iotrace.cli.options.groups import grouped
from iotrace.cli.output import Output
from iotrace.cli.progress import doing
from iotrace.cli.terminal import warn_of
from iotrace.errors import UsageError
from iotrace.files.remote import Address, Place

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace catalogue traces/
 iotrace catalogue traces/ --sql "select host, sum(bytes) as bytes from catalogue group by host"
 iotrace catalogue traces/ --sql "from catalogue where status <> 'whole'"
 iotrace catalogue traces/ --quick              of thousands: only what manifests say, and what is kept
 iotrace catalogue traces/ -o traces.parquet
 iotrace catalogue web1.iotrace                 the days of a store that grows (iotrace ingest --append)
 iotrace catalogue s3://traces/2026/
"""
}


@grouped
def catalogue(
    folder: Annotated[
        Place,
        typer.Argument(
            help="The folder or address to search, or a store, for its partitions.",
            readable=False,
        ),
    ],
    sql: Annotated[
        str | None,
        typer.Option("--sql", metavar="QUERY", help="Answer a query over table catalogue instead."),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Compute nothing: show what was computed before, and the rest as unknown."
        ),
    ] = False,
    *,
    output: Output,
) -> None:
    """List the stores in a folder and its subfolders: kind of trace, bytes, headline, worst finding and knee.

    What is computed of a store is kept in the user's cache until the store changes.
    """
    from iotrace.analysis.catalogue.stores import asked
    from iotrace.analysis.catalogue.stores import catalogue as rows_of

    if not isinstance(folder, Address) and not folder.is_dir():
        raise UsageError(f"{folder}: {'is not a folder' if folder.exists() else 'no such folder'}")
    with doing() as progress:
        rows, warnings = rows_of(folder, progress, quick)
    for warning in warnings:
        warn_of(warning)
    output.emit(rows if sql is None else asked(rows, sql))
