"""Queries by name: those of the user's folder, and the questions of the cookbook."""

import os
import sys
from difflib import get_close_matches
from pathlib import Path

from iotrace.cli.terminal import print
from iotrace.errors import IotraceError, UsageError
from iotrace.queries import cookbook

MARK = "@"
"""How what is asked for begins, if it is a name."""
FOLDER = "iotrace/queries"
SUFFIX = ".sql"


def folder() -> Path:
    """Return the user's folder of queries: ``iotrace/queries`` in ``XDG_CONFIG_HOME``, by default ``~/.config``."""
    home = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    return (home if home.is_absolute() else Path.home() / ".config") / FOLDER


def named(text: str) -> str:
    """Return the query that ``@NAME`` is, and say on standard error where it is from; other text as it is.

    The user's own come before those of the cookbook; ``-`` and ``_`` in names are the same. Raises UsageError for a
    name that neither has, and IotraceError for a file that cannot be read.
    """
    if not text.lstrip().startswith(MARK):
        return text
    name = text.strip().rstrip("; ").removeprefix(MARK)
    own = _own()
    asked = {one.name: one for one in cookbook.questions()}
    key = name.replace("-", "_")
    if key in own:
        print(f"iotrace: {MARK}{name} is {own[key]}", file=sys.stderr)
        return _read(own[key])
    if key in asked:
        print(f"iotrace: {MARK}{name} of the cookbook: {asked[key].text}", file=sys.stderr)
        return asked[key].sql
    known = [*own, *asked]
    alike = get_close_matches(key, known, 3, 0.5)
    listed = f"most like it: {', '.join(alike)}" if alike else f"there are {', '.join(known)}"
    raise UsageError(
        f"no query is called {MARK}{name}; {listed} (the cookbook's, and files *{SUFFIX} in {folder()})"
    )


def names() -> dict[str, str]:
    """Return the names of all, and what each is."""
    asked = {one.name: one.text for one in cookbook.questions()}
    return {**asked, **{name: str(path) for name, path in _own().items()}}


def _own() -> dict[str, Path]:
    try:
        files = sorted(path for path in folder().iterdir() if path.suffix == SUFFIX)
    except OSError:
        return {}
    return {path.stem.replace("-", "_"): path for path in files}


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeError:
        raise IotraceError(f"{path}: is not UTF-8 text") from None
