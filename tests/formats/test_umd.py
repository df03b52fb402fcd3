"""UMD traces: four binary layouts and two texts give the same tables; headers that lie; list-I/O calls."""

import os
from pathlib import Path

import pytest
from calls_read import Row, read_calls, reported
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from property_tests import examples
from umd_traces import LAYOUTS, Record, binary, text

from iotrace import formats
from iotrace.errors import IotraceError

FOLDER = Path(os.environ.get("IOTRACE_TRACES", ""))
NAMES = ("a", "shared data", "others")
RECORDS = st.lists(
    st.builds(
        Record,
        op=st.integers(0, 4),
        count=st.just(1),
        pid=st.integers(0, 70),
        file=st.integers(0, 2),
        wall=st.integers(0, 10**9).map(lambda micros: micros / 1e6),
        offset=st.integers(0, 2**31 - 1),
        length=st.integers(0, 2**31 - 1),
    ),
    min_size=1,
    max_size=20,
)


def expected(records: list[Record]) -> list[tuple[object, ...]]:
    """What the records say, column by column."""
    first_ns = round(records[0].wall * 1e9)
    words = ("open", "close", "read", "write", "seek")
    return [
        (
            round(one.wall * 1e9) - first_ns,
            one.pid,
            words[one.op],
            NAMES[one.file],
            one.offset if one.op in (2, 3, 4) else None,
            one.length if one.op in (2, 3) else None,
        )
        for one in records
    ]


def message(rows: list[Row]) -> list[tuple[object, ...]]:
    return reported(rows, "time_ns", "process", "operation", "file", "offset", "length")


def is_disordered(records: list[Record]) -> bool:
    """Whether the times of one process run backwards, which is warned of."""
    walls: dict[int, float] = {}
    found = False
    for record in records:
        found |= record.wall < walls.get(record.pid, 0)
        walls[record.pid] = max(record.wall, walls.get(record.pid, 0))
    return found


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RECORDS)
def test_all_layouts_and_texts_tell_what_was_written(tmp_path: Path, records: list[Record]) -> None:
    path = tmp_path / "trace"
    for layout in LAYOUTS:
        path.write_bytes(binary(NAMES, records, layout))
        rows, report = read_calls(path)
        assert message(rows) == expected(records), layout
        assert len(report["warnings"]) == is_disordered(records)
        assert message(read_calls(path, layout)[0]) == expected(records)
    for words in (False, True):
        path.write_text(text(NAMES, records, words))
        assert message(read_calls(path)[0]) == expected(records)


@pytest.mark.skipif(not (FOLDER / "umd").is_dir(), reason="IOTRACE_TRACES names no folder of traces")
def test_the_samples_agree() -> None:
    paths = sorted((FOLDER / "umd").iterdir())
    read = {path.name: read_calls(path) for path in paths}
    assert len(read) == 4
    rows = [rows for rows, _ in read.values()]
    assert all(one == rows[0] for one in rows)
    assert reported(rows[0], "operation", "file", "offset", "length") == [
        ("open", "acha", None, None),
        ("read", "acharya", 1111, 11),
        ("list_io", "acha", 1111, 11),
        ("close", "acha", None, None),
    ]
    for name, (_, report) in read.items():
        assert report["counts"]["requests"] == 1, name
        assert report["remarks"] == {"list-I/O calls of fewer records than announced": 1}


def record(op: int, pid: int = 0, count: int = 1, file: int = 0) -> Record:
    return Record(op, count, pid, file, 1.0, 4096, 512)


@pytest.mark.parametrize("form", ["text", *LAYOUTS])
def test_parts_of_a_list_call_are_grouped(tmp_path: Path, form: str) -> None:
    records = [
        record(5, count=2),
        record(2),
        record(3),
        record(2),
        record(5, count=3),
        record(2),
        record(2, pid=1),
    ]
    whole = text(NAMES, records, False).encode() if form == "text" else binary(NAMES, records, form)
    (tmp_path / "trace").write_bytes(whole)
    rows, report = read_calls(tmp_path / "trace")
    assert [row["list_call"] for row in rows] == [0, 0, 0, None, 1, 1, None]
    assert report["remarks"] == {"list-I/O calls of fewer records than announced": 1}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lie", [-(2**31), -1, 0, 1, 2**31 - 1])
def test_a_count_of_records_that_lies_is_told_and_not_believed(tmp_path: Path, layout: str, lie: int) -> None:
    records = [record(2), record(3), record(1)]
    (tmp_path / "trace").write_bytes(binary(NAMES, records, layout, lie))
    rows, report = read_calls(tmp_path / "trace")
    assert message(rows) == expected(records)
    assert report["warnings"] == [
        f"the header announces {lie:,} records, the trace has 3; the header's count is ignored"
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_binary_cut_anywhere_gives_its_whole_records_or_a_sentence(tmp_path: Path, layout: str) -> None:
    records = [record(2), record(3), record(1)]
    whole = binary(NAMES, records, layout)
    width = 48 if "lp64" in layout and "ilp" not in layout else 40
    start = len(whole) - 3 * width
    for size in range(len(whole)):
        (tmp_path / "trace").write_bytes(whole[:size])
        if size >= start + width:
            rows, report = read_calls(tmp_path / "trace", layout)
            count = (size - start) // width
            assert message(rows) == expected(records)[:count]
            assert len(report["warnings"]) == (1 if (size - start) % width == 0 else 2)
            assert formats.source([tmp_path / "trace"]).name == "umd"
        else:
            with pytest.raises(IotraceError) as refused:
                read_calls(tmp_path / "trace", layout)
            assert "\n" not in str(refused.value)


@examples(150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_changed_bytes_never_do_more_than_refuse(tmp_path: Path, data: st.DataObject) -> None:
    layout = data.draw(st.sampled_from(list(LAYOUTS)))
    whole = bytearray(binary(NAMES, [record(2), record(5, count=2), record(3), record(1)], layout))
    for _ in range(data.draw(st.integers(1, 4))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    (tmp_path / "trace").write_bytes(whole)
    for form in ("umd", layout):
        try:
            read_calls(tmp_path / "trace", form)
        except IotraceError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_table_of_more_files_than_are_looked_at_is_recognised(tmp_path: Path, layout: str) -> None:
    names = [f"file {number}" for number in range(10_000)]
    (tmp_path / "trace").write_bytes(binary(names, [record(2, file=9_999), record(3, file=1)], layout))
    assert formats.source([tmp_path / "trace"]).name == "umd"
    rows, report = read_calls(tmp_path / "trace")
    assert [row["file"] for row in rows] == ["file 9999", "file 1"] and report["warnings"] == []


def test_a_text_with_more_names_than_are_looked_at_is_recognised(tmp_path: Path) -> None:
    names = [f"file {number}" for number in range(10_000)]
    (tmp_path / "trace").write_text(text(names, [record(2, file=9_999), record(3, file=1)], False))
    assert formats.source([tmp_path / "trace"]).name == "umd-ascii"
    assert [row["file"] for row in read_calls(tmp_path / "trace")[0]] == ["file 9999", "file 1"]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lie", [0, 1, 2, 4, 2**31 - 1])
def test_a_count_of_files_that_lies_is_told_and_not_believed(tmp_path: Path, layout: str, lie: int) -> None:
    records = [record(2), record(3, file=2), record(1)]
    whole = bytearray(binary(NAMES, records, layout))
    whole[4:8] = lie.to_bytes(4, "little" if LAYOUTS[layout][0] == "<" else "big")
    (tmp_path / "trace").write_bytes(whole)
    assert formats.source([tmp_path / "trace"]).name == "umd"
    for form in ("umd", layout):
        rows, report = read_calls(tmp_path / "trace", form)
        assert message(rows) == expected(records)
        assert report["warnings"] == [
            f"the header announces {lie:,} files, the trace has 3; the header's count is ignored"
        ]


@pytest.mark.parametrize("lie", [0, 1, 400_000_000])
def test_a_text_s_count_of_files_that_lies_is_told_and_not_believed(tmp_path: Path, lie: int) -> None:
    records = [record(2), record(3, file=2), record(1)]
    _, _, rest = text(NAMES, records, False).partition("\n")
    (tmp_path / "trace").write_text(f"1 {lie} 3\n{rest}")
    assert formats.source([tmp_path / "trace"]).name == "umd-ascii"
    rows, report = read_calls(tmp_path / "trace")
    assert message(rows) == expected(records)
    assert report["warnings"] == [
        f"the header announces {lie:,} files, the trace has 3; the header's count is ignored"
    ]


@pytest.mark.parametrize("length", ["²", "1" * 5000])
def test_a_file_s_name_may_begin_with_what_is_no_length(tmp_path: Path, length: str) -> None:
    (tmp_path / "trace").write_text(
        f"1 1 1\n{length} b\n{text(NAMES, [record(2)], False).splitlines()[-1]}\n"
    )
    assert [row["file"] for row in read_calls(tmp_path / "trace", "umd-ascii")[0]] == [f"{length} b"]


@pytest.mark.parametrize("form", ["text", *LAYOUTS])
def test_processes_and_files_that_the_header_does_not_tell_are_warned_of(tmp_path: Path, form: str) -> None:
    records = [record(2), record(2, pid=1), record(3, file=9), record(3, file=9)]
    whole = text(NAMES, records, False).encode() if form == "text" else binary(NAMES, records, form)
    if form == "text":
        whole = b"7" + whole[1:]
    else:
        whole = (7).to_bytes(4, "little" if LAYOUTS[form][0] == "<" else "big") + whole[4:]
    (tmp_path / "trace").write_bytes(whole)
    rows, report = read_calls(tmp_path / "trace")
    assert [row["file"] for row in rows] == ["a", "a", "file 9", "file 9"]
    assert report["warnings"] == [
        "the header announces 7 processes, the trace has 2; the header's count is ignored",
        "2 records are of files that the header, which names 3, does not name: 9",
    ]


def test_an_unknown_operation_of_a_text_is_called_one_and_counts_as_a_record(tmp_path: Path) -> None:
    lines = text(NAMES, [record(2)] * 3, False) + "9 1 0 0 1.0 0.5 0 0\nnonsense\n"
    (tmp_path / "trace").write_text(lines.replace("1 3 3", "1 3 7", 1))
    rows, report = read_calls(tmp_path / "trace")
    assert len(rows) == 3 and report["counts"]["lines"] == 5
    assert report["warnings"] == [
        "2 of 5 records were skipped: 1 unknown operation, 1 no record of eight fields",
        "the header announces 7 records, the trace has 5; the header's count is ignored",
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_binary_cut_within_its_table_is_recognised_and_called_cut_short(
    tmp_path: Path, layout: str
) -> None:
    whole = binary(NAMES, [record(2)], layout)
    start = len(whole) - (48 if "lp64" in layout and "ilp" not in layout else 40)
    for size in range(16, start):
        (tmp_path / "trace").write_bytes(whole[:size])
        assert formats.source([tmp_path / "trace"]).name == "umd"
        with pytest.raises(IotraceError, match="cut short in the table of files"):
            read_calls(tmp_path / "trace")
