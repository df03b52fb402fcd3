"""``iotrace formats``: the trace formats that can be read."""

from __future__ import annotations

from typing import Annotated

import typer

from iotrace.cli.options.groups import grouped
from iotrace.cli.output import Output
from iotrace.errors import UsageError
from iotrace.libraries import pa

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace formats                 what can be ingested
 iotrace formats ultrix          the calls of the ULTRIX text, the classic ones marked
"""
}


@grouped
def formats(
    name: Annotated[
        str | None,
        typer.Argument(
            help="List the calls of this format (ultrix) and mark the classic ones.", show_default=False
        ),
    ] = None,
    *,
    output: Output,
) -> None:
    """List the trace formats that can be read. All may be compressed with gzip, zstd, xz or bzip2."""

    if name is None:
        output.emit(_all(), "Formats")
    else:
        output.emit(_calls(name), f"Calls of {name}")


def _all() -> pa.Table:
    from iotrace.formats import FORMATS

    return pa.Table.from_pylist(
        [
            {"format": form.name, "family": form.family, "endings": form.endings, "what": form.sentence}
            for form in FORMATS
        ]
    )


def _calls(name: str) -> pa.Table:
    from iotrace.formats import named

    listed = named(name).calls
    if listed is None:
        raise UsageError(f"{name}: has no list of calls")
    names = ("call", "arguments", "classic")
    return pa.Table.from_pylist([dict(zip(names, call, strict=True)) for call in listed()])
