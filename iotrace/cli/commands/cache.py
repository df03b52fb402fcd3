"""``iotrace cache``: what is kept in the user's cache, and its removal."""

from typing import Annotated

import typer

from iotrace import units
from iotrace.cli.options.groups import grouped
from iotrace.cli.output import Output
from iotrace.cli.terminal import print

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace cache
 iotrace cache --format csv
 iotrace cache --clean                          remove all but stores in use
"""
}


@grouped
def cache(
    *,
    output: Output,
    clean: Annotated[
        bool, typer.Option("--clean", help="Remove what is kept, but not stores that a process uses.")
    ] = False,
) -> None:
    """Show what is kept in the user's cache: stores of raw traces, answers and catalogues, with their sizes.

    What is removed is made again when a command needs it.
    """
    from iotrace.analysis import user_cache
    from iotrace.store.location import cache_home

    if clean:
        removed = user_cache.clean()
        stores, files = (
            units.plural(*of)
            for of in ((removed.stores, "store", "stores"), (removed.files, "file", "files"))
        )
        print(f"removed {stores} and {files} of answers and catalogues: {units.size(removed.bytes)}")
        if removed.in_use:
            print(f"left {units.plural(removed.in_use, 'store', 'stores')} that a process uses")
        return
    rows = user_cache.contents()
    home, total = cache_home(), units.size(sum(rows["bytes"].to_pylist()))
    note = (
        f"{total} in {home}; iotrace cache --clean removes them"
        if rows.num_rows
        else f"nothing is kept in {home}"
    )
    output.emit(rows, note=note)
