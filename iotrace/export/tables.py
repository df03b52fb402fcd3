"""Stores in other forms: the ULTRIX text, the text of VMS traces, or a file per table."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TextIO

from iotrace import queries
from iotrace.errors import IotraceError, UsageError, reason
from iotrace.files import partial_folder, place_folder, placed, renaming, umask, unfinished_prefix
from iotrace.files.names import local_name
from iotrace.formats import vms_io
from iotrace.ingest.reconstruct import entries
from iotrace.store.store import Store


def to_ultrix(store: Store, output: Path, force: bool = False) -> int:
    """Write a store's calls as ULTRIX text (``-`` for standard output); return the number of entries.

    Raises IotraceError for a store without system calls, UsageError where the output exists and ``force`` is not set.
    """
    import duckdb

    from iotrace.engine import native

    if "syscall" not in store.tables:
        raise IotraceError(f"{store.path}: has no system calls to export")
    if str(output) == "-":
        return int(native.write_ultrix(entries(store), "/dev/stdout"))
    _refuse(output, force)
    try:
        with placed(output, replace=force) as partial:
            return int(native.write_ultrix(entries(store), str(partial)))
    except (ValueError, OSError, duckdb.Error) as error:
        raise IotraceError(f"{output}: {reason(error)}") from None


def to_vms(store: Store, output: Path, force: bool = False) -> tuple[int, int]:
    """Write a block trace's reads and writes as vms-io text (``-`` for standard output).

    Returns the numbers of requests written and left out: the text has no discards and flushes. Times are cut to
    100 ns; service times and flags have no place. Raises IotraceError for a store of another family, or of a trace
    without times, operations or lengths; UsageError where the output exists and ``force`` is not set.
    """
    import duckdb

    if "disk_io" not in store.tables:
        raise IotraceError(f"{store.path}: is no block trace: vms-io is made of requests to disks")
    lacks = {"time_ns": "times", "operation": "operations", "blocks": "lengths"}
    if lacking := [lacks[name] for name in store.manifest.get("lacks", ()) if name in lacks]:
        raise IotraceError(f"{store.path}: the trace has no {' and no '.join(lacking)}, which vms-io needs")
    if str(output) == "-":
        return _write_vms(store, sys.stdout)
    _refuse(output, force)
    try:
        with placed(output, replace=force) as partial, partial.open("w", encoding="utf-8") as file:
            return _write_vms(store, file)
    except (OSError, duckdb.Error) as error:
        raise IotraceError(f"{output}: {reason(error)}") from None


def _write_vms(store: Store, file: TextIO) -> tuple[int, int]:
    times = store.manifest["times"]
    zero_ns = times["first_ns"] + vms_io.EPOCH_TICKS * vms_io.TICK_NS if times["base"] == "epoch" else 0
    relative = [] if times["base"] == "epoch" else [vms_io.RELATIVE]
    file.write("\n".join([vms_io.MAGIC, *relative, vms_io.COLUMNS]) + "\n")
    written = left_out = 0
    for batch in store.sandboxed().sql("from disk_request").to_arrow_reader(65536):
        lines = [
            vms_io.line(row, zero_ns) for row in batch.to_pylist() if row["operation"] in ("read", "write")
        ]
        file.writelines(lines)
        written += len(lines)
        left_out += batch.num_rows - len(lines)
    return written, left_out


def to_tables(
    store: Store, folder: Path, form: str, names: Sequence[str] | None = None, force: bool = False
) -> list[Path]:
    """Write a store's tables, or those named, into a folder as ``csv``, ``json`` or ``parquet``; return the files.

    Raises IotraceError for a table that the store has not, UsageError for a file that exists unless ``force`` is set.
    """
    sources = {name: store.table_path(name) for name in names or store.tables}
    targets = {name: folder / f"{name}.{form}" for name in sources}
    for target in targets.values():
        _refuse(target, force)
    connection = store.connect()
    with _gathered(folder, targets.values(), force) as gathered:
        for name, source in sources.items():
            partial = gathered / targets[name].name
            if form == "parquet":
                shutil.copyfile(source, partial)
            else:
                quoted = queries.literal(local_name(partial))
                connection.execute(f'copy (from "{name}") to {quoted} ({TEXT_FORMS[form]})')
    return list(targets.values())


TEXT_FORMS = {"csv": "format csv, header", "json": "format json"}


@contextlib.contextmanager
def _gathered(folder: Path, targets: Collection[Path], force: bool) -> Iterator[Path]:
    """Give a folder in which files are made that take their places when the block ends without an error.

    A folder that is not there yet takes its place as a whole.
    """
    import duckdb

    is_new = not folder.exists()
    parent, prefix = (folder.parent, unfinished_prefix(folder)) if is_new else (folder, ".partial-")
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with partial_folder(parent, prefix) as gathered:
            yield gathered
            if is_new:
                gathered.chmod(0o777 & ~umask())
                place_folder(gathered, folder, replace=False)
                return
            for target in targets:
                made = gathered / target.name
                made.replace(target) if force else renaming.without_replacing(made, target)
    except (OSError, duckdb.Error) as error:
        raise IotraceError(f"{folder}: {reason(error)}") from error


def _refuse(output: Path, force: bool) -> None:
    if output.is_dir():
        raise UsageError(f"{output}: is a directory")
    if os.path.lexists(output) and not force:
        raise UsageError(f"{output}: exists; give --force to replace it")
