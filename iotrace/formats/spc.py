"""Traces in the Storage Performance Council's format, revision 1.0.1, as UMass has them (Financial, WebSearch).

``ASU,LBA,Size,Opcode,Timestamp``: the unit (a disk of its own), 512-byte blocks, bytes (0 is allowed, and what is no
multiple of 512), r or w, seconds since the start. Further fields are the producer's own. Spaces mean nothing: the
specification's own sample has some within numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from iotrace.formats.disk_io.delimited import Layout, LinesLike
from iotrace.formats.disk_io.fields import decimal_ns, one_of, whole
from iotrace.formats.disk_io.format import delimited_format
from iotrace.formats.reading.clock import NS_PER_S

if TYPE_CHECKING:
    import polars as pl

LINE = rb"\d+\s*,[\d ]+,\s*\d+\s*,\s*[rRwW]\s*,\s*\d+(\.\d*)?\s*(,.*)?"


def _requests() -> Mapping[str, pl.Expr]:
    import polars as pl

    return {
        "time_ns": decimal_ns("timestamp", NS_PER_S),
        "device": pl.concat_str(pl.lit("ASU "), "asu"),
        "operation": one_of("opcode", {"r": "read", "w": "write"}),
        "lbn": whole("lba"),
        "length_bytes": whole("size"),
    }


FORMAT = delimited_format(
    name="spc",
    sentence="Storage Performance Council (UMass): CSV with unit, block, bytes, r or w, seconds.",
    endings=".spc .csv",
    recognises=LinesLike(LINE),
    layout=Layout(
        fields=("asu", "lba", "size", "opcode", "timestamp"),
        requests=_requests,
        required=("time_ns", "operation", "blocks"),
        at_least=5,
        unspaced=True,
    ),
)
