"""libCacheSim's oracleGeneral, little-endian records without padding, and oracleGeneralOpNS.

24 bytes: u32 seconds, u64 object, u32 bytes, i64 place of the object's next request (−1, −2 or 2^63 − 1 for none). OpNS
has 27: u8 operation and u16 namespace stand before the last. An object is a key or a hash of one; of block traces it is
the logical block number. Nothing in a file says which it is: ``oracle-general`` takes objects for keys, and
``oracle-general-blocks`` for numbers of 512-byte blocks, where it refuses a trace whose objects cannot be blocks. An
object keeps the size of its first request, so that the lengths of later ones for the same block are not the trace's own
(12 % of CloudPhysics' sample). The 24-byte form has no operations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from iotrace.formats.disk_io.format import block_format
from iotrace.formats.disk_io.records import Records, RecordSource, first_records
from iotrace.formats.disk_io.requests import BLOCK_BYTES
from iotrace.formats.key_io.format import key_format
from iotrace.formats.key_io.parsed import ParsedKeys
from iotrace.formats.key_records import operation_name
from iotrace.libraries import np

PLAIN = [("time_s", "<u4"), ("object", "<u8"), ("bytes", "<u4"), ("next", "<i8")]
WITH_OPERATION = [*PLAIN[:3], ("operation", "u1"), ("namespace", "<u2"), PLAIN[3]]
LOOKED_AT = 512
NO_NEXT = (-1, -2, 2**63 - 1)
MOST_NEIGHBOURS = 0.05
"""The largest share of blocks that are followed by a request for the very next block though they are longer than one.

It is 0.3 % at most in our samples of block traces (CloudPhysics, MSR Cambridge, Systor '17, Tencent), and near
100 % where objects are numbered in sequence.
"""
LEAST_BLOCKS = 20
"""Among fewer different blocks the share of neighbours says nothing."""
HOW_TO_READ_KEYS = (
    "the objects are keys of a cache, not blocks of a disk; --trace-format oracle-general takes them for keys"
)
BLOCKS_ASSUMED = "objects are taken for block numbers of 512 bytes, sizes for lengths, as --trace-format says"


def _no_blocks(records: np.ndarray) -> tuple[int, str] | None:
    """Return the first record of a batch that shows that objects are no block numbers, and why; None if none does.

    Three things show it: a number beyond every disk, a size that is not a multiple of a block, and neighbouring numbers
    for longer objects, which as blocks would overlap (see `MOST_NEIGHBOURS`).
    """
    from iotrace.engine import native

    far = records["object"] >= native.block_limits()["disk_blocks"]
    uneven = records["bytes"] % BLOCK_BYTES != 0
    if (far | uneven).any():
        index = int(np.argmax(far | uneven))
        number, size = int(records["object"][index]), int(records["bytes"][index])
        fault = (
            f"object {number} is beyond the last block of any disk"
            if far[index]
            else f"a size of {size:,} bytes is not a multiple of {BLOCK_BYTES}"
        )
        return index, f"{fault}: {HOW_TO_READ_KEYS}"
    longer, followed, first = native.neighbours(records.tobytes(), records.dtype.itemsize)
    if first is None or longer < LEAST_BLOCKS or followed <= MOST_NEIGHBOURS * longer:
        return None
    why = (
        f"object {int(records['object'][first])} has {int(records['bytes'][first]):,} bytes, and the object numbered"
        f" one higher is requested too: as blocks they would overlap, like {followed:,} of {longer:,} objects"
    )
    return first, f"{why}: {HOW_TO_READ_KEYS}"


def _fields(head: bytes) -> Any | None:
    """Return the fields of the first records: times do not go back, and the next request for an object comes later."""
    for fields in (PLAIN, WITH_OPERATION):
        records = first_records(head, fields, LOOKED_AT)
        later = (records["next"] > np.arange(len(records))) | np.isin(records["next"], NO_NEXT)
        times = records["time_s"].astype(np.int64)
        if len(records) and later.all() and (np.diff(times) >= 0).all() and (records["next"] < 2**48).any():
            return fields
    return None


def _kind(fields: Any) -> str:
    return "oracle_general_ops" if fields is WITH_OPERATION else "oracle_general"


def layout(head: bytes) -> Records | None:
    """Return the form of the first records, whose objects are blocks."""
    fields = _fields(head)
    return None if fields is None else Records(fields, _kind(fields), refused=_no_blocks)


def layout_of_keys(head: bytes) -> Records | None:
    """Return the form of the first records, whose objects are keys."""
    fields = _fields(head)
    return None if fields is None else Records(fields, _kind(fields), parsed=parsed_keys)


def parsed_keys(block: bytes, kind: str, first: int, excerpt: Callable[[int], str]) -> ParsedKeys:
    """Return the requests for keys of records that the engine reads."""
    from iotrace.engine import native

    return ParsedKeys(native.key_records(block, kind), operation_name, first, excerpt)


def _source(paths: Sequence[Path], layout: Callable[[bytes], Records | None]) -> RecordSource:
    source = RecordSource(paths, layout, "oracle-general")
    if layout is not layout_of_keys:
        source.notes.warnings.append(BLOCKS_ASSUMED)
    return source


def _of_blocks(paths: Sequence[Path]) -> RecordSource:
    return _source(paths, layout)


FORMAT = key_format(
    name="oracle-general",
    description="libCacheSim oracleGeneral and oracleGeneralOpNS: binary records of 24 or 27 bytes with keys.",
    endings=".oracleGeneral .bin",
    recognises=lambda head: _fields(head) is not None,
    source=lambda paths: _source(paths, layout_of_keys),
)
BLOCKS = block_format(
    name="oracle-general-blocks",
    description="The same of a block trace, by --trace-format only: objects are 512-byte blocks of a disk.",
    endings=".oracleGeneral .bin",
    recognises=lambda head: False,
    source=_of_blocks,
    is_split=True,
)
