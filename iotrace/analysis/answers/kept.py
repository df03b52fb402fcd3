"""First screens that were computed before, in the user's cache: never in a store, which may be another user's."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace.analysis.answers.screen import Amount, Answer, Cache, FirstScreen, KeyFigure, Leader, Time
from iotrace.errors import IotraceError
from iotrace.files import memory, write_text
from iotrace.files.remote import Address, Place
from iotrace.store import manifest
from iotrace.store.folder import is_store
from iotrace.store.location import cache_home, fingerprint, is_temporary, said_bytes

if TYPE_CHECKING:
    from iotrace.store.store import Store

FOLDER = "answers"
VERSION = 5
"""Raise it when other answers are given of the same store."""
MOST = 500
"""The most screens that are kept; those written longest ago go first."""


@dataclasses.dataclass(frozen=True)
class Unopened:
    """The first screen that is kept of a store whose tables were not opened, and the store's manifest."""

    screen: FirstScreen
    manifest: Mapping[str, Any]


def kept_of(path: Place) -> Unopened | None:
    """Return what is kept of a store at a path; None where nothing is, or where it is not a store.

    The tables are neither opened nor checked: they were when the screen was made, and are the same files.
    """
    if isinstance(path, Address) or not is_store(path):
        return None
    with contextlib.suppress(IotraceError):
        stored = manifest.load(path)
        place = _place(path, str(path), stored)
        if place is not None and (screen := _read(place)) is not None:
            return Unopened(screen, stored)
    return None


def kept(store: Store, make: Callable[[], FirstScreen]) -> FirstScreen:
    """Return the first screen that is kept of a store as it is now, or make it and keep it."""
    place = _place_of(store)
    if place is not None and (screen := _read(place)) is not None:
        return screen
    screen = make()
    if place is not None:
        _write(place, screen)
    return screen


def keep(store: Store, screen: FirstScreen) -> None:
    """Keep the first screen of a store that was computed for something else; one without answers is not kept."""
    if screen.about and (place := _place_of(store)) is not None:
        _write(place, screen)


def _place_of(store: Store) -> Path | None:
    return _place(store.path, store.name, store.manifest)


def _place(path: Place, name: str, stored: Mapping[str, Any]) -> Path | None:
    """Return where the screen of a store is kept, by its path, name and manifest; None where nothing is."""
    from iotrace import __version__

    if isinstance(path, Address) or is_temporary(path) or said_bytes() == 0 or "part" in stored:
        return None
    with contextlib.suppress(OSError, IotraceError):
        state = [VERSION, __version__, name, fingerprint([path], {})]
        digest = hashlib.sha256(json.dumps(state).encode()).hexdigest()[:32]
        return cache_home() / FOLDER / f"{digest}.json"
    return None


def _write(place: Path, screen: FirstScreen) -> None:
    """Keep a screen; none with --memory, which may be too little for some of its answers."""
    if memory.limit_bytes() is not None:
        return
    with contextlib.suppress(OSError, IotraceError, UnicodeError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_text(place, json.dumps(dataclasses.asdict(screen)))
        others = sorted(place.parent.glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
        for old in others[:-MOST]:
            old.unlink(missing_ok=True)


def _read(place: Path) -> FirstScreen | None:
    """Return the screen at a place; None where there is none that can be read."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
        raw = json.loads(place.read_text("utf-8"))
        return FirstScreen(
            **raw
            | {
                "about": tuple(raw["about"]),
                "headline": _answer(Answer, raw["headline"]),
                "time": raw["time"] and _answer(Time, raw["time"]),
                "change": raw["change"] and _answer(Answer, raw["change"]),
                "cache": raw["cache"] and _answer(Cache, raw["cache"]),
                "figures": tuple(KeyFigure(**figure) for figure in raw["figures"]),
                "commands": tuple(raw["commands"]),
                "cautions": tuple(raw["cautions"]),
            }
        )
    return None


def _answer(kind: type[Answer], raw: dict[str, Any]) -> Any:
    """Return an answer of a kind from its fields, in which lists stand for tuples."""
    read: dict[str, Callable[[Any], Any]] = {
        "amounts": lambda rows: tuple(Amount(**row) for row in rows),
        "leaders": lambda rows: tuple(Leader(**row) for row in rows),
        "points": lambda rows: tuple((size, share) for size, share in rows),
    }
    return kind(**{name: read.get(name, lambda value: value)(value) for name, value in raw.items()})
