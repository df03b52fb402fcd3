"""The VDI traces of SYSTOR '17 (Lee et al.; SNIA 4964): ``Timestamp,Response,IOType,LUN,Offset,Size`` and a header.

Seconds since 1970 at the arrival, seconds until the answer (may be empty), R or W, bytes. Not in order of time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from iotrace.formats.disk_io.delimited import Layout, LinesLike
from iotrace.formats.disk_io.fields import decimal_ns, one_of, whole
from iotrace.formats.disk_io.format import delimited_format
from iotrace.formats.reading.clock import NS_PER_S

if TYPE_CHECKING:
    import polars as pl

LINE = rb"\d{10}\.\d+,(\d+(\.\d+)?)?,[RW],\d+,\d+,\d+"
HEADER = "Timestamp,Response,IOType,LUN,Offset,Size"


def _requests() -> Mapping[str, pl.Expr]:
    import polars as pl

    return {
        "time_ns": decimal_ns("timestamp", NS_PER_S),
        "device": pl.concat_str(pl.lit("LUN "), "lun"),
        "operation": one_of("type", {"R": "read", "W": "write"}),
        "offset_bytes": whole("offset"),
        "length_bytes": whole("size"),
        "latency_ns": decimal_ns("response", NS_PER_S),
    }


FORMAT = delimited_format(
    name="systor17",
    sentence="SYSTOR '17 (SNIA): CSV with seconds, response, R or W, LUN, bytes.",
    endings=".csv.gz",
    recognises=LinesLike(LINE, HEADER.encode()),
    layout=Layout(
        fields=("timestamp", "response", "type", "lun", "offset", "size"),
        requests=_requests,
        required=("time_ns", "operation", "blocks"),
        at_least=6,
        header=re.compile(HEADER),
        base="epoch",
    ),
)
