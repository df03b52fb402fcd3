"""Alibaba's cloud disks, 2020 (Li et al., IISWC '20): ``device_id,opcode,offset,length,timestamp``.

R or W, bytes, microseconds since 1970.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from iotrace.formats.disk_io.delimited import Layout, LinesLike
from iotrace.formats.disk_io.fields import one_of, steps_ns, whole
from iotrace.formats.disk_io.format import delimited_format
from iotrace.formats.reading.clock import NS_PER_US

if TYPE_CHECKING:
    import polars as pl

LINE = rb"\d+,[RW],\d+,\d+,\d{15,16}"
HEADER = "device_id,opcode,"


def _requests() -> Mapping[str, pl.Expr]:
    import polars as pl

    return {
        "time_ns": steps_ns("timestamp", NS_PER_US),
        "device": pl.col("device_id"),
        "operation": one_of("opcode", {"R": "read", "W": "write"}),
        "offset_bytes": whole("offset"),
        "length_bytes": whole("length"),
    }


FORMAT = delimited_format(
    name="alibaba",
    sentence="Alibaba block traces, 2020: CSV with device, R or W, bytes, microseconds.",
    endings=".csv",
    recognises=LinesLike(LINE, HEADER.encode()),
    layout=Layout(
        fields=("device_id", "opcode", "offset", "length", "timestamp"),
        requests=_requests,
        required=("time_ns", "operation", "blocks"),
        at_least=5,
        header=re.compile(HEADER),
        base="epoch",
    ),
)
