"""A store's calls as text: a log of strace, and ULTRIX text."""

import os
import shutil
import stat
import sys
from collections.abc import Callable
from pathlib import Path

from iotrace.errors import IotraceError
from iotrace.export.form import FROM_1970, Form, failures, left_out, refuse
from iotrace.export.redacted import REDACTED_FROM
from iotrace.families import CALLS
from iotrace.files import atomic_write
from iotrace.files.remote import Place
from iotrace.files.temporary import temporary_folder
from iotrace.ingest.reconstruct import entries, inherited_descriptors, refuse_several
from iotrace.store.store import Store


def write_strace(store: Store, output: Place, force: bool = False) -> tuple[str, ...]:
    """Write a store's calls as a log of strace (see `Form`)."""
    from iotrace.engine import native

    refuse_several(store, "a log of strace")
    times = store.manifest["times"]
    is_dated = times["base"] == "epoch"
    zero_ns = (times["first_ns"] if is_dated else 0) if store.has_times else None
    detached = _write(
        output,
        force,
        lambda text: native.write_strace(entries(store), inherited_descriptors(store), zero_ns, text),
    )
    remarks = () if is_dated or zero_ns is None else (FROM_1970,)
    return (*remarks, *left_out({"ends of tracing": detached} if detached else {}), *_lost(store))


def write_ultrix(store: Store, output: Place, force: bool = False) -> tuple[str, ...]:
    """Write a store's calls as ULTRIX text (see `Form`)."""
    from iotrace.engine import native

    refuse_several(store, "ULTRIX text")
    _write(output, force, lambda text: native.write_ultrix(entries(store), text))
    return _lost(store)


def _write(output: Place, force: bool, write: Callable[[str], int]) -> int:
    """Call what writes a file of this name, and return what it returns."""
    if str(output) == "-":
        with failures(Path("standard output")):
            return _write_to_standard_output(write)
    refuse(output, force)
    try:
        with failures(output), atomic_write(output, replace=force) as partial:
            return write(str(partial))
    except ValueError as error:
        raise IotraceError(f"{output}: {error}") from None


def _write_to_standard_output(write: Callable[[str], int]) -> int:
    """The same; a file goes through a temporary one, since what it holds before is to stay."""
    sys.stdout.flush()
    if not stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode):
        return write("/dev/stdout")
    with temporary_folder() as folder:
        text = folder / "calls"
        number = write(str(text))
        with text.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
    sys.stdout.flush()
    return number


def _lost(store: Store) -> tuple[str, ...]:
    if "known_file" not in store.tables:
        return ()
    lost = "the text has no place for what record noted of files"
    if REDACTED_FROM in store.manifest:
        return (lost,)
    return (f"{lost}; ingest it with --known-files {store.table_path('known_file')}",)


FORMS = (
    Form("strace", "a log of strace", write_strace, (CALLS,)),
    Form("ultrix", "the ULTRIX text of calls", write_ultrix, (CALLS,)),
)
