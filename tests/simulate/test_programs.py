"""Programs of traces: think times, what is left out, several applications; against a plain loop over the references."""

import tempfile
from pathlib import Path
from typing import get_args

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from program_stores import THREADS, request, stored

import iotrace
from iotrace import schemas
from iotrace.errors import IotraceError, UsageError
from iotrace.simulate.programs.program import combined
from iotrace.simulate.programs.reading import Think
from iotrace.simulate.programs.stores import of_store

references = st.lists(
    st.fixed_dictionaries(
        {
            "time_ns": st.none() | st.integers(0, 50),
            "duration_ns": st.none() | st.integers(0, 9),
            "process": st.integers(0, 3),
            "node": st.none() | st.integers(0, 2),
            "file": st.integers(0, 2),
            "type": st.sampled_from(["datafile", "disk", "inode", "executable"]),
            "operation": st.sampled_from(["read", "write", "truncate"]),
            "flags": st.sampled_from([None, "synchronous", "direct|synchronous", "direct"]),
            "offset": st.none() | st.integers(0, 99),
            "length": st.none() | st.integers(0, 9),
        }
    ),
    max_size=12,
)


def expected(rows: list[dict], think: str) -> list[tuple]:
    """Each thread's operations, places and think times, threads in order of their numbers."""
    counted = [
        row
        for row in rows
        if row["type"] in ("datafile", "disk")
        and row["operation"] != "truncate"
        and row["offset"] is not None
        and row["length"]
    ]
    times = [row["time_ns"] for row in counted if row["time_ns"] is not None]
    found = []
    for number, thread in enumerate(sorted({THREADS[row["process"]] for row in counted})):
        own = [row for row in counted if THREADS[row["process"]] == thread]
        first = own[0]["time_ns"]
        if think == "traced" and first is not None and first > min(times):
            found.append((number, own[0]["node"], "compute", None, None, first - min(times)))
        for row, then in zip(own, [*own[1:], None], strict=True):
            is_timed = then and row["time_ns"] is not None and then["time_ns"] is not None
            gap = then["time_ns"] - row["time_ns"] - (row["duration_ns"] or 0) if is_timed else 0
            forced = row["operation"] == "write" and "synchronous" in (row["flags"] or "")
            operation = "sync_write" if forced else row["operation"]
            wait = max(gap, 0) if think == "traced" else 0
            found.append((number, row["node"], operation, row["offset"], row["length"], wait))
    return found


@given(references, st.sampled_from(get_args(Think)))
def test_each_thread_does_what_it_did(rows: list[dict], think: Think) -> None:
    wanted = expected(rows, think)
    with tempfile.TemporaryDirectory() as folder:
        trace = stored(rows, Path(folder))
        if not wanted:
            with pytest.raises(IotraceError, match="no reads or writes"):
                of_store(trace, think=think)
            return
        program = of_store(trace, think=think)
    program.records.validate(full=True)
    assert program.records.schema == schemas.schema("program")
    names = ("process", "node", "operation", "offset", "length", "compute_ns")
    got = list(zip(*(program.records[name].to_pylist() for name in names), strict=True))
    assert got == wanted
    assert program.processes == len({row[0] for row in wanted})
    tally = program.tally
    left = tally.other_types + tally.no_data + tally.unknown_extent + tally.empty
    assert tally.records + left == tally.references == len(rows)


def test_a_late_process_computes_first_and_gaps_are_think_times(tmp_path: Path) -> None:
    rows = [request(100), request(130, 1, duration_ns=None), request(150, 2, operation="write", file=1)]
    program = of_store(stored([*rows, request(170, 1), request(160, 3)], tmp_path))
    kept = [(r["process"], r["operation"], r["file"], r["compute_ns"]) for r in program.records.to_pylist()]
    assert kept == [
        (0, "read", 0, 45),  # 100 to 105, then at 150 what the thread became by an exec
        (0, "write", 1, 0),
        (1, "compute", None, 30),
        (1, "read", 0, 40),
        (1, "read", 0, 0),
        (2, "compute", None, 60),
        (2, "read", 0, 0),
    ]
    assert program.files == ("/a", "/b")
    assert any("1 records have no duration" in sentence for sentence in program.tally.sentences())
    assert program.tally.sentences("none") == []


def test_requests_that_overlap_leave_no_time_to_think(tmp_path: Path) -> None:
    program = of_store(stored([request(0, duration_ns=50), request(20)], tmp_path))
    assert program.records["compute_ns"].to_pylist() == [0, 0]
    assert program.tally.overlapping == 1


def test_records_of_nobody_are_one_process_for_each_file(tmp_path: Path) -> None:
    rows = [request(0, None, file=1), request(1, 0), request(2, None, file=0), request(3, None, file=1)]
    program = of_store(stored(rows, tmp_path), think="none")
    assert program.records["process"].to_pylist() == [0, 1, 2, 2]
    assert program.tally.without_process == 3


def test_several_traces_run_together_and_share_files_by_name(tmp_path: Path) -> None:
    first = of_store(stored([request(0), request(1, 1, file=2)], tmp_path, "x.iotrace"))
    second = of_store(stored([request(0, file=1), request(5, file=0)], tmp_path, "y.iotrace"))
    both = combined([first, second])
    assert both.processes == 3
    assert both.each == (2, 1)
    assert both.applications == ("x", "y")
    rows = [row for row in both.records.to_pylist() if row["operation"] != "compute"]
    assert [(row["application"], row["process"], both.files[row["file"]]) for row in rows] == [
        (0, 0, "/a"),
        (0, 1, both.files[1]),
        (1, 2, "/b"),
        (1, 2, "/a"),
    ]
    assert "x.iotrace: file 2" in both.files[1]
    assert both.records.schema == schemas.schema("program")


def test_files_are_chosen_by_pattern(tmp_path: Path) -> None:
    trace = stored([request(0), request(10, file=1)], tmp_path)
    assert of_store(trace, files=["/b*"]).files == ("/b",)
    with pytest.raises(IotraceError, match="of files like /c"):
        of_store(trace, files=["/c"])


PATTERN = """# iotrace pattern 1
proc,seq,op,record,offset_bytes,length_bytes,compute_us
*,0,write,0,0,256,0
7,0,read,0,0,1024,1.5
*,1,sync_write,1,256,256,3
3,0,compute,,,,20
# file other
7,1,read,1,1024,1024,0
"""


def test_pattern_text_is_its_own_program(tmp_path: Path) -> None:
    (tmp_path / "made.csv").write_text(PATTERN)
    program = of_store(iotrace.open(str(tmp_path / "made.csv")))
    names = ("process", "operation", "offset", "length", "compute_ns")
    assert [tuple(row[name] for name in names) for row in program.records.to_pylist()] == [
        (0, "compute", None, None, 20_000),
        (1, "read", 0, 1024, 1_500),
        (1, "read", 1024, 1024, 0),
        (None, "write", 0, 256, 0),
        (None, "sync_write", 256, 256, 3_000),
    ]
    assert [row["file"] for row in program.records.to_pylist()] == [None, 0, 1, 0, 0]
    assert program.files[1] == "other"
    assert program.records.schema == schemas.schema("program")
    assert (program.processes, program.self_scheduled()) == (2, [0])
    assert program.shared_by(5).processes == 5
    with pytest.raises(UsageError, match="is for 2 to 1,048,576 processes, not 1"):
        program.shared_by(1)
    quick = of_store(iotrace.open(str(tmp_path / "made.csv")), think="none")
    assert quick.records["compute_ns"].to_pylist() == [0, 0, 0, 0]
    both = combined([program.shared_by(5), program.shared_by(3)])
    assert both.each == (5, 3)
    assert both.self_scheduled() == [0, 1]
    assert both.records["process"].to_pylist()[5:8] == [5, 6, 6]


def test_what_means_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="think is traced or none"):
        of_store(stored([request(0)], tmp_path), think="much")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no program"):
        combined([])


def use(file: int, process: int, open_ns: int | None, close_ns: int | None, **columns: object) -> dict:
    return {"file": file, "process": process, "open_ns": open_ns, "close_ns": close_ns} | columns


def test_opens_and_closes_come_where_they_did(tmp_path: Path) -> None:
    uses = [
        use(0, 0, 10, 40),  # thread 70; its second row of table process is the same thread
        use(1, 2, 20, None),  # of a file that nobody reads, and never seen to be closed
        use(0, 1, None, 35),  # opened before the trace
        use(0, 3, 1, 2),  # thread 72 has no requests
        use(2, 0, 11, 12, type="directory"),
    ]
    rows = [request(10), request(30, process=1), request(40, process=2)]
    made = stored(rows, tmp_path, uses=uses)
    plain = of_store(made)
    assert "open" not in plain.records["operation"].to_pylist()
    found = of_store(made, metadata=True)
    result = found.records.select(["process", "operation", "file", "offset", "compute_ns"]).to_pylist()
    assert [tuple(row.values()) for row in result] == [
        (0, "open", 0, None, 0),
        (0, "read", 0, 0, 5),
        (0, "open", 1, None, 20),
        (0, "read", 0, 0, 0),
        (0, "close", 0, None, 0),
        (1, "compute", None, None, 20),
        (1, "read", 0, 0, 0),
        (1, "close", 0, None, 0),
    ]
    assert found.each == plain.each == (2,) and found.files == ("/a", "/b")
    assert (found.tally.opens_of_idle_processes, found.tally.opens_without_time) == (2, 0)
    assert "2 opens and closes are of processes that read and write nothing" in " ".join(
        found.tally.sentences()
    )
    assert plain.tally.opens_of_idle_processes == 0
    reads = found.records.filter(pc.equal(found.records["operation"].cast(pa.string()), "read"))
    assert reads.drop_columns(["compute_ns"]).equals(
        plain.records.filter(pc.equal(plain.records["operation"].cast(pa.string()), "read")).drop_columns(
            ["compute_ns"]
        )
    )


def test_opens_of_a_trace_without_times_are_counted(tmp_path: Path) -> None:
    uses = [use(0, 0, None, None), use(1, 1, None, None), use(2, 0, None, None, type="directory")]
    found = of_store(stored([request(None)], tmp_path, uses=uses), metadata=True)
    assert "open" not in found.records["operation"].to_pylist()
    assert "2 opens have no time, and were left out." in found.tally.sentences()


@given(
    references,
    st.lists(st.tuples(*[st.integers(0, 2), st.integers(0, 3)], *2 * [st.none() | st.integers(0, 50)])),
)
def test_opens_leave_records_as_they_are(rows: list[dict], uses: list[tuple]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = stored(rows, Path(folder), uses=[use(*one) for one in uses])
        try:
            plain = of_store(made, think="none")
        except IotraceError:
            return
        found = of_store(made, think="none", metadata=True)
    words = found.records["operation"].cast(pa.string())
    is_metadata = pc.is_in(words, pa.array(["open", "close"]))
    kept = found.records.filter(pc.invert(is_metadata))
    names = ["process", "node", "operation", "offset", "length"]
    assert kept.select(names).to_pylist() == plain.records.select(names).to_pylist()
    assert found.each == plain.each
    taken = {THREADS[row["process"]] for row in rows if counts(row)}
    known = [
        (THREADS[process], word)
        for _, process, *times in uses
        for word, time in zip(("open", "close"), times, strict=True)
        if time is not None and THREADS[process] in taken
    ]
    threads = sorted(taken)
    asked = found.records.filter(is_metadata)
    numbers = zip(asked["process"].to_pylist(), asked["operation"].to_pylist(), strict=True)
    assert sorted((threads[number], word) for number, word in numbers) == sorted(known)
    assert asked["offset"].null_count == asked.num_rows


def counts(row: dict) -> bool:
    is_data = row["type"] in ("datafile", "disk") and row["operation"] != "truncate"
    return is_data and row["offset"] is not None and bool(row["length"])


def test_types_that_there_are_not_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'foo' is not a type of references: inode, directory"):
        of_store(stored([request(0)], tmp_path), types=["datafile", "foo"])
