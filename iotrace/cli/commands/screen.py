"""``iotrace TRACE``: the first screen of a trace; the command without a name."""

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.cli import COMMANDS
from iotrace.cli.inputs import RawTrace, warn
from iotrace.cli.options.groups import grouped
from iotrace.cli.progress import doing
from iotrace.cli.tables.screen import print_screen
from iotrace.errors import IotraceError, UsageError
from iotrace.files.addresses import is_address
from iotrace.files.remote import located

if TYPE_CHECKING:
    from iotrace.analysis.answers.screen import FirstScreen
    from iotrace.store.store import Store

SETTINGS = {
    "hidden": True,
    "epilog": """
[b]Examples[/b]

 iotrace strace.log                            where its time goes, what to change, which cache
 iotrace build.iotrace
 iotrace ./report                              a trace that is called like a command
""",
}


@grouped
def screen(
    files: Annotated[
        list[str],
        typer.Argument(help="A store, or a raw trace: a file, a folder, or several files.", metavar="TRACE"),
    ],
    *,
    raw: RawTrace,
) -> None:
    """Print where a trace's time goes, what to change, and which cache would serve it, on one screen."""
    from iotrace.analysis.answers.kept import kept, kept_of

    for word in files:
        if word != "-" and not is_address(word) and not Path(word).exists():
            raise _missing(word)
    paths = [located(word) for word in files]
    if raw.is_plain and len(paths) == 1 and (known := kept_of(paths[0])) is not None:
        warn(known.manifest)
        print_screen(known.screen)
        return
    store = raw.open_all(paths)
    print_screen(kept(store, lambda: _computed(store)))


def _computed(store: "Store") -> "FirstScreen":
    from iotrace.analysis.answers.ask import first_screen

    with doing() as progress:
        return first_screen(store, progress)


def _missing(word: str) -> IotraceError:
    """Return the refusal of a path that is not there; a word that is none may have been meant for a command."""
    if "/" in word or "." in word:
        return IotraceError(f"{word}: no such file or folder")
    nearest = difflib.get_close_matches(word, COMMANDS, 1)
    meant = f"; did you mean iotrace {nearest[0]}?" if nearest else ""
    return UsageError(f"{word}: no such file, folder or command{meant}; see iotrace --help")
