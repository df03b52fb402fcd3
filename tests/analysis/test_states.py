"""States of slices: merged in any tree they give the table of one pass, or say why they cannot."""

import json
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from iotrace.analysis.curves import Cache, curve, states
from iotrace.analysis.curves.cache import Syncs
from iotrace.analysis.curves.records import Records
from iotrace.analysis.curves.states import Settings, State, merged, read, record_slice
from iotrace.errors import IotraceError, UsageError

BLOCK = 4
COLUMNS = ("operation", "file", "offset", "length", "file_size", "flags")
Row = tuple[str, int, int | None, int | None, int | None, str | None]


def references(rows: list[Row]) -> pa.Table:
    types = [pa.string(), pa.int32(), pa.int64(), pa.int64(), pa.int64(), pa.string()]
    columns = zip(*rows, strict=True) if rows else [[]] * len(COLUMNS)
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    return pa.table(arrays, names=COLUMNS)


def state_of(
    rows: list[Row], first: int, end: int, largest_blocks: int | None = None, syncs: Syncs = "ignore"
) -> State:
    """Return the state of some of the rows, as `iotrace curve --state` makes it of a trace of them."""
    cache = Cache(block_bytes=BLOCK, deletes="ignore", syncs=syncs)
    slice_, counts = record_slice(references(rows[first:end]).to_batches(), cache, largest_blocks)
    settings = Settings(BLOCK, "ignore", syncs, "all", None, None, largest_blocks)
    records = Records("trace", first, end, end == len(rows), "first", str(end), None, None)
    return State(settings, (records,), counts, None, slice_)


def one_pass(rows: list[Row], syncs: Syncs = "ignore") -> pa.Table:
    return curve(references(rows), block_bytes=BLOCK, deletes="ignore", syncs=syncs)


def slices(rows: list[Row], cuts: list[int], **settings: Any) -> list[State]:
    places = sorted({0, len(rows), *(cut % len(rows) for cut in cuts)})
    return [state_of(rows, *place, **settings) for place in pairwise(places)]


def merge_all(states: list[State], choices: list[int]) -> State:
    """Merge neighbours, those that the choices name first, until one state is left."""
    for step in range(len(states) - 1):
        place = choices[step % len(choices)] % (len(states) - 1)
        states[place : place + 2] = [states[place].merge(states[place + 1])]
    return states[0]


def table(state: State) -> pa.Table:
    ssd = Cache()
    return state.curves(ssd.overhead_ms, ssd.transfer_ms_per_kb).table()


NULLABLE = st.none() | st.integers(0, 40)
OPERATIONS = st.sampled_from(["read", "read", "write", "update", "truncate", "delete", "sync"])
FLAGS = st.sampled_from([None, None, "synchronous"])
CUTS = st.lists(st.integers(0, 99), max_size=5)
CHOICES = st.lists(st.integers(0, 9), min_size=1, max_size=5)


def rows_of(offset: Any, length: Any, size: Any, operation: Any = OPERATIONS) -> Any:
    row = st.tuples(operation, st.integers(0, 2), offset, length, size, FLAGS)
    return st.lists(row, min_size=1, max_size=40)


WHOLE = rows_of(st.integers(0, 40), st.integers(0, 30), st.integers(0, 50))
MOVES = rows_of(
    st.integers(0, 40), st.integers(1, 30), st.integers(0, 50), st.sampled_from(["read", "write"])
)


@given(WHOLE, CUTS, CHOICES)
def test_any_tree_of_merges_is_the_table_of_one_pass(
    rows: list[Row], cuts: list[int], choices: list[int]
) -> None:
    """Every column is that of one pass, and so is what the stream contained."""
    assert table(merge_all(slices(rows, cuts), choices)).equals(one_pass(rows), check_metadata=True)


@given(MOVES, CUTS, CHOICES)
def test_synchronous_writes_merge(rows: list[Row], cuts: list[int], choices: list[int]) -> None:
    """A synchronous write makes the blocks clean that it wrote itself, which needs nothing of earlier slices."""
    assert table(merge_all(slices(rows, cuts, syncs="honour"), choices)).equals(one_pass(rows, "honour"))


@given(rows_of(NULLABLE, NULLABLE, NULLABLE), CUTS, CHOICES)
def test_what_depends_on_earlier_slices_is_refused(
    rows: list[Row], cuts: list[int], choices: list[int]
) -> None:
    """Where offsets, lengths and sizes are unknown, a merge is exact or refused."""
    try:
        state = merge_all(slices(rows, cuts), choices)
    except IotraceError as error:
        assert "follows a slice" in str(error)
    else:
        assert table(state).equals(one_pass(rows))


@given(MOVES, CUTS, CHOICES, st.integers(1, 12))
def test_a_state_cut_at_a_size_is_exact_up_to_it(
    rows: list[Row], cuts: list[int], choices: list[int], largest: int
) -> None:
    """It has no more blocks in its lists, and every column but cold misses and exact bytes."""
    merged, again = (merge_all(slices(rows, cuts, largest_blocks=largest), choices) for _ in range(2))
    parts = pa.table(merged.slice.rows())["part"].to_pylist()
    assert all(parts.count(part) <= largest for part in set(parts))
    found = table(again)
    whole = one_pass(rows).select(found.column_names).to_pylist()
    wanted = [row for row in whole if row["size_blocks"] <= largest]
    changes = [row for place, row in enumerate(wanted) if place == 0 or _differ(row, wanted[place - 1])]
    assert found.to_pylist() == changes


def _differ(row: dict[str, int], before: dict[str, int]) -> bool:
    """Whether two rows have other counts: a row may be there for a column that a cut state does not have."""
    return any(row[name] != before[name] for name in row if not name.startswith("size_"))


@example([("write", 0, 0, 30, None, None), ("read", 1, 0, 9, None, None)])
@given(MOVES)
def test_a_written_state_is_read_as_it_was(rows: list[Row]) -> None:
    with TemporaryDirectory() as folder:
        paths = [Path(folder, f"{place}.state") for place in range(3)]
        thirds = [0, len(rows) // 3, 2 * len(rows) // 3, len(rows)]
        for path, first, end in zip(paths, thirds[:-1], thirds[1:], strict=True):
            state_of(rows, first, end).write(path)
        assert table(merged(paths)).equals(one_pass(rows))


def test_a_worked_example() -> None:
    """Blocks A and B are written on Monday; on Tuesday A is read after C: it is the third block from the top."""
    monday: list[Row] = [("write", 0, 0, 4, None, None), ("write", 0, 4, 4, None, None)]
    tuesday: list[Row] = [("read", 0, 8, 4, None, None), ("read", 0, 0, 4, None, None)]
    rows = monday + tuesday
    both = state_of(rows, 0, 2).merge(state_of(rows, 2, 4))
    misses = {row["size_blocks"]: row["read_block_misses"] for row in table(both).to_pylist()}
    assert misses == {1: 2, 3: 1}


@pytest.mark.parametrize("operation", ["delete", "truncate"])
def test_deletions_are_refused_with_the_reason(operation: str) -> None:
    rows: list[Row] = [("write", 0, 0, 4, None, None), (operation, 0, 0, None, None, None)]
    with pytest.raises(IotraceError, match=r"reference 1: what a deletion or truncation removes depends on"):
        record_slice(references(rows).to_batches(), Cache(block_bytes=BLOCK), None)


def test_syncs_are_refused_with_the_reason() -> None:
    rows: list[Row] = [("write", 0, 0, 4, None, None), ("sync", 0, None, None, None, None)]
    with pytest.raises(IotraceError, match=r"reference 1: what a sync writes depends on earlier slices"):
        state_of(rows, 0, 2, syncs="honour")


@pytest.mark.parametrize(
    "setting", [{"write_policy": "no-allocate"}, {"warm_up_requests": 3}, {"inodes_per_block": 2}]
)
def test_settings_whose_states_do_not_merge_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="a state"):
        record_slice([], Cache(**setting), None)


ROWS: list[Row] = [("read", 0, 4 * place, 4, None, None) for place in range(6)]


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        ((0, 2), (3, 6), "records 2 to 3 are missing"),
        ((0, 4), (3, 6), "states overlap"),
        ((3, 6), (0, 3), "states are in the wrong order"),
        ((0, 3), (0, 3), "states overlap"),
    ],
)
def test_records_that_do_not_follow_are_refused(
    left: tuple[int, int], right: tuple[int, int], reason: str
) -> None:
    with pytest.raises(IotraceError, match=reason):
        state_of(ROWS, *left).merge(state_of(ROWS, *right))


def test_states_of_other_settings_are_refused() -> None:
    with pytest.raises(IotraceError, match="different settings do not merge: largest blocks None and 3"):
        state_of(ROWS, 0, 3).merge(state_of(ROWS, 3, 6, largest_blocks=3))


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    """A file that ends too early is refused in one sentence."""
    path = tmp_path / "a.state"
    state_of(ROWS, 0, 6).write(path)
    whole = path.read_bytes()
    for end in range(0, len(whole), 97):
        path.write_bytes(whole[:end])
        with pytest.raises(IotraceError, match="cannot be read as a state"):
            read(path)


def rows_of(path: Path) -> pa.RecordBatch:
    with pa.ipc.open_file(str(path)) as file:
        return file.get_batch(0)


def write_with_checksum(path: Path, header: dict[str, Any], rows: pa.RecordBatch) -> None:
    """Write a state that was changed on purpose."""
    header.pop("checksum", None)
    header["checksum"] = states._checksum(header, rows)
    rows = rows.replace_schema_metadata(
        {**(rows.schema.metadata or {}), b"curve_state": json.dumps(header).encode()}
    )
    with pa.ipc.new_file(str(path), rows.schema) as file:
        file.write_batch(rows)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"version": 1}, "is a state of version 1, this iotrace reads 2"),
        ({"records": []}, "the state is damaged: it has no records"),
        ({"counts": {}}, "the state is damaged: 'rows'"),
        ({"settings": {"block_bytes": 4096}}, "the state is damaged"),
    ],
)
def test_states_of_other_versions_and_damaged_headers_are_refused(
    tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    path = tmp_path / "a.state"
    state_of(ROWS, 0, 6).write(path)
    rows = rows_of(path)
    write_with_checksum(path, json.loads(rows.schema.metadata[b"curve_state"]) | change, rows)
    with pytest.raises(IotraceError, match=f"a.state: {reason}"):
        read(path)


def test_another_table_is_no_state(tmp_path: Path) -> None:
    path = tmp_path / "a.state"
    with pa.ipc.new_file(str(path), pa.schema([("x", pa.int64())])):
        pass
    with pytest.raises(IotraceError, match="is not a state; iotrace curve TRACE --state -o FILE writes one"):
        read(path)


@pytest.mark.parametrize(
    ("column", "value"),
    [("part", "nonsense"), ("file", -1), ("component", None), ("request", 7), ("block", None)],
)
def test_rows_that_make_no_sense_are_refused(tmp_path: Path, column: str, value: Any) -> None:
    path = tmp_path / "a.state"
    state_of(ROWS, 0, 6).write(path)
    rows = rows_of(path)
    place = rows.schema.get_field_index(column)
    values = [value, *rows[column].to_pylist()[1:]]
    field = rows.schema.field(column)
    plain = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    rows = rows.set_column(place, field, pa.array(values, plain).cast(field.type))
    write_with_checksum(path, json.loads(rows.schema.metadata[b"curve_state"]), rows)
    with pytest.raises(IotraceError, match="the state is damaged: row 0"):
        read(path)
