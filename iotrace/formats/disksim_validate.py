"""DiskSim's validation traces: what a real drive, given one request at a time, took for each (valid/*.trace).

``R|W Hit|Miss|Doub block blocks service inter``: 512-byte blocks; microseconds of service, and from this completion
to the next arrival. Arrivals are therefore sums; latency and service are the same. The second field is the drive's
supposed cache outcome, which is constant in the published traces, and is ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from iotrace.formats.disk_io.delimited import DelimitedSource, Layout, LinesLike
from iotrace.formats.disk_io.fields import decimal_ns, one_of, whole
from iotrace.formats.disk_io.format import block_format
from iotrace.formats.reading.clock import NS_PER_US
from iotrace.libraries import pl

LINE = rb"[RW]\s+(Hit|Miss|Doub)\s+\d+\s+\d+\s+\d+(\.\d*)?\s+\d+(\.\d*)?"


def _requests() -> Mapping[str, pl.Expr]:
    return {
        "operation": one_of("type", {"R": "read", "W": "write"}),
        "lbn": whole("block"),
        "blocks": whole("blocks"),
        "service_ns": decimal_ns("service", NS_PER_US),
        "inter_ns": decimal_ns("inter", NS_PER_US),
    }


LAYOUT = Layout(
    fields=("type", "outcome", "block", "blocks", "service", "inter"),
    requests=_requests,
    required=("time_ns", "operation", "blocks"),
    at_least=6,
    separator=" ",
)


class ValidateSource(DelimitedSource):
    """Lines from whose times the arrivals follow."""

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__(paths, LAYOUT)
        self._arrival_ns = 0

    def _followed(self, frame: pl.DataFrame) -> pl.DataFrame:
        known = pl.col("service_ns").is_not_null() & pl.col("inter_ns").is_not_null()
        step = pl.when(known).then(pl.col("service_ns") + pl.col("inter_ns")).otherwise(0)
        reached = pl.lit(self._arrival_ns) + step.cum_sum()
        frame = frame.with_columns(
            reached.alias("reached_ns"),
            pl.when(known).then(reached - step).alias("time_ns"),
            latency_ns=pl.col("service_ns"),
        )
        if len(frame):
            self._arrival_ns = int(frame["reached_ns"][-1])
        return frame.drop("inter_ns", "reached_ns")


FORMAT = block_format(
    name="disksim-validate",
    description="DiskSim VALIDATE: R or W, outcome, block, blocks, measured service time, time to the next arrival.",
    endings=".trace",
    recognises=LinesLike(LINE),
    source=ValidateSource,
)
