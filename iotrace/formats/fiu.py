"""The traces of Florida International University (Koller and Rangaswami, FAST '10; SNIA 390, 391, 414).

``time process name lba blocks W|R major minor md5``, separated by spaces: nanoseconds from the start, 512-byte blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from iotrace.formats.disk_io.delimited import Layout, LinesLike
from iotrace.formats.disk_io.fields import one_of, whole
from iotrace.formats.disk_io.format import delimited_format

if TYPE_CHECKING:
    import polars as pl

LINE = rb"\d+ \d+ .+? \d+ \d+ [RW] \d+ \d+ [0-9a-fA-F]{32}"


def _requests() -> Mapping[str, pl.Expr]:
    import polars as pl

    return {
        "time_ns": whole("time"),
        "device": pl.concat_str("major", "minor", separator=","),
        "operation": one_of("type", {"R": "read", "W": "write"}),
        "lbn": whole("lba"),
        "blocks": whole("size"),
        "pid": whole("pid"),
        "program": pl.col("program"),
    }


FORMAT = delimited_format(
    name="fiu",
    sentence="Florida International University (SNIA): ns, pid, program, block, blocks, R or W, device, hash.",
    endings=".blkparse",
    recognises=LinesLike(LINE),
    layout=Layout(
        fields=("time", "pid", "program", "lba", "size", "type", "major", "minor"),
        requests=_requests,
        required=("time_ns", "operation", "blocks"),
        at_least=8,
        pattern=r"^(?P<time>\S+)\s+(?P<pid>\d+)\s+(?P<program>.+?)\s+(?P<lba>\S+)\s+(?P<size>\S+)\s+(?P<type>[A-Za-z]+)"
        r"\s+(?P<major>\d+)\s+(?P<minor>\d+)(?:\s.*)?$",
    ),
)
