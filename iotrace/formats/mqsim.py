"""MQSim's variant of DiskSim's format (Tavakkol et al., FAST '18): nanoseconds and decimal types, 0 write, 1 read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from iotrace.formats.disk_io.delimited import Layout, LinesLike
from iotrace.formats.disk_io.fields import one_of, whole
from iotrace.formats.disk_io.format import delimited_format
from iotrace.formats.disksim_ascii import FIELDS

if TYPE_CHECKING:
    import polars as pl

LINE = rb"\d+[ \t]+\d+[ \t]+\d+[ \t]+\d+[ \t]+[01]"


def _requests() -> Mapping[str, pl.Expr]:
    import polars as pl

    return {
        "time_ns": whole("time"),
        "device": pl.concat_str(pl.lit("disk "), "device"),
        "operation": one_of("flags", {"0": "write", "1": "read"}),
        "lbn": whole("block"),
        "blocks": whole("blocks"),
    }


FORMAT = delimited_format(
    name="mqsim",
    sentence="MQSim: DiskSim's fields with whole nanoseconds; 0 is a write, 1 a read.",
    endings=".trace",
    recognises=LinesLike(LINE),
    layout=Layout(
        fields=FIELDS,
        requests=_requests,
        required=("time_ns", "operation", "blocks"),
        at_least=5,
        separator=" ",
    ),
)
