"""Days appended to a store: the store that one ingest of all days makes, whenever the process is killed."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from property_tests import FULL, examples

from iotrace.errors import IotraceError, UsageError
from iotrace.files import locks
from iotrace.ingest import append, pipeline
from iotrace.store import appended
from iotrace.store.partitions import KEY
from iotrace.store.store import Store, read
from iotrace.workers import WorkerSpec

START = 128166372003061629
SECOND = 10_000_000
BLOCKS = "csv:time=1,offset=2:512,length=3:512,op=4,pid=5,program=6,device=7,host=8,latency=9"
KEYS = "csv:time=1,key=2,size=3,op=4,tenant=5"
WORD = st.sampled_from(("R", "W", "flush", "discard", "other"))
SMALL = st.integers(0, 3)
BLOCK_ROWS = st.lists(
    st.tuples(SMALL, SMALL, SMALL, WORD, SMALL, SMALL, SMALL, SMALL, SMALL), min_size=1, max_size=30
)
KEY_ROWS = st.lists(
    st.tuples(
        SMALL, st.sampled_from("abcdef"), SMALL, st.sampled_from(("get", "set", "delete", "odd")), SMALL
    ),
    min_size=1,
    max_size=30,
)
COMPUTED = {"warnings", "sources", KEY, appended.KEY}
"""The members of the manifest that say how a store was made."""


def lines(first: int, count: int, disk: int = 0) -> str:
    """Return a request a second in the format of MSR Cambridge."""
    return "".join(
        f"{START + second * SECOND},h,{disk},Read,{second * 512},4096,1000\n"
        for second in range(first, first + count)
    )


def same(found: Store, expected: Store) -> None:
    """Every row of every table, and all of the manifest that is not about how it was made."""
    assert found.tables == expected.tables
    for table in expected.tables:
        assert found.arrow(table).to_pylist() == expected.arrow(table).to_pylist(), table
    members = expected.manifest.keys() - COMPUTED
    assert {name: found.manifest.get(name) for name in members} == {
        name: expected.manifest[name] for name in members
    }


def trimmed(store: Path, count: int) -> Store:
    """Drop the rows of the first partitions; return the store."""
    append.drop(store, lambda of: appended.entries(of)[:count])
    return read(store)


def in_order(rows: Sequence[tuple[object, ...]]) -> list[str]:
    """Return lines whose times grow by the first number of each row."""
    texts, now = [], 1_700_000_000
    for step, *others in rows:
        now += int(str(step))
        texts.append(",".join(map(str, (now, *others))))
    return texts


def cut(texts: Sequence[str], places: Sequence[int]) -> list[list[str]]:
    """Return consecutive parts of lines, none of them empty."""
    ends = sorted({place % len(texts) for place in places} - {0})
    return [list(texts[first:end]) for first, end in zip([0, *ends], [*ends, len(texts)], strict=True)]


def appended_and_trimmed(parts: Sequence[Sequence[str]], form: str, dropped: int) -> None:
    """Append each part; drop some; compare with one ingest each time."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        paths = [folder / f"{number}.csv" for number in range(len(parts))]
        for path, texts in zip(paths, parts, strict=True):
            path.write_text("".join(f"{text}\n" for text in texts))
        try:
            for number, path in enumerate(paths):
                found = append.append(folder / "days.iotrace", [path], f"day {number}", format=form)
        except IotraceError as error:
            assert any(why in str(error) for why in ("moves data", "taken for the same trace", "none of its"))
            return
        same(found, pipeline.ingest(paths, folder / "one.iotrace", format=form))
        if len(parts) > 1:
            dropped = min(dropped, len(parts) - 1)
            rest = trimmed(folder / "days.iotrace", dropped)
            same(rest, pipeline.ingest(paths[dropped:], folder / "rest.iotrace", format=form))
            assert [one[appended.HAS_ROWS] for one in appended.entries(rest)] == [
                number >= dropped for number in range(len(parts))
            ]


@given(BLOCK_ROWS, st.lists(st.integers(0, 30), max_size=3), st.integers(1, 3))
@examples(60)
def test_any_days_of_block_requests_are_one_trace(
    rows: list[tuple[object, ...]], places: list[int], dropped: int
) -> None:
    """Days begin at the last time of the day before, or later; disks and processes are first seen in any of them."""
    appended_and_trimmed(cut(in_order(rows), places), BLOCKS, dropped)


@given(KEY_ROWS, st.lists(st.integers(0, 30), max_size=3), st.integers(1, 3))
@examples(60)
def test_any_days_of_keys_are_one_trace(
    rows: list[tuple[object, ...]], places: list[int], dropped: int
) -> None:
    """Keys and tenants come again, or for the first time; sizes change."""
    appended_and_trimmed(cut(in_order(rows), places), KEYS, dropped)


@pytest.fixture
def days(tmp_path: Path) -> list[Path]:
    """Three days, the second of which has a further disk."""
    texts = [lines(0, 9), lines(9, 8) + lines(17, 1, disk=1), lines(30, 7)]
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.csv").write_text(text)
    return [tmp_path / f"{number}.csv" for number in range(3)]


def test_a_store_of_several_partitions_grows(days: list[Path], tmp_path: Path) -> None:
    """Workers wrote two partitions of one ingest, which is one period."""
    store = tmp_path / "days.iotrace"
    pipeline.ingest(days[:2], store, worker_spec=WorkerSpec(threads=2))
    found = append.append(store, [days[2]])
    same(found, pipeline.ingest(days, tmp_path / "one.iotrace"))
    assert found.manifest[KEY] == {"disk_io": [9, 9, 7]}
    assert [one["rows"] for one in appended.entries(found)] == [18, 7]


def test_the_older_partitions_are_neither_read_nor_written(days: list[Path], tmp_path: Path) -> None:
    store = tmp_path / "days.iotrace"
    append.append(store, [days[0]])
    append.append(store, [days[1]])
    before = {number: (store / f"disk_io.{number}.parquet").stat() for number in range(2)}
    append.append(store, [days[2]])
    for number, status in before.items():
        now = (store / f"disk_io.{number}.parquet").stat()
        assert (now.st_ino, now.st_mtime_ns, now.st_nlink) == (status.st_ino, status.st_mtime_ns, 1)


REFUSED: list[tuple[Callable[[list[Path], Path], object], type[IotraceError], str]] = [
    (
        lambda days, store: append.append(store, [days[1]]),
        IotraceError,
        r"has a partition 2007-02-22T17:00:09\.\d+ already",
    ),
    (
        lambda days, store: append.append(store, [days[1]], "again"),
        IotraceError,
        "it is taken for the same trace",
    ),
    (
        lambda days, store: append.append(store, [days[0].with_name("early.csv")], "early"),
        IotraceError,
        "before the last request of",
    ),
    (
        lambda days, store: append.append(store, [days[2]], "tuesday"),
        IotraceError,
        "has a partition tuesday already",
    ),
    (lambda days, store: append.append(days[0], [days[2]]), UsageError, "is not a store"),
    (lambda days, store: append.append(store, [store.parent / "no.csv"]), IotraceError, "cannot be opened"),
    (lambda days, store: trimmed(store, 2), UsageError, "the last partition is not dropped"),
]


@pytest.mark.parametrize(("change", "kind", "sentence"), REFUSED)
def test_what_is_refused_leaves_the_store(
    days: list[Path],
    tmp_path: Path,
    change: Callable[[list[Path], Path], object],
    kind: type[IotraceError],
    sentence: str,
) -> None:
    store = tmp_path / "days.iotrace"
    pipeline.ingest([days[0]], store)
    append.append(store, [days[1]])
    shutil.copy(days[1], tmp_path / "tuesday.csv")
    if "tuesday" in sentence:
        store = tmp_path / "named.iotrace"
        append.append(store, [days[0]], "tuesday")
    (tmp_path / "early.csv").write_text(lines(5, 20))
    before = {path.name: path.read_bytes() for path in store.iterdir()}
    with pytest.raises(kind, match=sentence):
        change(days, store)
    assert {path.name: path.read_bytes() for path in store.iterdir()} == before
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("text", "form", "sentence"),
    [
        ("9,1,512\n", "csv:time=1,offset=2,length=3", "is of format csv.*give it another store"),
        ("9,k,512\n", "csv:time=1,key=2,size=3", "is made of requests for the objects of a cache"),
    ],
)
def test_another_kind_of_trace_has_another_store(
    days: list[Path], tmp_path: Path, text: str, form: str, sentence: str
) -> None:
    append.append(tmp_path / "days.iotrace", [days[0]])
    (tmp_path / "other.csv").write_text(text)
    with pytest.raises(IotraceError, match=sentence):
        append.append(tmp_path / "days.iotrace", [tmp_path / "other.csv"], format=form)


def test_calls_and_requests_are_not_one_store(days: list[Path], tmp_path: Path) -> None:
    log = Path(__file__).parents[1] / "cli" / "copy.strace"
    pipeline.ingest([log], tmp_path / "log.iotrace")
    with pytest.raises(IotraceError, match=r"is made of requests to disks, and .* system calls"):
        append.append(tmp_path / "log.iotrace", [days[0]])


def test_parallel_programs_are_not_appended(days: list[Path], tmp_path: Path) -> None:
    log = tmp_path / "ranks.csv"
    log.write_text(
        "# iotrace pattern 1\nproc,seq,op,record,offset_bytes,length_bytes,compute_us\n0,0,read,0,0,512,0\n"
    )
    pipeline.ingest([log], tmp_path / "ranks.iotrace")
    with pytest.raises(
        IotraceError,
        match=r"is made of .*: only requests .* and recordings of system calls, are appended.*catalogue",
    ):
        append.append(tmp_path / "ranks.iotrace", [days[0]])


def test_times_are_needed(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("0,512\n")
    append.append(tmp_path / "days.iotrace", [tmp_path / "a.csv"], format="csv:offset=1,length=2")
    with pytest.raises(IotraceError, match="has no times, so that nothing is before or after it"):
        append.append(tmp_path / "days.iotrace", [tmp_path / "a.csv"], format="csv:offset=1,length=2")


def test_another_process_that_changes_the_store_is_waited_for_by_the_user(
    days: list[Path], tmp_path: Path
) -> None:
    store = tmp_path / "days.iotrace"
    append.append(store, [days[0]])
    with locks.held(store) as is_held:
        assert is_held
        with pytest.raises(IotraceError, match="another process is changing this store"):
            append.append(store, [days[1]])


KILLED = """
import itertools, os, shutil, signal, sys
from pathlib import Path
import duckdb, polars, pyarrow.parquet
from iotrace.ingest import append, joined_tables, pipeline
from iotrace.store import appended
EVENTS = {"open", "os.link", "os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.chmod", "shutil.rmtree"}
folder, day, change, stride = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
for step in itertools.count(1, stride):
    store = folder / str(step) / "days.iotrace"
    shutil.copytree(folder / "before.iotrace", store)
    child = os.fork()
    if not child:
        left = step
        def audited(event, arguments):
            global left
            left -= event in EVENTS
            if left == 0 and event in EVENTS:
                os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(audited)
        append.append(store, [day]) if change == "append" else append.drop(store, lambda of: appended.entries(of)[:1])
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert status in (0, signal.SIGKILL), status
    if not status:
        break
"""


@pytest.mark.parametrize("change", ["append", "drop"])
def test_a_store_is_old_or_new_whenever_the_process_is_killed(
    days: list[Path], tmp_path: Path, change: str
) -> None:
    """It is killed at some of the steps at which files are opened, linked, renamed and removed; the next one ends."""
    before = tmp_path / "before.iotrace"
    append.append(before, [days[0]])
    old = append.append(before, [days[1]])
    after = tmp_path / "after.iotrace"
    shutil.copytree(before, after)

    def changed(store: Path) -> Store:
        return append.append(store, [days[2]]) if change == "append" else trimmed(store, 1)

    new = changed(after)
    stride = "7" if settings().max_examples >= FULL else "61"
    words = [sys.executable, "-P", "-c", KILLED, str(tmp_path), str(days[2]), change, stride]
    subprocess.run(words, check=True)
    outcomes = set()
    stores = sorted(tmp_path.glob("*/days.iotrace"))
    for store in stores:
        found = read(store)
        is_new = found.manifest["counts"]["requests"] == new.manifest["counts"]["requests"]
        same(found, new if is_new else old)
        outcomes.add(is_new)
    assert outcomes == {False, True}
    killed = next(
        store for store in stores if any(path.name.startswith(".") for path in store.parent.iterdir())
    )
    same(changed(killed), new)
    assert list(killed.parent.iterdir()) == [killed]
