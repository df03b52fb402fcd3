"""Stores from strangers: well-typed tables with invalid values end in an answer or a refusal of one line."""

import io
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from iotrace import cli
from iotrace.ingest import pipeline

LOG = Path(__file__).parents[1] / "cli" / "copy.strace"
BLOCKS = (
    "128166372003061629,host,1,Read,383496192,32768,413\n128166372016382155,host,1,Write,310378496,4096,900\n"
)
SLOW_SECONDS = 20
LARGEST = 2**63 - 1
LARGEST_32 = 2**31 - 1
EVIL = '\x1b]0;owned\x07<script>document.title="owned"</script>'
Change = Callable[[Path], object]

VERBS: dict[str, tuple[str, ...]] = {
    "info": (),
    "characterize": (),
    "curve": (),
    "curve --where": ("--where", "length > 0", "--by", "path"),
    "sql": ("select type, path, program from reference join file using (file) join process using (process)",),
    "nonvolatile": (),
    "attribute": ("--class", "Logs: path like '%.log'"),
    "patterns": ("--least", "1"),
}
BLOCK_VERBS: dict[str, tuple[str, ...]] = {"info": (), "curve": (), "write-cache": ()}
DUCKDB_VERBS = ("characterize", "curve --where", "sql")
"""What takes long to start, and is asked of some stores only: DuckDB checks its values itself."""


def put(table: str, column: str, value: object, rows: Iterable[int] | None = (1,)) -> Change:
    """Return what puts a value into some rows of a column, or into all of them."""

    def change(store: Path) -> None:
        place = store / f"{table}.parquet"
        found = pq.read_table(place)
        kind = found.schema.field(column).type
        values = found[column].to_pylist()
        for row in range(len(values)) if rows is None else rows:
            values[row % len(values)] = value
        plain = pa.string() if pa.types.is_dictionary(kind) else kind
        number = found.schema.get_field_index(column)
        pq.write_table(
            found.set_column(number, pa.field(column, kind), pa.array(values, plain).cast(kind)), place
        )

    return change


def many(table: str, rows: int, row_group_rows: int) -> Change:
    """Return what makes a table of many rows that are all its first, which take little place."""

    def change(store: Path) -> None:
        place = store / f"{table}.parquet"
        first = pq.read_table(place).slice(0, 1)
        group = first.take(pa.array(np.zeros(row_group_rows, np.int64))).combine_chunks()
        with pq.ParquetWriter(place, first.schema, compression="zstd") as writer:
            for _ in range(rows // row_group_rows):
                writer.write_table(group)
        manifest = json.loads((store / "manifest.json").read_text())
        manifest["tables"][table] = rows
        (store / "manifest.json").write_text(json.dumps(manifest))

    return change


def replace(name: str, make: Callable[[Path], object]) -> Change:
    """Return what puts something else in the place of a file."""

    def change(store: Path) -> None:
        (store / name).unlink()
        make(store / name)

    return change


def together(*changes: Change) -> Change:
    return lambda store: [change(store) for change in changes]


def damage_pages(store: Path) -> None:
    """Overwrite what is between a table's head and its metadata."""
    place = store / "reference.parquet"
    content = bytearray(place.read_bytes())
    content[4:400] = b"\xff" * 396
    place.write_bytes(content)


STORES: dict[str, Change] = {
    "neg_file": put("reference", "file", -1),
    "huge_files": put("reference", "file", LARGEST_32, None),
    "no_file": put("reference", "file", None, None),
    "neg_process": put("reference", "process", -1),
    "huge_process": put("reference", "process", LARGEST_32, None),
    "neg_use": put("reference", "use", -1, None),
    "huge_use": put("reference", "use", LARGEST_32),
    "neg_node": put("reference", "node", -1, None),
    "neg_length": put("reference", "length", -1),
    "huge_length": put("reference", "length", LARGEST),
    "big_length": put("reference", "length", 2**50, None),
    "neg_offset": put("reference", "offset", -(2**63)),
    "huge_offset": put("reference", "offset", LARGEST, None),
    "huge_end": together(put("reference", "offset", 2**62, None), put("reference", "length", 2**62, None)),
    "neg_size": put("reference", "file_size", -1, None),
    "huge_size": put("reference", "file_size", LARGEST, None),
    "neg_time": put("reference", "time_ns", -(2**63)),
    "huge_time": put("reference", "time_ns", LARGEST),
    "huge_times": put("reference", "time_ns", LARGEST, None),
    "no_time": put("reference", "time_ns", None),
    "huge_duration": put("reference", "duration_ns", LARGEST, None),
    "unknown_type": put("reference", "type", EVIL),
    "unknown_types": put("reference", "type", EVIL, None),
    "unknown_operation": put("reference", "operation", EVIL),
    "unknown_operations": put("reference", "operation", EVIL, None),
    "no_operation": put("reference", "operation", None),
    "unknown_flags": put("reference", "flags", EVIL, None),
    "file_twice": put("file", "file", 0, None),
    "file_huge": put("file", "file", LARGEST_32),
    "file_evil": together(put("file", "path", EVIL, None), put("file", "path_last", EVIL, None)),
    "file_no_path": put("file", "path", None, None),
    "file_neg_size": put("file", "size_largest_bytes", -(2**63), None),
    "file_huge_size": put("file", "size_largest_bytes", LARGEST, None),
    "file_of_itself": put("file", "of_file", 1, None),
    "file_of_huge": put("file", "of_file", LARGEST_32, None),
    "process_twice": put("process", "process", 0, None),
    "process_huge": put("process", "process", LARGEST_32),
    "process_evil": together(put("process", "program", EVIL, None), put("process", "arguments", EVIL, None)),
    "process_own_parent": put("process", "parent", 0, None),
    "use_neg_file": put("use", "file", -1, None),
    "use_huge_file": put("use", "file", LARGEST_32, None),
    "use_type": put("use", "type", EVIL, None),
    "use_huge_bytes": put("use", "bytes_read", LARGEST, None),
    "use_huge_times": together(put("use", "open_ns", -(2**63), None), put("use", "close_ns", LARGEST, None)),
    "syscall_evil": together(put("syscall", "call", EVIL), put("syscall", "path", EVIL)),
    "syscall_huge": together(put("syscall", "count", LARGEST, None), put("syscall", "result", LARGEST, None)),
    "row_groups": many("reference", 200, 1),
    "bomb_parquet": many("reference", 1_000_000, 1_000_000),
    "damaged_pages": damage_pages,
    "views_evil": lambda store: (store / "views.sql").write_text(f"copy (select 1) to '{store}/owned'"),
    "symlink_table": replace("file.parquet", lambda place: place.symlink_to("/etc/passwd")),
    "fifo_table": replace("file.parquet", os.mkfifo),
    "fifo_manifest": replace("manifest.json", os.mkfifo),
}
BLOCK_STORES: dict[str, Change] = {
    "neg_device": put("disk_io", "device", -1, None),
    "huge_device": put("disk_io", "device", LARGEST_32, None),
    "neg_lbn": put("disk_io", "lbn", -1),
    "huge_lbn": put("disk_io", "lbn", LARGEST),
    "neg_blocks": put("disk_io", "blocks", -1),
    "huge_blocks": put("disk_io", "blocks", LARGEST),
    "no_blocks": put("disk_io", "blocks", None),
    "unknown_operation": put("disk_io", "operation", EVIL),
    "no_operation": put("disk_io", "operation", None, None),
    "huge_time": put("disk_io", "time_ns", LARGEST),
    "neg_time": put("disk_io", "time_ns", -(2**63)),
    "huge_latency": put("disk_io", "latency_ns", LARGEST),
    "neg_latency": put("disk_io", "latency_ns", -1),
}
ASKED_OF_DUCKDB = (
    "neg_file",
    "unknown_type",
    "huge_times",
    "file_evil",
    "process_twice",
    "no_file",
    "damaged_pages",
)
REPORTED = ("neg_file", "unknown_type", "file_evil")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pipeline.ingest([LOG], tmp_path_factory.mktemp("stores") / "good.iotrace").path


@pytest.fixture(scope="module")
def good_blocks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blocks")
    (folder / "blocks.csv").write_text(BLOCKS * 10)
    return pipeline.ingest([folder / "blocks.csv"], folder / "good.iotrace").path


@dataclass(frozen=True)
class Answer:
    """What a command ends with: its exit code, and what it printed."""

    code: object
    out: str
    err: str


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., Answer]]:
    """Run the program in this process, its standard streams aside."""
    monkeypatch.setattr(cli.interruption, "watch", lambda: None)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(*words: object) -> Answer:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        with monkeypatch.context() as patched:
            patched.setattr(sys, "argv", ["iotrace", *map(str, words)])
            patched.setattr(sys, "stdout", out)
            patched.setattr(sys, "stderr", err)
            with pytest.raises(SystemExit) as ended:
                cli.main()
        return Answer(
            ended.value.code, *(stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err))
        )

    def too_slow(*_: object) -> None:
        raise TimeoutError(f"more than {SLOW_SECONDS} s")

    numbers = (signal.SIGALRM, signal.SIGTERM, signal.SIGHUP)
    former = [signal.getsignal(number) for number in numbers]
    signal.signal(signal.SIGALRM, too_slow)
    yield run
    signal.alarm(0)
    for number, handler in zip(numbers, former, strict=True):
        signal.signal(number, handler)


def fault(answer: Answer) -> str | None:
    """Return what is wrong with how a command ended."""
    lines = answer.err.splitlines()
    if answer.code not in (0, 1, 2):
        return "no such exit code"
    if answer.code and not (
        lines and lines[-1].startswith("iotrace: ") and len(lines[-1]) > len("iotrace: ")
    ):
        return "no refusal"
    if any(word in answer.err for word in ("internal error", "a defect", "Traceback", "panicked")):
        return "internal error"
    if not all(character.isprintable() or character == "\n" for character in answer.out + answer.err):
        return "control characters"
    return None


def check(
    ask: Callable[..., Answer], good: Path, folder: Path, change: Change, verbs: dict[str, tuple[str, ...]]
) -> None:
    store = Path(shutil.copytree(good, folder / "hostile.iotrace"))
    change(store)
    before = sorted(path.name for path in store.iterdir())
    faults = {}
    for verb, further in verbs.items():
        started = time.monotonic()
        signal.alarm(SLOW_SECONDS)
        answer = ask(verb.split()[0], store, *further)
        signal.alarm(0)
        if wrong := fault(answer):
            faults[verb] = (wrong, answer.code, answer.err[-400:])
        elif time.monotonic() - started > SLOW_SECONDS:
            faults[verb] = ("slow", answer.code, "")
    assert not faults
    assert sorted(path.name for path in store.iterdir()) == before


@pytest.mark.parametrize("name", STORES)
def test_no_value_ends_in_an_internal_error(
    ask: Callable[..., Answer], good: Path, tmp_path: Path, name: str
) -> None:
    left_out = () if name in ASKED_OF_DUCKDB else DUCKDB_VERBS
    verbs = {verb: words for verb, words in VERBS.items() if verb not in left_out}
    check(ask, good, tmp_path, STORES[name], verbs)


@pytest.mark.parametrize("name", BLOCK_STORES)
def test_no_value_of_a_block_trace_does(
    ask: Callable[..., Answer], good_blocks: Path, tmp_path: Path, name: str
) -> None:
    check(ask, good_blocks, tmp_path, BLOCK_STORES[name], BLOCK_VERBS)


@pytest.mark.parametrize("name", REPORTED)
def test_no_page_runs_or_fails_for_them(
    ask: Callable[..., Answer], good: Path, tmp_path: Path, name: str
) -> None:
    check(ask, good, tmp_path, STORES[name], {"report": ("-o", str(tmp_path / "page.html"))})
    page = tmp_path / "page.html"
    assert not page.exists() or "<script>document.title" not in page.read_text()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (put("reference", "file", -1), "file is -1, and table file has 15 rows"),
        (put("reference", "length", -3), "length is -3"),
        (put("reference", "type", EVIL), "there is no type"),
        (put("reference", "operation", None), "operation is null"),
        (put("reference", "offset", LARGEST, None), "offset and length end beyond"),
    ],
)
def test_the_refusal_names_the_value(
    ask: Callable[..., Answer], good: Path, tmp_path: Path, change: Change, why: str
) -> None:
    store = Path(shutil.copytree(good, tmp_path / "hostile.iotrace"))
    change(store)
    for words in (("curve", store), ("curve", store, "--where", "true"), ("attribute", store)):
        answer = ask(*words)
        assert answer.code == 1 and why in answer.err and "reference.parquet is not usable" in answer.err
