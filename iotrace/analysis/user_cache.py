"""The contents of the user's cache: stores of raw traces, answers of first screens, and rows of catalogues."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from iotrace import queries
from iotrace.analysis.answers.kept import FOLDER as ANSWERS
from iotrace.analysis.catalogue.stores import FOLDER as CATALOGUES
from iotrace.errors import IotraceError, reason
from iotrace.files.inputs import MANIFEST
from iotrace.store import kept
from iotrace.store.folder import SUFFIX
from iotrace.store.location import cache_home
from iotrace.store.manifest import load

_FILE = re.compile(r"[0-9a-f]{32}\.json")
_OTHERS = (ANSWERS, CATALOGUES)
"""Folders of files that are made again when they are missing."""


@dataclass(frozen=True)
class Removed:
    """How much was removed from the cache, and how many stores were left since a process uses them."""

    stores: int
    files: int
    bytes: int
    in_use: int


def contents() -> pa.Table:
    """Return result `cache`: a row for each store that is kept, and one for each kind of other files.

    Raises IotraceError where the folder cannot be read.
    """
    rows = []
    for entry in sorted(_entries(), key=kept.used_ns, reverse=True):
        rows.append({
            "kind": "store",
            "trace": _trace(entry),
            "files": 1,
            "bytes": kept.size_bytes(entry),
            "used_at": _instant(kept.used_ns(entry)),
            "path": str(entry),
        })  # fmt: skip
    for folder in _OTHERS:
        if files := list(_files(folder)):
            states = [file.stat() for file in files]
            rows.append({
                "kind": folder,
                "trace": None,
                "files": len(files),
                "bytes": sum(state.st_size for state in states),
                "used_at": _instant(max(state.st_mtime_ns for state in states)),
                "path": str(cache_home() / folder),
            })  # fmt: skip
    return queries.result_table("cache", rows)


def clean() -> Removed:
    """Remove all that is kept but stores that a process uses; nothing that is not iotrace's. Raises as `contents`."""
    stores = files = bytes_ = in_use = 0
    for entry in list(_entries()):
        size = kept.size_bytes(entry)
        if kept.removed(entry):
            stores, bytes_ = stores + 1, bytes_ + size
        else:
            in_use += 1
    for folder in _OTHERS:
        for file in _files(folder):
            with contextlib.suppress(OSError):
                size = file.stat().st_size
                file.unlink()
                files, bytes_ = files + 1, bytes_ + size
    return Removed(stores, files, bytes_, in_use)


def _entries() -> Iterator[Path]:
    home = cache_home()
    try:
        yield from kept.entries(home)
    except FileNotFoundError:
        return
    except OSError as error:
        raise IotraceError(f"{home}: cannot be read: {reason(error)}") from None


def _files(folder: str) -> Iterator[Path]:
    place = cache_home() / folder
    with contextlib.suppress(OSError):
        if not place.is_symlink():
            yield from (file for file in place.iterdir() if _FILE.fullmatch(file.name) and file.is_file())


def _trace(entry: Path) -> str | None:
    """Return the trace of which a store is kept, the first of several files; None where its manifest is not read."""
    for manifest in entry.glob(f"*{SUFFIX}/{MANIFEST}"):
        with contextlib.suppress(IotraceError, TypeError, IndexError, KeyError):
            sources = load(manifest.parent)["sources"]
            more = f" and {len(sources) - 1:,} more" if len(sources) > 1 else ""
            return f"{sources[0]}{more}"
    return None


def _instant(ns: int) -> datetime:
    return datetime.fromtimestamp(ns // 10**9, UTC).replace(tzinfo=None)
