"""From the bytes of a trace to a store, by way of the engine; and ``open``, which does so where it has to."""

from __future__ import annotations

import atexit
import contextlib
import platform
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from iotrace import (
    __version__,
    disk_references,
    formats,
    parallel_clocks,
    parallel_references,
    reconstruct,
    time_order,
)
from iotrace.errors import IotraceError, UsageError, reason
from iotrace.rebase import Rebase, rebase
from iotrace.store import (
    STORE_VERSION,
    SUFFIX,
    Progress,
    Store,
    cache_path,
    fingerprint,
    is_store,
    named,
    read,
    write_manifest,
    write_tables,
    writing,
)

NO_LOG = ": is no strace log: "
"""What the engine says between a trace's name and the reason."""
WHAT_HELPS = "iotrace formats lists them; --trace-format names one, --columns describes others"


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
    align_clocks: bool = False,
) -> Store:
    """Read a trace and write its store.

    ``paths`` are the files of one trace (several, or a folder, for ``strace -ff``); ``format`` is guessed from the
    first bytes where it is None; ``known_files`` names the table of sizes that ``iotrace record`` wrote;
    ``described`` goes into the manifest as it is; ``align_clocks`` moves the clocks of a parallel trace's processes
    (see `iotrace.parallel_clocks`). Raises IotraceError where the trace cannot be read or is no trace,
    and leaves nothing behind then.
    """
    import pyarrow.parquet as pq

    if stores := [path for path in paths if is_store(path)]:
        raise UsageError(f"{stores[0]}: is a store; what it was made from can be ingested anew")
    switches = dict(model or {})
    with writing(output, replace) as folder:
        try:
            source = formats.source(paths, format)
            if align_clocks and source.family != "parallel_io":
                raise UsageError("only the ranks of a parallel trace have clocks of their own to align")
            rows, report = write_tables(
                folder, lambda: source.start(paths, switches, order, known_files), progress
            )
            if source.family == "disk_io":
                rows |= disk_references.derive(folder, is_sorted=not report.pop("unsorted"))
            elif source.family == "syscall":
                if rebases := [Rebase(*one) for one in report.pop("rebases")]:
                    rebase(folder, rebases)
            elif source.family == "parallel_io":
                rows |= _derive_parallel(folder, report, align_clocks)
        except (ValueError, OSError) as error:
            raise _refused(output, error, guessed=format is None) from None
        if known_files is not None:
            shutil.copyfile(known_files, folder / "known_file.parquet")
            rows["known_file"] = pq.read_metadata(known_files).num_rows
        manifest = {
            "iotrace": __version__,
            "store_version": STORE_VERSION,
            "format": source.name,
            "host": platform.node(),
            "sources": [str(path) for path in paths],
            "model": reconstruct.named_model(switches) if source.family == "syscall" else {},
            **report,
            "counts": {**report["counts"], **reconstruct.derived_counts(folder, rows)},
            **(described or {}),
            "tables": rows,
        }
        write_manifest(folder, manifest)
    return read(output)


def _derive_parallel(folder: Path, report: dict[str, Any], align_clocks: bool) -> dict[str, int]:
    """Write what is derived of table parallel_io, and add to the report what that told."""
    unsorted = report.pop("unsorted")
    in_several = report.pop("processes_in_several_files")
    if align_clocks:
        if in_several:
            report["warnings"].append(
                f"several files hold calls of the same process, for {in_several:,} processes: each was taken for one"
                " process with one clock; where ranks were numbered anew in each file, ingest the files apart"
            )
        alignment = parallel_clocks.align(folder)
        report["clock_alignment"] = alignment.as_dict()
        report["warnings"].append(alignment.sentence())
        report["counts"]["duration_ns"] = alignment.duration_ns
        report["times"]["first_ns"] += alignment.first_moved_ns
    if unsorted or align_clocks:
        time_order.sort(folder, "parallel_io")
    rows, remarks, seen = parallel_references.derive(folder)
    report["remarks"] |= remarks
    report["seen"] |= seen
    if unknown := seen["unknown_offsets"] + seen["appends_of_unknown_offset"]:
        report["warnings"].append(
            f"{unknown:,} of {report['counts']['requests']:,} reads and writes are at an unknown place of their file"
        )
    return rows


def _refused(output: Path, error: ValueError | OSError, guessed: bool) -> IotraceError:
    """Name the store where the system refused to write it; what the engine says names the trace itself.

    strace is the last resort of the formats: a trace that is none, and was not said to be one, is of no known format.
    """
    if isinstance(error, OSError) and error.errno is not None:
        return IotraceError(f"{output}: cannot be written: {reason(error)}")
    place, is_no_log, why = str(error).partition(NO_LOG)
    if guessed and is_no_log:
        return IotraceError(f"{place}: no known format: as strace log: {why}; {WHAT_HELPS}")
    return IotraceError(str(error))


def open(
    trace: str | Path | Sequence[str | Path],
    *,
    format: str | None = None,
    model: dict[str, str] | None = None,
    order: str = "time",
    align_clocks: bool = False,
    progress: Progress | None = None,
    kept: Callable[[Path], None] | None = None,
) -> Store:
    """Open a store, or a raw trace, which is ingested on the way and cached beside it.

    ``model`` switches the file system model (see ``iotrace ingest --help``); a store that was made with another
    model is reconstructed anew. ``align_clocks`` is for raw traces (see `ingest`), and refused for stores of which the
    clocks were not aligned. ``kept`` is told the place of a store that was written on the way. Raises
    IotraceError for anything that cannot be read.
    """
    paths = [Path(trace)] if isinstance(trace, str | Path) else [Path(path) for path in trace]
    if len(paths) == 1 and is_store(paths[0]):
        store = read(paths[0])
        if align_clocks and "clock_alignment" not in store.manifest:
            raise UsageError(f"{paths[0]}: is a store: clocks are aligned by iotrace ingest --align-clocks")
        return reconstruct.with_model(store, model or {}, kept)
    if model and reconstruct.named_model(model) == reconstruct.named_model({}):
        model = None
    choices = {
        key: value
        for key, value in (
            ("format", format),
            ("model", model),
            ("order", order),
            ("align_clocks", align_clocks),
        )
        if value and value != "time"
    }
    if paths == [Path("-")]:
        folder = Path(tempfile.mkdtemp(prefix="iotrace-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        return ingest(
            paths,
            folder / f"stdin{SUFFIX}",
            format=format,
            model=model,
            order=order,
            align_clocks=align_clocks,
        )
    for path in paths:
        if not path.exists():
            raise IotraceError(f"{path}: no such file or folder")
        if path.suffix == SUFFIX and path.is_dir():
            raise IotraceError(f"{path}: is no store: it has no manifest.json")
        named(path)
    place = cache_path(paths, choices)
    sources = fingerprint(paths, choices)
    if is_store(place):
        with contextlib.suppress(IotraceError):
            store = read(place)
            if store.manifest.get("fingerprint") == sources:
                return store
    store = ingest(
        paths,
        place,
        format=format,
        model=model,
        order=order,
        align_clocks=align_clocks,
        replace=True,
        progress=progress,
        described={"fingerprint": sources},
    )
    if kept:
        kept(place)
    return store
