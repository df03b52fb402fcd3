"""Tencent's cloud disks (Zhang et al., USENIX ATC '20; SNIA 28064): ``Timestamp,Offset,Size,IOType,VolumeID``.

Seconds since 1970, 512-byte sectors, 0 for reads and 1 for writes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from iotrace.formats.disk_io.delimited import Layout, LinesLike
from iotrace.formats.disk_io.fields import one_of, steps_ns, whole
from iotrace.formats.disk_io.format import delimited_format
from iotrace.formats.reading.clock import NS_PER_S

if TYPE_CHECKING:
    import polars as pl

LINE = rb"\d{10},\d+,\d+,[01],\d+"
HEADER = "Timestamp,Offset,Size,IOType"


def _requests() -> Mapping[str, pl.Expr]:
    import polars as pl

    return {
        "time_ns": steps_ns("timestamp", NS_PER_S),
        "device": pl.col("volume"),
        "operation": one_of("type", {"0": "read", "1": "write"}),
        "lbn": whole("offset"),
        "blocks": whole("size"),
    }


FORMAT = delimited_format(
    name="tencent",
    sentence="Tencent cloud block storage (SNIA): CSV with seconds, 512-byte sectors, 0 or 1, volume.",
    endings=".csv .tgz",
    recognises=LinesLike(LINE, HEADER.encode()),
    layout=Layout(
        fields=("timestamp", "offset", "size", "type", "volume"),
        requests=_requests,
        required=("time_ns", "operation", "blocks"),
        at_least=5,
        header=re.compile(HEADER),
        base="epoch",
    ),
)
