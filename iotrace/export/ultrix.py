"""A store's calls as ULTRIX text."""

import os
import shutil
import stat
import sys
from pathlib import Path

from iotrace.errors import IotraceError
from iotrace.export.form import Form, failures, refuse
from iotrace.export.redacted import REDACTED_FROM
from iotrace.families import CALLS
from iotrace.files import atomic_write
from iotrace.files.temporary import temporary_folder
from iotrace.ingest.reconstruct import entries
from iotrace.store.store import Store


def write(store: Store, output: Path, force: bool = False) -> tuple[str, ...]:
    """Write a store's calls (see `Form`)."""
    from iotrace.engine import native

    if str(output) == "-":
        with failures(Path("standard output")):
            _write_to_standard_output(store)
        return _lost(store)
    refuse(output, force)
    try:
        with failures(output), atomic_write(output, replace=force) as partial:
            native.write_ultrix(entries(store), str(partial))
    except ValueError as error:
        raise IotraceError(f"{output}: {error}") from None
    return _lost(store)


def _write_to_standard_output(store: Store) -> None:
    """Write a store's calls; a file goes through a temporary one, since what it holds before them is to stay."""
    from iotrace.engine import native

    sys.stdout.flush()
    if not stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode):
        native.write_ultrix(entries(store), "/dev/stdout")
        return
    with temporary_folder() as folder:
        text = folder / "calls"
        native.write_ultrix(entries(store), str(text))
        with text.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
    sys.stdout.flush()


def _lost(store: Store) -> tuple[str, ...]:
    if "known_file" not in store.tables:
        return ()
    lost = "the text has no place for what record noted of files"
    if REDACTED_FROM in store.manifest:
        return (lost,)
    return (f"{lost}; ingest it with --known-files {store.table_path('known_file')}",)


FORM = Form("ultrix", "the ULTRIX text of calls", write, (CALLS,))
