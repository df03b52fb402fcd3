"""What is interrupted: commands that write something, and how to see whether that is the old thing or the new one."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from iotrace.errors import IotraceError
from iotrace.store import store

SMALL_LOG = Path(__file__).parents[1] / "cli" / "copy.strace"
LOG = Path(__file__).parents[2] / "iotrace" / "demo" / "demo.strace.zst"
OLD_TEXT = '<!doctype html>\n<meta name="generator" content="iotrace 0">\nold\n'


class State(StrEnum):
    """The state of an output."""

    ABSENT = "absent"
    OLD = "old"
    NEW = "new"
    HALF = "HALF"


@dataclass(frozen=True)
class Operation:
    """A command that writes into the folder in which it is started."""

    name: str
    words: tuple[str, ...]
    prepare: Callable[[Path, Path], None]
    """Given the folder of inputs and a new folder, puts the old thing there."""
    state: Callable[[Path], State]
    outputs: tuple[str, ...]
    """The files that may remain in the folder."""
    keeps: str = ""
    """Suffixes of files that a killed run leaves and that are never removed."""


def store_state(folder: Path) -> State:
    return _store_state(folder / "out.iotrace")


def _store_state(path: Path) -> State:
    """Return which complete store this is, by its size: the old one is that of the small log."""
    if not path.exists():
        return State.ABSENT
    try:
        opened = store.read(path)
        rows = {name: pq.ParquetFile(opened.table_path(name)).metadata.num_rows for name in opened.tables}
    except (IotraceError, OSError, pa.ArrowException):
        return State.HALF
    if rows != opened.manifest["tables"]:
        return State.HALF
    return State.OLD if opened.manifest["sources"] == [str(SMALL_LOG)] else State.NEW


def recorded_state(folder: Path) -> State:
    """Return the state of a recorded store and of its log; the log is put in its place last."""
    state, log = _store_state(folder / "out.iotrace"), folder / "out.strace.zst"
    text = log.read_bytes() if log.exists() else None
    if text is None:
        return state if state is not State.OLD else State.HALF
    if text == OLD_TEXT.encode():
        return state
    try:
        whole = pa.input_stream(str(log), compression="zstd").read()
    except OSError:
        return State.HALF
    return state if state is State.NEW and b"+++ exited with" in whole else State.HALF


LAST_CHARACTERS = 40


def text_state(name: str, end: str) -> Callable[[Path], State]:
    """Return the state of a text of which the last line is known."""

    def state(folder: Path) -> State:
        path = folder / name
        if not path.exists():
            return State.ABSENT
        text = path.read_text("utf-8")
        if text == OLD_TEXT:
            return State.OLD
        return State.NEW if end in text[-LAST_CHARACTERS:] else State.HALF

    return state


def folder_state(folder: Path) -> State:
    """Return the state of a folder of tables, which has them all or none."""
    tables = folder / "tables"
    if not tables.exists():
        return State.ABSENT
    with duckdb.connect() as connection:
        rows = {
            path.stem: connection.execute("select count(*) from read_csv(?)", [str(path)]).fetchall()[0][0]
            for path in tables.glob("[!.]*.csv")
        }
    return (
        State.NEW
        if rows == store.read(folder.parent / "inputs" / "in.iotrace").manifest["tables"]
        else State.HALF
    )


def nothing(inputs: Path, folder: Path) -> None:
    """Put nothing there."""


def old_store(inputs: Path, folder: Path) -> None:
    shutil.copytree(inputs / "small.iotrace", folder / "out.iotrace")


def old_recording(inputs: Path, folder: Path) -> None:
    old_store(inputs, folder)
    (folder / "out.strace.zst").write_text(OLD_TEXT)


def old_text(name: str) -> Callable[[Path, Path], None]:
    def prepare(inputs: Path, folder: Path) -> None:
        (folder / name).write_text(OLD_TEXT)

    return prepare


COMMAND = ("sh", "-c", "for i in $(seq 40); do cat ../inputs/words; done >/dev/null")
QUERY = "(select * from reference limit 200000) union all by name select -1 as seq order by seq desc"
STORE, SMALL_STORE = "../inputs/in.iotrace", "../inputs/small.iotrace"
OPERATIONS = (
    Operation("ingest", ("ingest", str(LOG), "-o", "out.iotrace"), nothing, store_state, ("out.iotrace",)),
    Operation(
        "ingest --force",
        ("ingest", str(LOG), "-o", "out.iotrace", "--force"),
        old_store,
        store_state,
        ("out.iotrace",),
    ),
    Operation(
        "record --force",
        ("record", "-o", "out.iotrace", "--force", "--", *COMMAND),
        old_recording,
        recorded_state,
        ("out.iotrace", "out.strace.zst"),
        ".partial",
    ),
    Operation(
        "report",
        ("report", SMALL_STORE, "-o", "out.html", "--force"),
        old_text("out.html"),
        text_state("out.html", "</html>"),
        ("out.html",),
    ),
    Operation(
        "sql -o",
        ("sql", STORE, QUERY, "-o", "out.csv", "--force"),
        old_text("out.csv"),
        text_state("out.csv", "\n-1,"),
        ("out.csv",),
    ),
    Operation(
        "export --to ultrix",
        ("export", STORE, "--to", "ultrix", "-o", "out.ultrix", "--force"),
        old_text("out.ultrix"),
        text_state("out.ultrix", "process_exited 0\n"),
        ("out.ultrix",),
    ),
    Operation(
        "export --to csv",
        ("export", STORE, "--to", "csv", "-o", "tables"),
        nothing,
        folder_state,
        ("tables",),
    ),
)
