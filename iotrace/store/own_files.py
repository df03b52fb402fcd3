"""Which files of a folder are a store's own: a store that holds others is not replaced."""

import os
import re
from functools import cache
from pathlib import Path

from iotrace import schemas
from iotrace.errors import UsageError
from iotrace.files.inputs import MANIFEST, marked_version, refuse_above_input
from iotrace.files.remote import Address

VIEWS = "views.sql"
KEPT = r"curve_state\.[0-9]+\.arrow|statistics\.[0-9]+\.parquet"
"""The files that are kept of partitions, in the order of time (see `iotrace.store.appended`)."""


def refuse_foreign(output: Path) -> None:
    """Raise UsageError for what exists and is not a store, or a store that holds another's file or an input."""
    if not output.is_dir() or marked_version(output) is None:
        raise UsageError(f"{output}: exists and is not a store; choose another -o")
    if (name := foreign_member(output)) is not None:
        raise UsageError(f"{output}: holds {name}, which is not a file of a store; choose another -o")
    refuse_above_input(output)


def refuse_foreign_objects(output: Address) -> None:
    """Raise UsageError for an address beneath which other objects are than those of a store, whole or not."""
    if output.is_file():
        raise UsageError(f"{output}: exists and is not a store; choose another -o")
    members = output.below() if output.is_dir() else []
    if foreign := [member.name for member in members if not _own().fullmatch(member.name)]:
        raise UsageError(f"{output}: holds {min(foreign)}, which is not a file of a store; choose another -o")


def foreign_member(store: Path) -> str | None:
    """Return the first member of a store's folder that no store has; None where there is none."""
    own = _own()
    with os.scandir(store) as members:
        foreign = [
            member.name for member in members if not own.fullmatch(member.name) or not member.is_file()
        ]
    return min(foreign, default=None)


@cache
def _own() -> re.Pattern[str]:
    """Return the names of a store's own files."""
    tables = "|".join(map(re.escape, schemas.names()))
    return re.compile(rf"{re.escape(MANIFEST)}|{re.escape(VIEWS)}|({tables})(\.[0-9]+)?\.parquet|{KEPT}")
