"""A store being written: next to its place, and renamed when it is complete, so that it is whole or not there.

On object storage it is there when its manifest is, which is written last."""

import atexit
import contextlib
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

import pyarrow as pa

from iotrace import schemas
from iotrace.families import CALLS, FAMILIES
from iotrace.files import partial_folder, place_folder, restore_replaced, unfinished_prefix
from iotrace.files.inputs import MANIFEST, placed_at, refuse_protected, umask
from iotrace.files.modes import PUBLIC, of_folder
from iotrace.files.names import is_literal
from iotrace.files.outputs import failures_named, refuse_unwritable, taken
from iotrace.files.remote import Address, Place
from iotrace.files.temporary import temporary_folder
from iotrace.formats.format import Run
from iotrace.store.own_files import VIEWS, refuse_foreign, refuse_foreign_objects
from iotrace.store.script import store_views
from iotrace.store.store import Progress
from iotrace.store.table_file import Form, StoredGroups, TableFile


def refuse_taken(output: Place, replace: bool) -> None:
    """Raise UsageError where a store's place is taken, unless ``replace`` is set and a store is there.

    A folder with other files than a store's own is not replaced, nor is an input. Raises IotraceError if nothing can be
    written there.
    """
    refuse_protected(output)
    if isinstance(output, Address):
        refuse_foreign_objects(output)
        if not replace and (output / MANIFEST).is_file():
            raise taken(output)
        refuse_unwritable(output)
        return
    if os.path.lexists(output):
        if output.exists():
            refuse_foreign(output)
        if not replace:
            raise taken(output)
    refuse_unwritable(output)


@contextlib.contextmanager
def writing(output: Place, replace: bool = False, mode: int = PUBLIC) -> Iterator[Path]:
    """Give a folder to write a store into; it takes its place only when the block ends without an error.

    Its files have the ``mode``, except for what the process's mask forbids; until then its writer alone can read them.
    Raises UsageError if the output exists, unless ``replace`` is set and what exists is a store.
    """
    if isinstance(output, Address):
        with _uploaded(output, replace) as folder:
            yield folder
        return
    restore_replaced(placed_at(output))
    refuse_taken(output, replace)
    output = placed_at(output)
    with contextlib.ExitStack() as leaving:
        with failures_named(output):
            output.parent.mkdir(parents=True, exist_ok=True)
            folder = leaving.enter_context(partial_folder(output.parent, unfinished_prefix(output)))
        yield folder
        _set_modes(folder, mode & ~umask())
        if replace and output.exists():
            refuse_foreign(output)  # what came there meanwhile stays
        with failures_named(output):
            try:
                place_folder(folder, output, replace)
            except FileExistsError:
                raise taken(output, "was written by another process meanwhile") from None


@contextlib.contextmanager
def _uploaded(output: Address, replace: bool) -> Iterator[Path]:
    """Give a folder here that is copied to object storage when the block ends without an error."""
    from iotrace.files.transfers import upload_folder

    refuse_taken(output, replace)
    with temporary_folder() as folder:
        yield folder
        refuse_taken(output, replace)
        upload_folder(folder, output, MANIFEST)


def _set_modes(folder: Path, mode: int) -> None:
    """Give a store's files a mode, except for those that are another store's, too; and the folder accordingly."""
    for file in folder.iterdir():
        if file.stat().st_nlink <= 1:
            file.chmod(mode)
    folder.chmod(of_folder(mode))


@dataclass(frozen=True)
class Stored:
    """How the columns of a table are stored; those that are named nowhere are plain.

    ``differences`` grow steadily, or stay the same from row to row; ``repeated`` numbers have few values, so that a
    dictionary of them is smaller. All columns are compressed with zstd if ``zstd`` is None; else those that it makes
    much smaller, and the others with LZ4, which takes half of the time to write and to read.
    """

    differences: Set[str] = frozenset()
    repeated: Set[str] = frozenset()
    zstd: Set[str] | None = None


STORED = {
    "syscall": Stored(frozenset(["seq", "seq_return", "time_ns"]), frozenset(["duration_ns", "count"])),
    "reference": Stored(
        frozenset(["seq", "call_seq", "use"]),
        frozenset(["duration_ns"]),
        zstd=frozenset(["time_ns", "file"]),
    ),
    "call_file": Stored(frozenset(["call_seq"])),
    "failed_path": Stored(frozenset(["call_seq"]), frozenset(["directory"])),
    "call_stack": Stored(frozenset(["call_seq"]), frozenset(["stack"])),
}
OF_REQUESTS = frozenset(FAMILIES) - {CALLS.name}
"""Tables whose rows repeat too little for zstd: with all numbers as differences, LZ4 is as small, and takes half of the
time to write and to read."""
WITH_STATISTICS = frozenset(["seq", "time_ns"])
"""The columns of which each row group has the least and the largest value."""


def _forms(name: str, schema: pa.Schema, is_of_requests: bool) -> list[Form]:
    """Return how a table's columns are stored."""
    integers = {column.name for column in schema if pa.types.is_integer(column.type)}
    stored = STORED.get(name, Stored())
    if is_of_requests:
        stored = Stored(integers, zstd=frozenset())

    def form(column: str) -> Form:
        codec = "zstd" if stored.zstd is None or column in stored.zstd else "lz4"
        encoding = "plain"
        if column not in integers or column in stored.repeated:
            encoding = "dictionary"
        elif column in stored.differences:
            encoding = "differences"
        return codec, encoding, column in WITH_STATISTICS

    return [form(column) for column in schema.names]


class TableWriters:
    """Writes the batches of several tables, each to its Parquet file, with its documented schema.

    ``of_requests`` names the tables that are stored as `OF_REQUESTS` are.
    """

    def __init__(self, folder: Path, of_requests: Set[str] = OF_REQUESTS) -> None:
        self.folder = folder
        self.rows: dict[str, int] = {}
        self._of_requests = of_requests
        self._files: dict[str, TableFile] = {}

    def write(self, name: str, batch: pa.RecordBatch) -> None:
        """Write one batch of a table as one row group; one without rows leaves only the table's schema."""
        file = self._file(name)
        if not batch.num_rows:
            return
        file.write(pa.RecordBatch.from_arrays(batch.columns, schema=schemas.schema(name)))
        self.rows[name] += batch.num_rows

    def copy(self, name: str, stored: StoredGroups, number: int, newer: pa.RecordBatch | None = None) -> None:
        """Write a row group of a stored table, with the columns of a batch in place of its own."""
        self._file(name).copy(stored, number, newer)
        self.rows[name] += stored.rows(number)

    def _file(self, name: str) -> TableFile:
        if name not in self._files:
            schema = schemas.schema(name)
            forms = _forms(name, schema, name in self._of_requests)
            self._files[name] = TableFile(self.folder / f"{name}.parquet", schema, forms)
            self.rows[name] = 0
        return self._files[name]

    def empty(self, name: str) -> None:
        """Make sure that a table exists, if without rows."""
        self._file(name)

    def close(self) -> None:
        """Finish all files; raises OSError, after trying all, where one cannot be finished."""
        failure = None
        for file in self._files.values():
            try:
                file.close()
            except OSError as error:
                failure = failure or error
        if failure:
            raise failure


STEPS_AHEAD = 1
"""How many steps of a run may be read while one is being written."""


def write_tables(
    folder: Path,
    start: Callable[[], Run],
    progress: Progress | None = None,
    written: Mapping[str, Callable[[pa.RecordBatch], None]] | None = None,
) -> tuple[dict[str, int], dict[str, Any]]:
    """Write all tables of a run into a folder, reading on while writing; return numbers of rows, and the report.

    ``written`` has what is called with each batch of a table, by the table's name. Only the thread that calls
    writes, so that it leaves nothing that is being written when it is interrupted.
    """
    report: dict[str, Any] = {}

    def steps() -> Iterator[tuple[list[tuple[str, pa.RecordBatch]], tuple[int, int | None]]]:
        run = start()
        nothing = [pa.RecordBatch.from_pylist([], schema=schemas.schema(name)) for name in run.tables()]
        yield list(zip(run.tables(), nothing, strict=True)), run.progress()
        while (batches := run.next()) is not None:
            yield batches, run.progress()
        report.update(run.report())

    with contextlib.closing(TableWriters(folder)) as writers:
        for batches, read in ahead(steps(), STEPS_AHEAD):
            for name, batch in batches:
                writers.write(name, batch)
                if written and name in written:
                    written[name](batch)
            if progress:
                progress(*read)
    return writers.rows, report


Item = TypeVar("Item")


def ahead(items: Iterator[Item], most: int) -> Iterator[Item]:
    """Yield items that another thread makes, at most this many ahead.

    The thread that takes them can so be interrupted while the other waits for more of a trace.
    """
    queue: SimpleQueue[Item | BaseException | None] = SimpleQueue()
    free_slots = threading.Semaphore(most)
    enough = threading.Event()

    def make() -> None:
        try:
            for item in items:
                queue.put(item)
                free_slots.acquire()
                if enough.is_set():
                    return
            queue.put(None)
        except BaseException as error:
            queue.put(error)
        finally:
            _stop_of.pop(thread, None)

    def stop() -> None:
        enough.set()
        free_slots.release()

    thread = threading.Thread(target=make, daemon=True)
    _stop_of[thread] = stop
    thread.start()
    try:
        while (item := queue.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
            free_slots.release()
    finally:
        stop()


_stop_of: dict[threading.Thread, Callable[[], None]] = {}
"""The threads that make items, with what has them stop."""
MOST_SECONDS_AT_THE_END = 1.0
"""How long the program waits for them when it ends: one that waits for a pipe may wait for ever."""


@atexit.register
def _stop_all() -> None:
    """Have them stop: Python ends threads as they return from native code, which can abort the whole process."""
    until_s = time.monotonic() + MOST_SECONDS_AT_THE_END
    for thread, stop in list(_stop_of.items()):
        stop()
        thread.join(max(0.0, until_s - time.monotonic()))


def write_manifest(folder: Path, manifest: dict[str, Any], output: Place | None = None) -> None:
    """Write a store's manifest and its ``views.sql``; ``output`` is the store's place, if not the folder."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    written = text.encode("utf-8", "backslashreplace")
    output = folder if output is None else output
    place = str(output if isinstance(output, Address) else placed_at(output))
    script = store_views(manifest, place if is_literal(place) else "", written).script()
    (folder / VIEWS).write_text(script, "utf-8")
    (folder / MANIFEST).write_bytes(written)
