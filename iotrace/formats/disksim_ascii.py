"""DiskSim's default trace format (Ganger et al., disksim_iotrace.c): ``arrival device block blocks flags``.

Milliseconds with decimals, 512-byte blocks, hexadecimal flags of which bit 0 says that it is a read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from iotrace.formats.disk_io.delimited import Layout, LinesLike
from iotrace.formats.disk_io.fields import decimal_ns, hexadecimal, whole
from iotrace.formats.disk_io.format import delimited_format
from iotrace.formats.reading.clock import NS_PER_MS

if TYPE_CHECKING:
    import polars as pl

LINE = rb"\d+\.\d+\s+\d+\s+\d+\s+\d+\s+[0-9a-fA-F]{1,8}"
FIELDS = ("time", "device", "block", "blocks", "flags")
READ = 1


def direction(flags: pl.Expr) -> pl.Expr:
    """Return what bit 0 of the flags says; null where there are none."""
    import polars as pl

    reads = flags % 2 == READ
    return pl.when(reads).then(pl.lit("read")).when(~reads).then(pl.lit("write"))


def _requests() -> Mapping[str, pl.Expr]:
    import polars as pl

    return {
        "time_ns": decimal_ns("time", NS_PER_MS),
        "device": pl.concat_str(pl.lit("disk "), "device"),
        "operation": direction(hexadecimal("flags")),
        "lbn": whole("block"),
        "blocks": whole("blocks"),
    }


FORMAT = delimited_format(
    name="disksim",
    sentence="DiskSim ASCII: milliseconds, device, block, blocks, flags in hexadecimal (bit 0: read).",
    endings=".trace .ascii",
    recognises=LinesLike(LINE),
    layout=Layout(
        fields=FIELDS,
        requests=_requests,
        required=("time_ns", "operation", "blocks"),
        at_least=5,
        separator=" ",
    ),
)
