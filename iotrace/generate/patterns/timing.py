"""Whether a pattern is generated with times, and how long its accesses take."""

from __future__ import annotations

from dataclasses import dataclass

from iotrace.errors import UsageError
from iotrace.option import FLAG, RATIO, TIME, option


@dataclass(frozen=True)
class Timing:
    """What a timed pattern is asked for with; see `schedule.Schedule`."""

    timed: bool = option(False, "With times and processes, as a trace of it would have.", FLAG)
    access_ns: int | None = option(None, "With --timed: how long an access takes; 30ms.", TIME, name="access")
    jitter: float | None = option(None, "And how much that varies, as a share; 0.5.", RATIO)

    def __post_init__(self) -> None:
        if not self.timed and (self.access_ns is not None or self.jitter is not None):
            raise UsageError("--access and --jitter say when accesses are made: give --timed, too")
