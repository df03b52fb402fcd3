"""The block traces of Microsoft Research Cambridge (Narayanan et al., FAST '08; SNIA 387), one CSV file per disk.

``Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime``: Windows' clock in steps of 100 ns, Read or Write,
bytes, and a response time in steps of 100 ns. Disks are numbered within hosts. The order is not promised.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from iotrace.formats.disk_io.delimited import Layout, LinesLike
from iotrace.formats.disk_io.fields import filetime_ns, one_of, steps_ns, whole
from iotrace.formats.disk_io.format import delimited_format

if TYPE_CHECKING:
    import polars as pl

LINE = rb"\d{17,18},[^,]*,\d+,(?i:read|write),-?\d+,-?\d+,-?\d+"
HEADER = "(?i)timestamp,hostname,"
STEP_NS = 100


def _requests() -> Mapping[str, pl.Expr]:
    import polars as pl

    return {
        "time_ns": filetime_ns("timestamp"),
        "device": pl.concat_str("hostname", "disk", separator="_"),
        "operation": one_of("type", {"Read": "read", "Write": "write"}),
        "offset_bytes": whole("offset"),
        "length_bytes": whole("size"),
        "latency_ns": steps_ns("response_time", STEP_NS),
        "host": pl.col("hostname"),
    }


FORMAT = delimited_format(
    name="msr-cambridge",
    sentence="Microsoft Research Cambridge (SNIA): CSV with Windows times, host, disk, operation, bytes, response.",
    endings=".csv",
    recognises=LinesLike(LINE, HEADER.encode()),
    layout=Layout(
        fields=("timestamp", "hostname", "disk", "type", "offset", "size", "response_time"),
        requests=_requests,
        required=("time_ns", "operation", "blocks"),
        at_least=6,
        header=re.compile(HEADER),
        base="epoch",
    ),
)
