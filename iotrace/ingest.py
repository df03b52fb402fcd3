"""From the bytes of a trace to a store, by way of the engine; and ``open``, which does so where it has to."""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import json
import os
import platform
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from iotrace import __version__, formats, reconstruct
from iotrace.errors import IotraceError
from iotrace.store import STORE_VERSION, SUFFIX, Store, TableWriters, is_store, read, write_manifest, writing

Progress = Callable[[int, int | None], None]
"""Called with the bytes read so far and their number in all, where that is known."""


def ingest(
    paths: Sequence[Path],
    output: Path,
    *,
    format: str | None = None,
    model: Mapping[str, str] | None = None,
    order: str = "time",
    known_files: Path | None = None,
    replace: bool = False,
    progress: Progress | None = None,
    described: Mapping[str, Any] | None = None,
) -> Store:
    """Read a trace and write its store.

    ``paths`` are the files of one trace (several, or a folder, for ``strace -ff``); ``format`` is guessed from the
    first bytes where it is None; ``known_files`` names the table of sizes that ``iotrace record`` wrote;
    ``described`` goes into the manifest as it is. Raises IotraceError where the trace cannot be read or is no trace,
    and leaves nothing behind then.
    """
    source = formats.source(paths, format)
    switches = dict(model or {})
    with writing(output, replace) as folder:
        writers = TableWriters(folder)
        try:
            run = source.start(paths, switches, order, known_files)
            for name in run.tables():
                writers.empty(name)
            while (batches := run.next()) is not None:
                for name, batch in batches:
                    writers.write(name, batch)
                if progress:
                    progress(*run.progress())
        finally:
            writers.close()
        report = run.report()
        manifest = {
            "iotrace": __version__,
            "store_version": STORE_VERSION,
            "format": source.name,
            "host": platform.node(),
            "sources": [str(path) for path in paths],
            "model": switches,
            **report,
            **(described or {}),
            "tables": writers.rows,
        }
        write_manifest(folder, manifest)
    return read(output)


def fingerprint(paths: Sequence[Path], choices: dict[str, Any]) -> list[Any]:
    """Describe inputs and choices so that a cached store is used only for the same ones."""
    described: list[Any] = []
    for path in paths:
        members = sorted(path.iterdir()) if path.is_dir() else [path]
        described += [[str(member.resolve()), member.stat().st_size, member.stat().st_mtime_ns] for member in members]
    return [described, choices]


def cache_path(paths: Sequence[Path], choices: dict[str, Any]) -> Path:
    """Return where the store of a raw trace is kept: beside it, or in the user's cache where that is read-only."""
    first = paths[0]
    if len(paths) == 1 and not choices and os.access(first.resolve().parent, os.W_OK):
        return first.with_name(first.name + SUFFIX)
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "iotrace"
    key = json.dumps([[str(path.resolve()) for path in paths], choices], sort_keys=True)
    return home / f"{first.name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}{SUFFIX}"


def open(  # noqa: A001 - iotrace.open is the name that a user expects
    trace: str | Path | Sequence[str | Path],
    *,
    format: str | None = None,
    model: dict[str, str] | None = None,
    order: str = "time",
    progress: Progress | None = None,
) -> Store:
    """Open a store, or a raw trace, which is ingested on the way and cached beside it.

    ``model`` switches the file system model (see ``iotrace ingest --help``); a store that was made with another
    model is reconstructed anew. Raises IotraceError for anything that cannot be read.
    """
    paths = [Path(trace)] if isinstance(trace, str | Path) else [Path(path) for path in trace]
    if len(paths) == 1 and is_store(paths[0]):
        store = read(paths[0])
        return reconstruct.with_model(store, model or {})
    choices = {key: value for key, value in (("format", format), ("model", model), ("order", order)) if value and value != "time"}
    if paths == [Path("-")]:
        folder = Path(tempfile.mkdtemp(prefix="iotrace-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return ingest(paths, folder / f"stdin{SUFFIX}", format=format, model=model, order=order)
    for path in paths:
        if not path.exists():
            raise IotraceError(f"{path}: no such file or folder")
    place = cache_path(paths, choices)
    sources = fingerprint(paths, choices)
    if is_store(place):
        with contextlib.suppress(IotraceError):
            store = read(place)
            if store.manifest.get("fingerprint") == sources:
                return store
    return ingest(
        paths,
        place,
        format=format,
        model=model,
        order=order,
        replace=True,
        progress=progress,
        described={"fingerprint": sources},
    )
