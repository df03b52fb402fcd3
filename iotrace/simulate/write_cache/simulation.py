"""The caching of writes by a disk controller, simulated: requests in, one row for each of the settings out."""

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.analysis.curves.passes import tallied
from iotrace.engine.native import WriteCacheSimulator
from iotrace.errors import IotraceError, UsageError
from iotrace.option import described
from iotrace.simulate.disk import Description
from iotrace.simulate.disk import drive as drive_named
from iotrace.simulate.in_parts import outcomes_of_parts, threads_of
from iotrace.simulate.write_cache.metrics import metrics
from iotrace.simulate.write_cache.replaying import Fit, Replaying
from iotrace.simulate.write_cache.requests import RemoteRequests, Requests, TraceLayout
from iotrace.simulate.write_cache.settings import Settings, for_engine
from iotrace.workers import Workers

MOST_TRIES = 20
"""How often the time scale is adjusted for a busy share."""
MOST_DISKS = 1 << 14
"""The engine checks every disk whenever one of them may start an operation."""
CLOSE_ENOUGH = 0.002
"""The relative difference of a busy share that counts as reached."""


def run(
    trace: Any, all_settings: Sequence[Settings], replaying: Replaying, workers: Workers | None = None
) -> pa.Table:
    """Return a row for each of the settings, replayed one way: see `simulate`."""
    return simulate(trace, settings=all_settings, workers=workers, **vars(replaying))


def simulate(
    trace: Any,
    drive: Description | str,
    settings: Settings | Sequence[Settings],
    *,
    replay: str = "open",
    time_scale: float = 1.0,
    busy_percent: float | None = None,
    fit: Fit = "wrap",
    head_switch_ms: float | None = None,
    devices: Sequence[int] | None = None,
    threads: int | None = None,
    workers: Workers | None = None,
) -> pa.Table:
    """Return what a controller with caches would have made of a block trace: a row for each of the settings, in order.

    ``trace`` is a `Requests`, or what makes one: a store with a table disk_io, or a table with its columns. Each of
    its devices is a disk of the kind ``drive`` (a description or a name of the library), behind one controller; or
    only the ``devices`` named. In ``open`` replay requests come at their times, multiplied by ``time_scale``; in
    ``closed`` replay each comes after the answer to the one before and the time that passed between them. With
    ``busy_percent`` the time scale is chosen so that the busiest disk is that busy without a write cache.
    ``fit`` says how to map block numbers beyond the disk's end (see `TraceLayout`). ``head_switch_ms`` overrides
    the drive's; 0 gives the paper's upper bound for cylinders. ``threads`` defaults to the processors there are.
    Remote ``workers`` take some of the settings each, and read the trace themselves.

    What is counted (docs/design.md 7): a purge of a track or cylinder is one disk write, a piggyback none; a read is
    one disk read if any of its blocks is in no cache, and the disk then reads all of it in one operation. The columns
    are those of the result write_cache in queries/results.toml; the metadata has a ``tally`` of what was left out,
    sorted and refitted. Percentiles are from a histogram, at most 1/128 above the true ones.

    Raises UsageError for invalid settings, IotraceError for a trace that cannot be simulated.
    """
    chosen = [settings] if isinstance(settings, Settings) else list(settings)
    if not chosen:
        raise UsageError("there are no settings to simulate")
    description = drive_named(drive) if isinstance(drive, str) else drive
    if head_switch_ms is not None:
        description = dataclasses.replace(description, head_switch_ms=head_switch_ms)
    requests = trace if isinstance(trace, Requests) else Requests(trace, devices)
    run = _Run(requests, description, replay, fit, threads or threads_of(workers))
    if busy_percent is not None:
        time_scale = run.time_scale_for(busy_percent, chosen[0], time_scale)
    if workers is not None and workers.is_remote:
        counts, refitted = run.remote_counts(chosen, time_scale, workers)
    else:
        counts, refitted = run.counts(chosen, time_scale)
    rows = [
        described(setting)
        | {
            "disk": description.name,
            "disks": len(requests.survey.devices),
            "replay": replay,
            "time_scale": time_scale,
            "fit": fit,
            "refitted_requests": refitted,
        }
        | metrics(row, setting, replay, len(requests.survey.devices))
        for setting, row in zip(chosen, counts, strict=True)
    ]
    tally = dataclasses.asdict(requests.survey) | {"refitted": refitted}
    return tallied(queries.result_table("write_cache", rows), queries.table_schema("write_cache"), tally)


@dataclasses.dataclass(frozen=True)
class _Run:
    requests: Requests
    drive: Description
    replay: str
    fit: Fit
    threads: int

    def counts(self, settings: Sequence[Settings], time_scale: float) -> tuple[list[dict[str, Any]], int]:
        """Return what was counted, a row for each of the settings, and how many requests were refitted."""
        layout = TraceLayout(self.drive.native.blocks, self.fit, self.replay, time_scale)
        disks = len(self.requests.survey.devices)
        if disks > MOST_DISKS:
            raise UsageError(
                f"the trace has {disks:,} disks; a controller has {MOST_DISKS:,} at most:"
                " choose some of them (--device)"
            )
        try:
            simulator = WriteCacheSimulator(
                self.drive.native,
                json.dumps([for_engine(setting, disks, self.replay) for setting in settings]),
                threads=self.threads,
            )
            table = pa.table(pa.record_batch(self.requests.run(layout, simulator)))
        except ValueError as error:
            raise IotraceError(str(error)) from error
        rows: list[dict[str, Any]] = table.to_pylist()
        return rows, layout.refitted

    def remote_counts(
        self, settings: Sequence[Settings], time_scale: float, workers: Workers
    ) -> tuple[list[dict[str, Any]], int]:
        """Return the same as `counts`, simulated by workers that read the trace."""
        sent = Replay(self.requests.sent(), self.drive, self.replay, self.fit, time_scale)
        counted = outcomes_of_parts(workers, sent.counts, settings)
        return [row for row, _ in counted], counted[0][1]

    def time_scale_for(self, busy_percent: float, settings: Settings, first: float) -> float:
        """Return the time scale at which the busiest disk is so busy without a write cache.

        Raises UsageError if it cannot be: in closed replay requests wait for the disk at any scale.
        """
        if not 0 < busy_percent < 100:
            raise UsageError("a disk is busy between 0 and 100 % of the time")
        baseline = Settings(
            read_cache_bytes=settings.read_cache_bytes if not settings.is_single else 0,
            write_cache_bytes=0,
            queue=settings.queue,
            sharing=settings.sharing,
        )
        scale, target = first, busy_percent / 100
        for _ in range(MOST_TRIES):
            (row,), _ = self.counts([baseline], scale)
            span_ns = row["end_ns"] - row["first_arrival_ns"]
            if not row["busiest_ns"] or not span_ns:
                raise UsageError("the disk does nothing without a write cache: no time scale makes it busy")
            busy = row["busiest_ns"] / span_ns
            if abs(busy / target - 1) < CLOSE_ENOUGH:
                return scale
            if self.replay == "open":
                scale *= busy / target
            else:
                # thinking is what scales: span = answering + thinking
                thinking_ns = span_ns - row["read_response_ns"] - row["write_response_ns"]
                wanted_ns = row["busiest_ns"] / target - (span_ns - thinking_ns)
                if thinking_ns <= 0 or wanted_ns <= 0:
                    break
                scale *= wanted_ns / thinking_ns
        raise UsageError(
            f"no time scale makes the disk {busy_percent:g} % busy; the last one tried, {scale:.4g}, made it"
            f" {100 * busy:.4g} %"
        )


@dataclasses.dataclass(frozen=True)
class Replay:
    """How remote workers replay a trace."""

    requests: RemoteRequests
    drive: Description
    replay: str
    fit: Fit
    time_scale: float

    def counts(self, settings: Sequence[Settings]) -> list[tuple[dict[str, Any], int]]:
        """Return what was counted with each of the settings, and how many requests were refitted."""
        run = _Run(self.requests.read(), self.drive, self.replay, self.fit, threads=1)
        rows, refitted = run.counts(settings, self.time_scale)
        return [(row, refitted) for row in rows]
