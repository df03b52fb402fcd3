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
 iotrace formats ultrix          the lines of the ULTRIX text, and its calls
"""
}


@grouped
def formats(
    name: Annotated[
        str | None,
        typer.Argument(
            help="Describe the lines of this format (ultrix) and list its calls; classic ones are marked.",
            show_default=False,
        ),
    ] = None,
    *,
    output: Output,
) -> None:
    """List the trace formats that can be read. All may be compressed with gzip, zstd, xz or bzip2."""

    if name is None:
        output.emit(_all(), "Formats")
    else:
        calls, title = _calls(name), f"Calls of {name}"
        if output.is_interactive:
            output.emit_many({f"Lines of {name}": _lines(name), title: calls})
        else:
            output.emit(calls, title)


def _all() -> pa.Table:
    from iotrace.formats import FORMATS

    return pa.Table.from_pylist(
        [
            {
                "format": form.name,
                "family": form.family.name,
                "endings": form.endings,
                "what": form.description,
            }
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


def _lines(name: str) -> pa.Table:
    from iotrace.formats import named

    return pa.Table.from_pylist([{"part": part, "what": what} for part, what in named(name).lines])
