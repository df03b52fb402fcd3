"""Caches on a cluster: bad settings are refused, and guesses are reported."""

from typing import Any

import pytest
from cluster_programs import (
    BLOCK,
    SMALL,
    program,
    table_of,
)

from iotrace.engine.native import ClusterStop
from iotrace.errors import IotraceError, UsageError
from iotrace.simulate.cluster import outcome, simulation
from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.outcome import simulate
from iotrace.simulate.cluster.rows import rows_of
from iotrace.simulate.cluster.settings import Machine


def test_an_open_without_file_is_refused() -> None:
    with pytest.raises(IotraceError, match="row 1 of the program: an open or a close without file"):
        simulate(
            program([(0, "read", 0, 0, BLOCK), (0, "open", None, None, None)]), SMALL, Discipline.of("none")
        )


def test_unknown_nodes_are_said_aloud() -> None:
    made = program([(p, "read", 0, 0, BLOCK) for p in range(6)])
    rows = rows_of(made, 4)
    assert [node for _, node in rows.processes] == [0, 1, 2, 3, 0, 1]
    assert "ranks become nodes" in rows.remarks[0]


def test_small_files_are_said_aloud() -> None:
    rows = rows_of(program([(0, "read", 0, 0, 100)]), 4)
    assert "larger than 1 of 1 files" in simulation.remarks(rows, Machine(), [100])[-1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"iods": 0},
        {"nodes": 0},
        {"segment_blocks": 0},
        {"local_blocks": -1},
        {"low_water_percent": 10, "high_water_percent": 5},
        {"network": "token ring"},
    ],
)
def test_a_machine_that_makes_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Machine(**wrong)


@pytest.mark.parametrize("threshold", [-1, 1 << 30])
def test_a_threshold_out_of_range(threshold: int) -> None:
    with pytest.raises(UsageError, match="threshold"):
        Discipline.counters(threshold)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ((0, "delete", 0, 0, 1), "operation"),
        ((0, "read", None, 0, 1), "without file"),
        ((0, "read", 0, None, 1), "without offset"),
        ((0, "read", 0, -5, 1), "offset"),
        ((0, "read", 0, 0, 1 << 40), "bytes"),
        ((0, "read", 0, (1 << 63) - 1, 1), "bytes"),
    ],
)
def test_a_row_that_makes_no_sense(row: tuple[Any, ...], why: str) -> None:
    with pytest.raises(IotraceError, match=rf"row 0 of the program: .*({why})"):
        simulate(program([row]), SMALL, Discipline.of("local+global"))


def test_bits_that_overlap_are_refused() -> None:
    overlapping = table_of(
        [(None, None, "global", 0, 0, 3, True), (None, "read", "global", 0, 2, None, False)]
    )
    with pytest.raises(IotraceError, match="overlap"):
        simulate(program([(0, "read", 0, 0, 1)]), SMALL, Discipline.planned(overlapping))


@pytest.mark.parametrize("clock", [True, False])
def test_a_run_that_is_stopped_has_no_outcome(clock: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped() -> ClusterStop:
        stop = ClusterStop()
        stop.stop()
        return stop

    monkeypatch.setattr(outcome, "ClusterStop", stopped)
    with pytest.raises(IotraceError, match="the simulation was stopped"):
        simulate(program([(0, "read", 0, 0, 1)]), SMALL, Discipline.of("none"), clock=clock)
