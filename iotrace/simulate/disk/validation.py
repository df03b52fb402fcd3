"""The accuracy of a drive's model: simulated and measured service times, request by request."""

import math
from collections.abc import Sequence

import pyarrow as pa

from iotrace import queries
from iotrace.errors import IotraceError
from iotrace.simulate.disk.description import Description
from iotrace.simulate.disk.measured import Measured

PARTS = ("whole", "first half", "second half")
CLOSE_MS = 0.5


def replayed(description: Description, measured: Measured) -> pa.Table:
    """Return a row for each request, simulated and measured; its columns are those of the result disk_request.

    The loop is closed: a request arrives as long after the simulated end of the one before as it was measured to
    arrive after the real one. No measured service time enters the simulation.

    Raises IotraceError, naming the request, for one that is not on the drive.
    """
    drive = description.native
    ends = (lbn + blocks for lbn, blocks in zip(measured.lbn, measured.blocks, strict=True))
    for number, end in enumerate(ends, start=1):
        if end > drive.blocks:
            raise IotraceError(
                f"request {number} ends at block {end - 1:,}, but {description.name} has {drive.blocks:,} blocks;"
                " is it the drive that was measured?"
            )
    simulated = pa.record_batch(
        drive.closed_loop(
            pa.array(measured.lbn, pa.uint64()),
            pa.array(measured.blocks, pa.uint64()),
            pa.array(measured.write, pa.bool_()),
            pa.array(measured.after_ns, pa.int64()),
        )
    )
    columns = {name: simulated[name] for name in ("time_ns", "service_ns", "overhead_ns", "seek_ns")}
    columns |= {name: simulated[name] for name in ("rotation_ns", "transfer_ns")}
    columns |= {
        "operation": ["write" if write else "read" for write in measured.write],
        "lbn": measured.lbn,
        "blocks": measured.blocks,
        "measured_ns": measured.service_ns,
    }
    schema = queries.table_schema("disk_request")
    return pa.table(
        {field.name: pa.array(columns[field.name], field.type) for field in schema}, schema=schema
    )


def agreement(requests: pa.Table) -> pa.Table:
    """Return how well simulation and measurement agree, over the whole trace and over each half.

    ``requests`` is what `replayed` returns; the result's columns are those of disk_agreement. The demerit figure is
    the root mean square difference of the two sorted samples (after Ruemmler and Wilkes, IEEE Computer 27(3), 1994);
    since sorting hides much, the other errors compare request by request.
    """
    simulated, measured = (requests[name].to_pylist() for name in ("service_ns", "measured_ns"))
    half = len(simulated) // 2
    spans = {"whole": slice(None), "first half": slice(half), "second half": slice(half, None)}
    rows = [_row(part, simulated[spans[part]], measured[spans[part]]) for part in PARTS]
    return queries.result_table("disk_agreement", rows)


def _row(part: str, simulated: Sequence[int], measured: Sequence[int]) -> dict[str, object]:
    pairs = zip(sorted(simulated), sorted(measured), strict=True)
    errors = [ours - other for ours, other in zip(simulated, measured, strict=True)]
    return {
        "part": part,
        "requests": len(errors),
        "mean_error_ms": _mean_ms(errors),
        "demerit_ms": _root(_mean_ms([(ours - other) ** 2 for ours, other in pairs])),
        "mean_absolute_error_ms": _mean_ms([abs(error) for error in errors]),
        "within_half_ms": _mean([float(abs(error) <= CLOSE_MS * 1e6) for error in errors]),
        "simulated_mean_ms": _mean_ms(simulated),
        "measured_mean_ms": _mean_ms(measured),
    }


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _mean_ms(values_ns: Sequence[int]) -> float | None:
    mean = _mean(values_ns)
    return None if mean is None else mean / 1e6


def _root(square: float | None) -> float | None:
    """Return the root of a mean of squared nanoseconds that was divided by a million, in milliseconds."""
    return None if square is None else math.sqrt(square / 1e6)
