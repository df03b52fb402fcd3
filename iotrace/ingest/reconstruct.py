"""From a native table to the reference stream: the file table run again, with another model."""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from iotrace.errors import IotraceError, reason
from iotrace.families import UNDER_CALLS
from iotrace.files.inputs import MANIFEST
from iotrace.files.modes import mode_of
from iotrace.files.names import local_name
from iotrace.files.remote import Place
from iotrace.formats.known_files import read_known_files
from iotrace.ingest.rebase import amend
from iotrace.store.kept import opened
from iotrace.store.location import cache_path, fingerprint
from iotrace.store.store import Store, read
from iotrace.store.writer import write_manifest, write_tables, writing

DEFAULT_MODEL = "linux"
"""The model of the file system where none is named."""
KEPT = ("syscall", "known_file", "disagreement", "inherited_descriptor", *UNDER_CALLS)
"""Tables that no model changes."""
OF_THE_LOG = ("negative_durations", "negative_offsets", "negative_sizes", "unlisted_disagreements")
"""Counts that only the log has: in a store's calls, impossible values are null."""


def with_model(
    store: Store,
    model: Mapping[str, str],
    kept: Callable[[Place], None] | None = None,
    waits: Callable[[], None] = lambda: None,
) -> Store:
    """Return the store as this model sees it.

    That is the store itself where it was made with the same model. Otherwise its calls run through the file table
    again, and the result is kept in the user's cache; ``kept`` is called with its path, if it is new, and ``waits``
    where another process makes it. Raises IotraceError for a store that has no table of system calls.
    """
    switches = dict(model)
    if not switches or named_model(switches) == store.manifest["model"]:
        return store
    refuse_several(store, "--model")
    sources = fingerprint([store.path / MANIFEST], switches)
    path = cache_path([store.path], switches, sources)
    rebuilt, is_new = opened(path, sources, lambda there: reconstruct(store, there, switches, sources), waits)
    if kept and is_new:
        kept(rebuilt.path)
    return replace(rebuilt, called=store.name)


def refuse_several(store: Store, what: str) -> None:
    """Raise IotraceError for what would take the calls of several recordings for those of one."""
    if store.family.has_model and store.manifest.get("jobs"):
        raise IotraceError(
            f"{store.name}: has several recordings, whose processes can have the same numbers: {what} is for a store of"
            " one; iotrace ingest makes a store of each log"
        )


def named_model(switches: Mapping[str, str]) -> dict[str, str]:
    """Return switches with the name of the model from which they depart."""
    return {"model": DEFAULT_MODEL, **switches}


def reconstruct(store: Store, output: Path, model: Mapping[str, str], sources: list[object]) -> Store:
    """Run a store's calls through the file table with this model, and write the result as a separate store."""
    from iotrace.engine import native

    if not store.family.has_model:
        raise IotraceError(
            f"{store.name}: has no system calls, so that a file system model cannot be applied"
        )
    known = read_known_files(store.folder / "known_file.parquet" if "known_file" in store.tables else None)
    inherited = inherited_descriptors(store)
    with writing(output, replace=True, mode=mode_of([store.folder])) as folder:
        try:
            calls = entries(store)
            rows, report = write_tables(
                folder, lambda: native.SyscallRun.of_entries(calls, list(model.items()), known, inherited)
            )
            amend(folder, report)
        except (ValueError, OSError) as error:
            raise IotraceError(f"{store.name}: {reason(error)}") from None
        for name in KEPT:
            if name in store.tables:
                link(store.table_path(name), folder / f"{name}.parquet")
                rows[name] = store.manifest["tables"][name]
        seen = store.manifest["seen"]
        counts = {**store.manifest["counts"], **derived_counts(folder, rows)}
        changed = {
            "model": named_model(model),
            "counts": counts,
            "seen": report["seen"] | {name: seen[name] for name in OF_THE_LOG if name in seen},
            "fingerprint": sources,
        }
        write_manifest(folder, {**store.manifest, **changed, "tables": rows}, output)
    return read(output)


def derived_counts(folder: Path, rows: Mapping[str, int]) -> dict[str, int]:
    """Count what a reconstruction made, from its tables in a folder and their numbers of rows.

    Files are those that are no inodes; processes are thread groups by the kernel's number, one that was given
    twice counted once. (The tables have more rows: one for each inode, and one for each thread and program.)
    Statistic ``totals`` counts the same.
    """
    inodes = 0
    for batch in pq.ParquetFile(local_name(folder / "file.parquet")).iter_batches(columns=["kind"]):
        kinds = batch["kind"]
        is_inode = np.array([kind == "inode" for kind in kinds.dictionary.to_pylist()], dtype=bool)
        inodes += int(np.count_nonzero(is_inode[kinds.indices.to_numpy()]))
    processes: set[tuple[int | None, int | None]] = set()
    for batch in pq.ParquetFile(local_name(folder / "process.parquet")).iter_batches(columns=["job", "pid"]):
        processes.update(zip(batch["job"].to_pylist(), batch["pid"].to_pylist(), strict=True))
    return {
        "references": rows["reference"],
        "files": rows["file"] - inodes,
        "processes": len(processes),
        "uses": rows["use"],
    }


def link(source: Path, target: Path) -> None:
    """Give a file a further name, or copy it where the file system has no such links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def inherited_descriptors(store: Store) -> list[tuple[int, int, str, bool]]:
    """Return the paths that a log's annotations gave to descriptors from before the trace, as rows of their table."""
    if "inherited_descriptor" not in store.tables:
        return []
    rows = store.arrow("inherited_descriptor").to_pylist()
    return [(row["call_seq"], row["fd"], row["path"], row["deleted"]) for row in rows]


def entries(store: Store) -> pa.RecordBatchReader:
    """Return the calls of a store in the order of the trace, issue and return separate (query ``entry``)."""
    reader = store.sandboxed(["entry"]).sql("from entry").to_arrow_reader(65536)
    fields = [pa.field(field.name, _plain(field.type)) for field in reader.schema]
    schema = pa.schema(fields)
    return pa.RecordBatchReader.from_batches(schema, (batch.cast(schema) for batch in reader))


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind
