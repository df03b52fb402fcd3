"""``open``: a store, or a raw trace, which is ingested where that has not been done.

What reads raw traces is loaded only to read one: a store, or one that is kept, opens in half of the time without.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError, UsageError
from iotrace.files.remote import Address, Place, located
from iotrace.files.temporary import folder_of_process
from iotrace.libraries import duckdb
from iotrace.store.folder import SUFFIX, is_store
from iotrace.store.location import cache_path, fingerprint, named
from iotrace.store.store import Progress, Store, read
from iotrace.store.traces import Traces, schema_names
from iotrace.workers import WorkerSpec


def open(
    trace: str | Place | Sequence[str | Place],
    *,
    format: str | None = None,
    columns: str | None = None,
    model: dict[str, str] | None = None,
    order: str = "time",
    align_clocks: bool = False,
    progress: Progress | None = None,
    kept: Callable[[Place], None] | None = None,
    waits: Callable[[], None] = lambda: None,
    worker_spec: WorkerSpec | None = None,
) -> Store:
    """Open a store, or a raw trace, which is ingested first; its store is kept in the user's cache.

    The cache is folder ``iotrace`` in ``XDG_CACHE_HOME``. It has at most 10 GB, a tenth of the free space, or what
    ``IOTRACE_CACHE_SIZE`` says; stores that were used longest ago go first, but none while a process uses it.

    ``format`` names the format of a raw trace, which is guessed otherwise; ``columns`` describes those of text,
    Parquet, Arrow, NumPy or JSON Lines, as ``--columns`` does: ``"key=url,size=bytes"``. ``model`` switches the file
    system model (see ``iotrace ingest --help``); a store that was made with another
    model is reconstructed again. ``align_clocks`` is for raw traces (see `ingest`), and refused for stores of which the
    clocks were not aligned. ``kept`` is called with the path of a store that was written, ``waits`` where
    another process reads the same trace, for whose store this one waits. ``worker_spec`` names workers that read a raw
    trace, where its family allows that (see `ingest`). Raises
    IotraceError for anything that cannot be read.
    """
    if columns is not None:
        if format is not None:
            raise UsageError("give format or columns, not both")
        format = f"csv:{columns}"
    paths = [located(path) for path in ([trace] if isinstance(trace, str | Place) else trace)]
    stores = [path for path in paths if isinstance(path, Address) and is_store(path)]
    if stores and (len(paths) > 1 or model or align_clocks):
        raise UsageError(
            f"{stores[0]}: a store on object storage is read alone and as it is; copy it here first"
        )
    if len(paths) == 1 and is_store(paths[0]):
        store = read(paths[0])
        if align_clocks and "clock_alignment" not in store.manifest:
            raise UsageError(f"{paths[0]}: is a store: clocks are aligned by iotrace ingest --align-clocks")
        _refuse_other_prompts(store, paths[0], format)
        return _with_model(store, model, kept, waits)
    return _open_raw(paths, format, model, order, align_clocks, progress, kept, waits, worker_spec)


def connect(
    traces: str | Place | Store | Sequence[str | Place | Store] | Mapping[str, str | Place | Store],
) -> duckdb.DuckDBPyConnection:
    """Return a DuckDB connection with the tables and views of a trace, or of several, each in a schema.

    The schemas are called as a mapping says, or else after the files; schema ``traces``, which is searched first, has
    the rows of all, with their schema in column trace. Traces are opened as by `open`; raises as `open`.
    """
    if isinstance(traces, str | Place | Store):
        return _opened(traces).connect()
    given = list(traces.items()) if isinstance(traces, Mapping) else [(None, trace) for trace in traces]
    if not given:
        raise UsageError("no trace was given")
    stores = [_opened(trace) for _, trace in given]
    names = schema_names([(name, store.path) for (name, _), store in zip(given, stores, strict=True)])
    return Traces(dict(zip(names, stores, strict=True))).connect()


def _opened(trace: str | Place | Store) -> Store:
    return trace if isinstance(trace, Store) else open(trace)


def _refuse_other_prompts(store: Store, path: Place, form: str | None) -> None:
    """Raise UsageError where the blocks of prompts are to have other tokens than they had when the store was made."""
    if form is None or form == store.manifest["format"]:
        return
    from iotrace.formats.prompt_blocks import PREFIX

    if form.startswith(PREFIX):
        raise UsageError(f"{path}: is a store: --prompt-block is for the iotrace ingest that makes it")


def _with_model(
    store: Store,
    model: dict[str, str] | None,
    kept: Callable[[Place], None] | None,
    waits: Callable[[], None],
) -> Store:
    if not model:
        return store
    from iotrace.ingest import reconstruct

    return reconstruct.with_model(store, model, kept, waits)


def _open_raw(
    paths: Sequence[Place],
    format: str | None,
    model: dict[str, str] | None,
    order: str,
    align_clocks: bool,
    progress: Progress | None,
    kept: Callable[[Place], None] | None,
    waits: Callable[[], None],
    worker_spec: WorkerSpec | None,
) -> Store:
    """Open the store that is kept of a raw trace, or make it."""
    from iotrace.store.kept import opened

    if model and _is_usual(model):
        model = None
    reading: dict[str, Any] = {"format": format, "model": model, "order": order, "align_clocks": align_clocks}
    choices = {key: value for key, value in reading.items() if value and value != "time"}
    if paths == [Path("-")]:
        from iotrace.ingest.pipeline import ingest

        output = Path(tempfile.mkdtemp(dir=folder_of_process())) / f"stdin{SUFFIX}"
        return replace(ingest(paths, output, **reading), called="standard input")
    for path in paths:
        if not path.exists():
            if isinstance(path, Address):
                raise path.missing()
            raise IotraceError(f"{path}: no such file or folder")
        if path.suffix == SUFFIX and path.is_dir():
            raise IotraceError(f"{path}: is not a store: it has no manifest.json; ingest the trace again")
        named(path)
    sources = fingerprint(paths, choices)
    described = {"fingerprint": sources}

    def make(output: Path) -> Store:
        from iotrace.ingest.pipeline import ingest

        return ingest(
            paths,
            output,
            **reading,
            replace=True,
            progress=progress,
            described=described,
            worker_spec=worker_spec,
        )

    store, is_new = opened(cache_path(paths, choices, sources), sources, make, waits)
    if kept and is_new:
        kept(store.path)
    return replace(store, called=str(paths[0]))


def _is_usual(model: Mapping[str, str]) -> bool:
    """Return whether switches of a model name the one that is used without any."""
    from iotrace.ingest.reconstruct import named_model

    return named_model(model) == named_model({})
