"""Stores in other forms: the ULTRIX text, or a file per table."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from iotrace.errors import IotraceError, UsageError, reason
from iotrace.reconstruct import entries
from iotrace.store import Store, umask


def to_ultrix(store: Store, output: Path, force: bool = False) -> int:
    """Write a store's calls as ULTRIX text (``-`` for standard output); return the number of entries.

    Raises IotraceError for a store without system calls, UsageError where the output exists and ``force`` is not set.
    """
    from iotrace.engine import native

    if "syscall" not in store.tables:
        raise IotraceError(f"{store.path}: has no system calls to export")
    if str(output) == "-":
        return int(native.write_ultrix(entries(store), "/dev/stdout"))
    _refuse(output, force)
    handle, partial = tempfile.mkstemp(prefix=f".{output.name}.partial-", dir=output.parent)
    os.close(handle)
    try:
        count = int(native.write_ultrix(entries(store), partial))
        Path(partial).chmod(0o666 & ~umask())
        Path(partial).replace(output)
        return count
    except (ValueError, OSError) as error:
        raise IotraceError(f"{output}: {reason(error)}") from None
    finally:
        Path(partial).unlink(missing_ok=True)


def to_tables(
    store: Store, folder: Path, form: str, names: Sequence[str] | None = None, force: bool = False
) -> list[Path]:
    """Write a store's tables, or those named, into a folder as ``csv``, ``json`` or ``parquet``; return the files."""
    connection = store.connect()
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    options = {
        "csv": "format csv, header",
        "json": "format json",
        "parquet": "format parquet, compression zstd",
    }[form]
    for name in names or store.tables:
        store.table_path(name)
        target = folder / f"{name}.{form}"
        _refuse(target, force)
        quoted = str(target).replace("'", "''")
        connection.execute(f"copy (from \"{name}\") to '{quoted}' ({options})")
        written.append(target)
    return written


def _refuse(output: Path, force: bool) -> None:
    if output.is_dir():
        raise UsageError(f"{output}: is a directory")
    if output.exists() and not force:
        raise UsageError(f"{output}: exists; give --force to replace it")
