"""libCacheSim's oracleGeneral, little-endian records without padding, and oracleGeneralOpNS.

24 bytes: u32 seconds, u64 object, u32 bytes, i64 place of the next request for the object (−1 for none). OpNS has 27:
u8 operation and u16 namespace stand before the last. Of a block trace the object is the logical block number; traces
of other caches name objects by hashes, which are no places on a disk. An object keeps the size of its first request,
so that the lengths of later ones for the same block are not the trace's own (12 % of CloudPhysics' sample). The
24-byte form has no operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from iotrace.formats.disk_io.format import block_format
from iotrace.formats.disk_io.records import Records, RecordSource, first_records, signed, words
from iotrace.formats.reading.clock import NS_PER_S

if TYPE_CHECKING:
    import numpy as np

PLAIN = [("time_s", "<u4"), ("object", "<u8"), ("bytes", "<u4"), ("next", "<i8")]
WITH_OPERATION = [*PLAIN[:3], ("operation", "u1"), ("namespace", "<u2"), PLAIN[3]]
GETS, SETS, DELETE, READ, WRITE, UPDATE = (1, 2), range(3, 9), 9, 12, 13, 14
OPERATIONS = {
    **dict.fromkeys((*GETS, READ), "read"),
    **dict.fromkeys((*SETS, WRITE, UPDATE), "write"),
    DELETE: "discard",
}
"""libCacheSim's numbers of operations; the others (nop, incr, decr, ...) have no meaning for a disk."""
LOOKED_AT = 512
NO_NEXT = (-1, 2**63 - 1)


def _requests(records: np.ndarray) -> Mapping[str, Any]:
    columns: dict[str, Any] = {
        "time_ns": records["time_s"].astype("int64") * NS_PER_S,
        "lbn": signed(records["object"]),
        "length_bytes": records["bytes"].astype("int64"),
    }
    if "operation" in (records.dtype.names or ()):
        columns["operation"] = words(records["operation"], OPERATIONS)
    return columns


def layout(head: bytes) -> Records | None:
    """Tell the form from the first records: times do not go back, and the next request for an object comes later."""
    import numpy as np

    for fields in (PLAIN, WITH_OPERATION):
        records = first_records(head, fields, LOOKED_AT)
        later = (records["next"] > np.arange(len(records))) | np.isin(records["next"], NO_NEXT)
        times = records["time_s"].astype(np.int64)
        if len(records) and later.all() and (np.diff(times) >= 0).all() and (records["next"] < 2**48).any():
            return Records(fields, _requests, required=("operation",) if fields is WITH_OPERATION else ())
    return None


FORMAT = block_format(
    name="oracle-general",
    sentence="libCacheSim oracleGeneral and oracleGeneralOpNS: binary records of 24 or 27 bytes.",
    endings=".oracleGeneral .bin",
    recognises=lambda head: layout(head) is not None,
    source=lambda paths: RecordSource(paths, layout, "oracle-general"),
)
