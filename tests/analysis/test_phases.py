"""Phases of a file's use, in small stores."""

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from iotrace import queries, schemas
from iotrace.analysis.patterns.study import Options, locality, patterns, patterns_alone, study
from iotrace.errors import IotraceError
from iotrace.store.store import Store

Rows = list[dict[str, Any]]
SECOND = 10**9


def store(folder: Path, references: Rows, uses: Rows = [], files: int = 1, calls: Rows = []) -> Store:  # noqa: B006
    """A store with the tables that pattern recognition reads."""
    tables = {
        "reference": [
            {"seq": seq, "type": "datafile", "operation": "read", "file": 0, **row}
            for seq, row in enumerate(references)
        ],
        "file": [{"file": file, "path": f"/data/{file}"} for file in range(files)],
        "process": [{"process": process} for process in range(64)],
        "use": [{"file": 0, **row} for row in uses],
        "parallel_io": [{"seq": seq, "layer": "mpiio", "file": 0, **row} for seq, row in enumerate(calls)],
    }
    for name, rows in tables.items():
        schema = pa.schema([field.with_nullable(True) for field in schemas.schema(name)])
        pq.write_table(pa.Table.from_pylist(rows, schema), folder / f"{name}.parquet")
    held = {name: len(rows) for name, rows in tables.items()}
    return Store(folder, {"tables": held})


def segments(start_ns: int | None, processes: range, operation: str = "read") -> Rows:
    """20 records for each process, one after another in its segment."""
    return [
        {
            "time_ns": None if start_ns is None else start_ns + 1000 * (len(processes) * step + process),
            "process": process,
            "operation": operation,
            "offset": 2000 * (process - processes.start) + 100 * step,
            "length": 100,
        }
        for step in range(20)
        for process in processes
    ]


def result(made: Store, **options: Any) -> list[tuple[int, str, str, int]]:
    table = patterns(study(made, Options(**options)))
    assert table.schema.equals(queries.table_schema("patterns"))
    assert patterns_alone(made, Options(**options)).equals(table)
    return [
        (row["phase"], row["operation"], row["pattern"].split(" ")[0], row["processes"])
        for row in table.to_pylist()
    ]


def test_a_quiet_gap_parts_phases(tmp_path: Path) -> None:
    made = store(tmp_path, segments(0, range(4)) + segments(5 * SECOND, range(4)))
    assert result(made) == [(0, "read", "seg", 4), (1, "read", "seg", 4)]
    assert result(made, apart=False) == [(0, "read", "seg", 4)]


def test_processes_in_step_are_not_quiet_between_the_steps(tmp_path: Path) -> None:
    steps = [
        {
            "time_ns": 2 * SECOND * step,
            "process": process,
            "offset": 2000 * process + 100 * step,
            "length": 100,
        }
        for step in range(20)
        for process in range(4)
    ]
    assert result(store(tmp_path, steps)) == [(0, "read", "seg", 4)]


def test_no_gap_within_a_second(tmp_path: Path) -> None:
    made = store(tmp_path, segments(0, range(4)) + segments(SECOND // 2, range(4)))
    assert [phase for phase, *_ in result(made)] == [0]


def test_what_all_have_closed_is_another_phase_when_it_is_opened_again(tmp_path: Path) -> None:
    first, second = segments(0, range(4)), segments(SECOND // 2, range(4, 8), "write")
    closed = [{"process": one, "open_ns": 0, "close_ns": SECOND // 4} for one in range(4)]
    again = [{"process": one, "open_ns": SECOND // 3, "close_ns": None} for one in range(4, 8)]
    made = store(tmp_path, first + second, closed + again)
    assert result(made) == [(0, "read", "seg", 4), (1, "write", "seg", 4)]


def test_one_that_keeps_it_open_keeps_the_phase(tmp_path: Path) -> None:
    first, second = segments(0, range(4)), segments(SECOND // 2, range(4))
    uses = [{"process": one, "open_ns": 0, "close_ns": SECOND // 4} for one in range(3)]
    uses += [{"process": 3, "open_ns": None, "close_ns": None}]
    uses += [{"process": one, "open_ns": SECOND // 3, "close_ns": SECOND} for one in range(3)]
    made = store(tmp_path, first + second, uses)
    assert {phase for phase, *_ in result(made)} == {0}


def test_without_times_the_order_is_what_there_is(tmp_path: Path) -> None:
    made = store(tmp_path, segments(None, range(4)))
    (row,) = patterns(study(made)).to_pylist()
    assert (row["pattern"], row["first_ns"], row["reuse_ns"]) == ("seg or lfp", None, None)


def test_few_accesses_single_processes_and_unknown_offsets_are_left_out(tmp_path: Path) -> None:
    few = [{**row, "file": 1} for row in segments(0, range(1))[:10]]
    alone = [{**row, "file": 2} for row in segments(0, range(1))]
    nowhere = [{**row, "file": 3, "offset": None} for row in segments(0, range(4))]
    made = store(tmp_path, segments(0, range(4)) + few + alone + nowhere, files=4)
    assert result(made) == [(0, "read", "seg", 4), (0, "read", "lw1", 1)]
    assert result(made, shared_only=True) == [(0, "read", "seg", 4)]
    with pytest.raises(IotraceError, match="no file has a phase of 100"):
        study(made, Options(least_accesses=100))


def scattered_and_asked() -> tuple[Rows, Rows]:
    """Requests of two aggregators in no order, and the calls behind them: records of about one size, after a header."""
    draw = random.Random(1)
    requests: Rows = [
        {"time_ns": 1000 * number, "process": number % 2, "operation": "write", "length": 512 << 10,
         "offset": draw.randrange(1000) << 19}
        for number in range(200)
    ]  # fmt: skip
    lengths = [(5 << 20) + draw.randrange(-1000, 1000) for _ in range(16)]
    starts = [2048 + sum(lengths[:process]) for process in range(16)]
    calls: Rows = [
        {"time_ns": 10_000 * step + process, "process": process, "operation": "write", "length": lengths[process],
         "offset": (step << 30) + starts[process] + draw.randrange(-2, 2)}
        for step in range(8)
        for process in range(16)
    ]  # fmt: skip
    return requests, [{"time_ns": 0, "process": 0, "operation": "write", "offset": 0, "length": 96}, *calls]


def test_patterns_are_those_of_the_calls_of_mpi_where_they_have_offsets(tmp_path: Path) -> None:
    requests, calls = scattered_and_asked()
    (row,) = patterns(study(store(tmp_path, requests, calls=calls))).to_pylist()
    assert row["pattern"].startswith("strided") and row["certainty"] >= 0.8 and row["accesses"] == len(calls)
    assert row["strides"] == f"8 by {1 << 30}"
    others = store(tmp_path, [{**row, "file": 1} for row in segments(0, range(4))] + requests, [], 2, calls)
    assert [(row["file"], row["accesses"]) for row in patterns(study(others)).to_pylist()] == [
        (0, 129),
        (1, 80),
    ]
    calls[7]["offset"] = None
    (row,) = patterns(study(store(tmp_path, requests, calls=calls))).to_pylist()
    assert row["accesses"] == len(requests) and not row["pattern"].startswith("strided")


def test_records_that_no_process_has_taken_yet_are_a_list(tmp_path: Path) -> None:
    rows = [{**row, "process": None, "offset": 100 * at} for at, row in enumerate(segments(None, range(4)))]
    made = store(tmp_path, rows)
    assert result(made) == [(0, "read", "gw", None)]


def test_where_processes_took_records_what_nobody_took_is_no_hint(tmp_path: Path) -> None:
    untaken = [{**row, "process": None} for row in segments(0, range(4))]
    made = store(tmp_path, untaken + segments(0, range(4)))
    assert result(made) == [(0, "read", "seg", 4)]


def test_locality_is_of_all_phases(tmp_path: Path) -> None:
    writes, reads = segments(0, range(4), "write"), segments(5 * SECOND, range(4, 8))
    table = locality(study(store(tmp_path, writes + reads), Options(block_bytes=100)))
    assert table.schema.equals(queries.table_schema("interprocess_locality"))
    rows = [row for row in table.to_pylist() if row["measure"] == "accesses"]
    assert (rows[-1]["followed"], rows[-1]["share"]) == (80, 0.5)
    assert [row["followed"] for row in rows if row["within"] < 80] == [0] * 6
