"""Machines, disciplines and bypass bits as the engine takes them."""

import json

import pyarrow as pa

from iotrace.errors import UsageError
from iotrace.simulate.cluster.costs import Components
from iotrace.simulate.cluster.discipline import Discipline
from iotrace.simulate.cluster.rows import Rows
from iotrace.simulate.cluster.settings import LIMITS, Machine
from iotrace.simulate.cluster.worth import Worth

Rule = tuple[int | None, bool, bool, int, int, int, bool]
"""Phase, whether for writes, whether global, file, first segment, the one after the last, whether through."""

END = 1 << 63
UNBOUNDED = LIMITS["frames"] + 1
COLUMNS = ("phase", "operation", "level", "file", "first_segment", "segments", "through")


def for_engine(
    machine: Machine, discipline: Discipline, rows: Rows, costs: Components, clock: bool, log: bool
) -> str:
    """Return the JSON that `iotrace.engine.native.ClusterSimulator` takes; water marks are in thousandths.

    A level that the discipline does not use has no frames.
    """

    def frames(size: int | None, is_used: bool) -> int | None:
        return None if not is_used else UNBOUNDED if size is None else size

    return json.dumps(
        {
            "nodes": machine.nodes,
            "daemons": machine.iods,
            "local_frames": frames(machine.local_blocks, discipline.uses_local),
            "global_frames": frames(machine.global_blocks, discipline.uses_global),
            "global_per_file": machine.global_per_file,
            "global_servers": machine.global_servers,
            "global_threads": machine.global_threads,
            "global_writes": machine.global_writes,
            "block_bytes": machine.block_bytes,
            "stripe_bytes": machine.stripe_bytes,
            "segment_blocks": machine.segment_blocks,
            "low_mark": round(10 * machine.low_water_percent),
            "high_mark": round(10 * machine.high_water_percent),
            "flusher_period": machine.flusher_period_ns if clock else machine.flusher_period_requests,
            "admission": _admission(machine, discipline, rows, costs),
            "has_sync_writes": rows.has_sync_writes,
            "keeps_log": log,
        }
    )


def _admission(machine: Machine, discipline: Discipline, rows: Rows, costs: Components) -> object:
    """Return the word of a way of admission, or what counters need to know."""
    if discipline.admission not in ("counters", "climbing"):
        return discipline.admission
    climbing = None
    if discipline.admission == "climbing":
        mean_bytes = max(1, rows.read_bytes // max(1, rows.reads))
        worth = Worth.of(costs, mean_bytes, machine.iods, discipline.uses_local)
        climbing = {
            "epoch_blocks": discipline.epoch_blocks,
            "hit_saves_ns": max(0, round(worth.hit_ns)),
            "miss_costs_ns": round(worth.miss_ns),
        }
    counters = {name: getattr(discipline, name) for name in ("threshold", "first_access", "scope", "ages")}
    return {"counters": {**counters, "climbing": climbing}}


def rules(plan: pa.Table | None) -> list[Rule]:
    """Return the rules of a table cluster_bits; raises UsageError, naming the row, for an invalid one."""
    if plan is None:
        return []
    missing = [name for name in COLUMNS if name not in plan.column_names]
    if missing:
        raise UsageError(f"the table of bypass bits lacks {', '.join(missing)}")
    all_rules: list[Rule] = []
    columns = (plan[name].to_pylist() for name in COLUMNS)
    for number, row in enumerate(zip(*columns, strict=True)):
        phase, operation, level, file, first, segments, through = row
        why = _fault(phase, operation, level, file, first, segments, through)
        if why:
            raise UsageError(f"row {number} of the bypass bits: {why}")
        end = END if segments is None else first + segments
        for is_write in (False, True):
            if operation in (None, ("read", "write")[is_write]):
                all_rules.append((phase, is_write, level == "global", file, first, end, through))
    return all_rules


def _fault(
    phase: object,
    operation: object,
    level: object,
    file: object,
    first: object,
    segments: object,
    through: object,
) -> str | None:
    def is_number(value: object, most: int) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < most

    if phase is not None and not is_number(phase, 1 << 31):
        return f"{phase!r} is not a phase"
    if operation not in (None, "read", "write"):
        return f"operation is read, write or nothing, not {operation!r}"
    if level not in ("local", "global"):
        return f"level is local or global, not {level!r}"
    if not is_number(file, 1 << 31):
        return f"{file!r} is not a file's number"
    if not is_number(first, 1 << 62) or not (segments is None or is_number(segments, 1 << 62)):
        return "first_segment is a whole number from 0 on, and segments another or nothing"
    return None if isinstance(through, bool) else "through is true or false"
