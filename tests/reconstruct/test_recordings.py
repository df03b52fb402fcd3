"""Recordings of system calls in one store: each has the rows that it has alone, and statistics add up."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from recorders import needs_bpf
from session import Session

from iotrace import schemas
from iotrace.analysis.characterize import characterize_store
from iotrace.analysis.curves.curves import curve
from iotrace.errors import IotraceError, UsageError
from iotrace.export.call_texts import FORMS
from iotrace.ingest import append, pipeline, recordings
from iotrace.ingest.reconstruct import with_model
from iotrace.store import appended
from iotrace.store.store import Store, read

START_S = 1_700_000_000
CALLS = (
    'openat(AT_FDCWD, "/data/x", O_RDWR|O_CREAT, 0644) = 3 <0.000010>',
    'read(3, "a", 4096) = 4096 <0.000010>',
    'write(3, "a", 100) = 100 <0.000010>',
    "close(3) = 0 <0.000010>",
    "+++ exited with 0 +++",
)
IOTRACE = Path(sys.executable).with_name("iotrace")
PROGRAM = """
import os, random, sys
os.chdir(sys.argv[1])
draw = random.Random(sys.argv[2])
files = [os.open(name, os.O_RDWR | os.O_CREAT) for name in "abc"]
for _ in range(100):
    file, where = draw.choice(files), draw.randrange(9) * 3000
    draw.choice([lambda: os.pread(file, 5000, where), lambda: os.pwrite(file, bytes(2000), where)])()
if not os.fork():
    os.unlink("c")
"""
RELATIVE = "100      0.000000 close(3) = 0\n100      0.000100 close(4) = 0\n"
NOT_NUMBERED = {"job", "thread", "pid", "node", "device", "device_number", "inode"}
"""Identifiers that the kernel or the trace gave, and that of the recording itself."""
ADDED_UP = (
    "access_patterns",
    "bytes_by_origin",
    "by_process",
    "by_program",
    "calls_by_name",
    "errors_by_call",
    "files_read_and_written",
    "offsets_by_source",
    "operations",
    "read_after_write",
    "reads_and_writes_by_bytes",
    "reads_and_writes_by_requests",
    "references_by_type",
    "requests_by_size",
    "reuse_by_type",
    "runs_by_length",
    "sequentiality",
    "static_by_type",
    "structural_writes",
    "unseen_io",
    "written_data_lifetimes",
)
"""Statistics whose whole numbers count things of one recording."""
MISSES = (
    "block_references",
    "block_misses",
    "read_block_misses",
    "write_block_misses",
    "read_request_misses",
    "write_request_misses",
)


def log(start_s: int | None = START_S, calls: Sequence[str] = CALLS) -> str:
    """Return the log of a process 100 with a call a second; without times if it has no start."""
    stamps = ["" if start_s is None else f"{start_s + second}.000000 " for second in range(len(calls))]
    return "".join(f"100 {stamp}{call}\n" for stamp, call in zip(stamps, calls, strict=True))


def random_log(seed: int, steps: int) -> str:
    session = Session(Random(seed))
    for _ in range(steps):
        session.step()
    session.read_all()
    return "".join(session.lines)


def stores(folder: Path, logs: Sequence[str]) -> tuple[Store, list[Store]]:
    """Return the store of several logs, one appended after the other, and those of each alone."""
    alone = []
    for number, text in enumerate(logs):
        (folder / f"{number}.log").write_text(text, "utf-8")
        alone.append(
            pipeline.ingest([folder / f"{number}.log"], folder / f"{number}.iotrace", format="strace")
        )
        together = append.append(
            folder / "all.iotrace", [folder / f"{number}.log"], f"host {number}", format="strace"
        )
    return together, alone


def rows_of(
    store: Store, table: str, place: int, shift: dict[str, int], later_ns: int
) -> list[dict[str, object]]:
    """Return the rows of a recording as they are in a store of several, worked out one by one."""
    rows = store.arrow(table).to_pylist()
    for row in rows:
        for column, of in recordings.NUMBERED[table].items():
            if row[column] is not None:
                row[column] += shift[of]
        for column in row.keys() & set(recordings.TIMES):
            if row[column] is not None:
                row[column] += later_ns
        if "job" in row:
            row["job"] = place
    return rows


def entries(store: Store) -> int:
    calls = store.arrow("syscall").to_pylist()
    return 1 + max(max(row["seq"], row["seq_return"]) for row in calls)


@examples(15)
@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(1, 40)), min_size=2, max_size=3))
def test_recordings_of_the_same_processes_and_paths_are_told_apart(given: list[tuple[int, int]]) -> None:
    """Each begins at the same time, with the same process, descriptors and files, as hosts with one image do."""
    with TemporaryDirectory() as name:
        try:
            together, alone = stores(Path(name), [random_log(seed, steps) for seed, steps in given])
        except IotraceError as error:
            assert "it is taken for the same trace" in str(error)
            return
        check_rows(together, alone)
        check_misses(together, alone)


@needs_bpf
@pytest.mark.parametrize("seed", range(3))
def test_recordings_of_bpf_programs_are_told_apart(tmp_path: Path, seed: int) -> None:
    """Each with the files that were looked up after it."""
    alone = [record(tmp_path, f"{seed} {number}", number) for number in range(2)]
    for number, store in enumerate(alone):
        known = store.path / "known_file.parquet"
        together = append.append(
            tmp_path / "all.iotrace", [tmp_path / f"{number}.iorec"], f"host {number}", known_files=known
        )
    assert set(together.tables) == set(recordings.NUMBERED)
    check_rows(together, alone)
    check_misses(together, alone)
    for name in appended.OF_RECORDINGS:
        assert together.manifest["counts"][name] == sum(store.manifest["counts"][name] for store in alone)
    append.drop(together.path, lambda store: appended.entries(store)[:1])
    log, known = tmp_path / "1.iorec", tmp_path / "1.iotrace" / "known_file.parquet"
    check_same(read(together.path), append.append(tmp_path / "second", [log], "host 1", known_files=known))


def record(folder: Path, seed: str, number: int) -> Store:
    """Record a program that works on the same paths as the others."""
    words = ["record", "--backend", "bpf", "-o", f"{number}.iotrace", "--"]
    program = [sys.executable, "-S", "-c", PROGRAM, str(folder), seed]
    done = subprocess.run([IOTRACE, *words, *program], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return read(folder / f"{number}.iotrace")


def check_rows(together: Store, alone: Sequence[Store]) -> None:
    """Each table has the rows of each recording, one after the other."""
    first_ns = alone[0].manifest["times"]["first_ns"]
    for table in together.tables:
        shift, expected = dict.fromkeys([*recordings.NUMBERED, recordings.ENTRY], 0), []
        for place, store in enumerate(alone):
            later_ns = store.manifest["times"]["first_ns"] - first_ns
            expected += rows_of(store, table, place, shift, later_ns)
            for of in together.tables:
                shift[of] += store.manifest["tables"][of]
            shift[recordings.ENTRY] += entries(store)
        assert together.arrow(table).to_pylist() == expected, table


@examples(10)
@given(
    st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(1, 30), st.booleans()), min_size=2, max_size=4)
)
def test_the_recordings_that_stay_are_as_if_appended_alone(given: list[tuple[int, int, bool]]) -> None:
    with TemporaryDirectory() as name:
        folder, stay = Path(name), [stays for *_, stays in given]
        for number, (seed, steps, _) in enumerate(given):
            text = random_log(seed, steps).replace(f" {START_S}", f" {START_S + number}")
            (folder / f"{number}.log").write_text(text)

        def appended_to(store: str, chosen: Iterable[int]) -> Store:
            for number in chosen:
                path, log = folder / store, folder / f"{number}.log"
                made = append.append(path, [log], f"host {number}", format="strace")
            return made

        all_of_them = appended_to("all.iotrace", range(len(given)))
        names = [one[appended.NAME] for one in appended.entries(all_of_them)]

        def choose(store: Store) -> list[appended.Entry]:
            return [one for one in appended.entries(store) if not stay[names.index(one[appended.NAME])]]

        if not any(stay):
            with pytest.raises(UsageError, match="the last partition is not dropped"):
                append.drop(all_of_them.path, choose)
            return
        gone = append.drop(all_of_them.path, choose)
        assert len(gone) == len(stay) - sum(stay)
        alone = appended_to("alone.iotrace", [number for number, stays in enumerate(stay) if stays])
        check_same(read(all_of_them.path), alone)
        last = len(given)
        (folder / f"{last}.log").write_text(log(START_S + 60))
        check_same(appended_to("all.iotrace", [last]), appended_to("alone.iotrace", [last]))


def check_same(rest: Store, alone: Store) -> None:
    """The rows and counts are equal; a store of one recording does not number it."""
    for table in rest.tables:
        rows = [
            row | {"job": row["job"] or 0} if "job" in row else row for row in alone.arrow(table).to_pylist()
        ]
        assert rest.arrow(table).to_pylist() == rows, table
    tables = alone.manifest["tables"].items()
    assert rest.manifest["tables"] == {name: rows for name, rows in tables if name != recordings.LOOKED_UP}
    for member in ("counts", "times", "seen", "remarks", "skipped", "path_agreement", "sources"):
        assert rest.manifest[member] == alone.manifest[member], member
    assert rest.manifest["jobs"] == [
        one[appended.NAME] for one in appended.with_rows(appended.entries(alone))
    ]


def check_misses(together: Store, alone: Sequence[Store]) -> None:
    """A cache of any size has the misses of one for each recording; it writes some blocks later, in the next one."""
    sizes = [4096 * blocks for blocks in range(1, 12)]
    both, *each = (curve(store.arrow("reference"), sizes_bytes=sizes) for store in (together, *alone))
    for column in MISSES:
        assert both[column].to_pylist() == [
            sum(rows) for rows in zip(*(one[column].to_pylist() for one in each), strict=True)
        ], column


def test_statistics_and_counts_add_up(tmp_path: Path) -> None:
    together, alone = stores(tmp_path, [random_log(seed, 60) for seed in range(2)])
    found, *each = (totals(store) for store in (together, *alone))
    assert found == {name: sum(one[name] for one in each) for name in found}
    assert sum(found.values()) > 0
    for member in ("seen", "remarks"):
        counts = [store.manifest[member] for store in alone]
        names = {name for one in counts for name in one}
        assert together.manifest[member] == {name: sum(one.get(name, 0) for one in counts) for name in names}
    for name in appended.OF_RECORDINGS:
        assert together.manifest["counts"][name] == sum(store.manifest["counts"][name] for store in alone)


def test_how_often_paths_agree_with_the_kernels_adds_up(tmp_path: Path) -> None:
    text = (Path(__file__).parents[1] / "cli" / "copy.strace").read_text()
    together, (first, second) = stores(tmp_path, [text, text.replace(" 1700000000", " 1700000001")])
    both, *each = (store.manifest["path_agreement"] for store in (together, first, second))
    assert both["checked"] == 2 * each[0]["checked"] > 0
    assert both == each[0] | {name: both[name] for name in ("calls", "checked", "agreed", "literally_equal")}


def totals(store: Store) -> dict[tuple[str, str], int]:
    """Return the sum of each column of the statistics that has whole numbers."""
    return {
        (name, field.name): pc.sum(rows[field.name]).as_py() or 0
        for name, rows in characterize_store(store, ADDED_UP, {}, {}).items()
        for field in rows.schema
        if field.type == pa.int64() and not field.name.startswith("maximum")
    }


def test_every_number_of_a_table_is_numbered() -> None:
    for table, numbered in recordings.NUMBERED.items():
        for column in schemas.table(table).columns:
            if column.unit in ("identifier", "position"):
                assert column.name in {*numbered, *NOT_NUMBERED}, (table, column.name)
            if column.name.endswith("_ns") and column.name != "duration_ns":
                assert column.name in recordings.TIMES, (table, column.name)


@pytest.fixture
def two(tmp_path: Path) -> Store:
    """Two hosts on which process 100 works on /data/x at the same time, one a little later."""
    return stores(tmp_path, [log(), log(START_S + 2)])[0]


def test_what_the_store_says_of_its_recordings(two: Store) -> None:
    assert two.manifest["jobs"] == ["host 0", "host 1"]
    named = two.sql("select job, name from process join process_name using (process) order by job")
    assert named.fetchall() == [
        (0, "100@0 (before the trace)"),
        (1, "100@1 (before the trace)"),
    ]
    assert two.sql("select job from file where path = '/data/x' order by job").fetchall() == [(0,), (1,)]
    assert two.sql("select processes, files from totals").fetchall() == [(2, 6)]
    assert two.manifest["sources"] == [str(two.path.with_name(f"{number}.log")) for number in range(2)]


def test_a_third_recording_follows(two: Store, tmp_path: Path) -> None:
    (tmp_path / "third.log").write_text(log(START_S + 86400))
    third = append.append(two.path, [tmp_path / "third.log"], format="strace")
    assert third.sql("select job, count(*) from process group by job order by job").fetchall() == [
        (0, 1),
        (1, 1),
        (2, 1),
    ]
    assert [one[appended.NAME] for one in appended.entries(third)] == [
        *two.manifest["jobs"],
        "2023-11-15T22:13:20",
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (log(), "it is taken for the same trace"),
        (log(START_S + 1), "starts at .*, before the last recording of .* in the order in which they start"),
        (RELATIVE, "by a clock that is relative"),
        (log(None), "by a clock that is none"),
    ],
)
def test_what_is_refused_leaves_the_store(two: Store, tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "other.log").write_text(text)
    before = {path.name: path.read_bytes() for path in two.path.iterdir()}
    with pytest.raises(IotraceError, match=sentence):
        append.append(two.path, [tmp_path / "other.log"], "other", format="strace")
    assert {path.name: path.read_bytes() for path in two.path.iterdir()} == before


def test_commands_for_one_recording_refuse_several(two: Store, tmp_path: Path) -> None:
    for form in FORMS:
        with pytest.raises(IotraceError, match="has several recordings"):
            form.write(two, tmp_path / "text")
    with pytest.raises(IotraceError, match="--model is for a store of one"):
        with_model(two, {"model": "1994"})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda entry: entry["tables"].update(use=7), "has other rows than the tables"),
        (lambda entry: entry.pop("tables"), "has other rows than the tables"),
        (lambda entry: entry["counts"].pop("calls"), "is of another family"),
    ],
)
def test_a_list_of_recordings_that_does_not_fit_is_refused(
    two: Store, change: Callable[[dict[str, Any]], object], sentence: str
) -> None:
    manifest = json.loads((two.path / "manifest.json").read_text())
    change(manifest[appended.KEY][1])
    (two.path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(IotraceError, match=sentence):
        read(two.path)


def test_logs_without_dates_are_not_appended(tmp_path: Path) -> None:
    (tmp_path / "relative.log").write_text(RELATIVE)
    with pytest.raises(IotraceError, match=r"has no dates.*strace -ttt"):
        append.append(tmp_path / "days.iotrace", [tmp_path / "relative.log"], format="strace")
