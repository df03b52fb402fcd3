"""Traces of caches that are binary records: plain streams of keys, and libCacheSim's ``.lcs``."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

from iotrace.formats.disk_io.records import Records, RecordSource, words
from iotrace.formats.format import Format
from iotrace.formats.key_io.format import key_format
from iotrace.formats.reading.clock import NS_PER_S
from iotrace.libraries import np, pl

OPERATIONS = dict(
    enumerate(
        [
            "get",
            "gets",
            "set",
            "add",
            "cas",
            "replace",
            "append",
            "prepend",
            "delete",
            "incr",
            "decr",
            "read",
            "write",
            "update",
        ],
        start=1,
    )
)
"""libCacheSim's numbers of operations (``req_op_e``); 0 is none."""
MAGIC = struct.pack("<Q", 0x123456789ABCDEF0)
HEADERS = (8192, 1024)
"""Bytes of a header of ``.lcs``, which begins and ends with the magic number; the shorter one is of 2023."""
VERSION_1 = [("time_s", "<u4"), ("object", "<u8"), ("bytes", "<u4"), ("next", "<i8")]
VERSION_2 = [*VERSION_1[:3], ("operation_tenant", "<u4"), VERSION_1[3]]
VERSION_3 = [*VERSION_1[:2], ("bytes", "<i8"), ("operation_tenant", "<u4"), ("ttl_s", "<i4"), VERSION_1[3]]
FEATURES = {4: 1, 5: 2, 6: 4, 7: 8, 8: 16}
"""How many further numbers of 32 bits the records of a version have behind those of version 3; they are left out."""
TYPES = {"c": "i1", "b": "i1", "B": "u1", "h": "<i2", "H": "<u2", "i": "<i4", "I": "<u4", "q": "<i8", "Q": "<u8",
         "f": "<f4", "d": "<f8"}  # fmt: skip
PLACED = ("object", "bytes", "time_s", "last", "next", "operation", "ttl_s", "tenant", "content")
"""Which field each of the bytes behind the format of the first header numbers, from 1; 0 for none."""


def unsigned(numbers: np.ndarray) -> pl.Series:
    """Return keys as a column, with their bits."""
    return pl.Series(np.ascontiguousarray(numbers).astype(np.uint64))


def operation_name(code: int) -> str | None:
    """Return the name of an operation; None for 0, ``code N`` for other numbers without a name."""
    return OPERATIONS.get(code, f"code {code}") if code else None


def operations(codes: np.ndarray) -> pl.Series:
    """Return the names of operations."""
    return words(codes, {code: operation_name(code) for code in np.unique(codes).tolist()})


def _keys(width: str, order: str) -> Format:
    dtype, word = [("key", f"{order}u{int(width) // 8}")], "le" if order == "<" else "be"
    records = Records(dtype, lambda rows: {"number": unsigned(rows["key"])}, ("key",))
    name = f"u{width}-{word}"
    end = "little" if order == "<" else "big"
    who = {"u32-be": " (cache2k's traces)", "u64-be": " (Corda's traces)"}.get(name, "")
    return key_format(
        name=name,
        description=f"Plain keys{who}, by --trace-format only: unsigned integers of {width} bits, {end}-endian.",
        endings=f".u{width} .bin",
        recognises=lambda head: False,
        source=lambda paths: RecordSource(paths, lambda head: records, name),
    )


STREAMS = tuple(_keys(width, order) for width, order in (("32", "<"), ("64", "<"), ("32", ">"), ("64", ">")))


def lcs_layout(head: bytes) -> Records | None:
    """Return the records that a file of ``.lcs`` says it has; None for another, or a version that is not known."""
    if not head.startswith(MAGIC):
        return None
    header = next((size for size in HEADERS if head[size - 8 : size] == MAGIC), None)
    if header is None:
        return None
    if head[8:9] == b"<":
        fields = _described(head)
    else:
        (version,) = struct.unpack_from("<Q", head, 8)
        fields = {1: VERSION_1, 2: VERSION_2, 3: VERSION_3}.get(version)
        if version in FEATURES:
            fields = [*VERSION_3, *((f"feature_{number}", "<u4") for number in range(FEATURES[version]))]
    if fields is None:
        return None
    return Records(fields, _requests, ("key",), header_bytes=header)


def _described(head: bytes) -> list[tuple[str, str]] | None:
    """Return the fields that the first header describes, in the words of Python's struct."""
    form = head[9:248].split(b"\0")[0].decode("ascii", "replace")
    names = {
        position: name
        for name, position in zip(PLACED, head[248 : 248 + len(PLACED)], strict=True)
        if position
    }
    if not form or set(form) - set(TYPES) or "object" not in names.values():
        return None
    return [
        (names.get(position, f"field_{position}"), TYPES[letter])
        for position, letter in enumerate(form, start=1)
    ]


def _requests(records: np.ndarray) -> Mapping[str, Any]:
    names = records.dtype.names or ()
    columns: dict[str, Any] = {"number": unsigned(records["object"])}
    if "time_s" in names:
        columns["time_ns"] = records["time_s"].astype(np.int64) * NS_PER_S
    if "bytes" in names:
        columns["size"] = records["bytes"].astype(np.int64)
    if "ttl_s" in names:
        columns["ttl_ns"] = np.maximum(records["ttl_s"].astype(np.int64), 0) * NS_PER_S
    if "operation_tenant" in names:
        columns["operation"] = operations(records["operation_tenant"] & 0xFF)
        columns["tenant"] = names_of(records["operation_tenant"] >> 8)
    if "operation" in names:
        columns["operation"] = operations(records["operation"])
    if "tenant" in names:
        columns["tenant"] = names_of(records["tenant"])
    return columns


def names_of(numbers: np.ndarray) -> pl.Series:
    """Return tenants' numbers as names."""
    return pl.Series(numbers.astype(np.int64)).cast(pl.String)


def is_lcs(head: bytes) -> bool:
    """Return whether a file begins as ``.lcs`` does."""
    return lcs_layout(head) is not None


LCS = key_format(
    name="lcs",
    description="libCacheSim's .lcs: a header and binary records, versions 1 to 8.",
    endings=".lcs",
    recognises=is_lcs,
    source=lambda paths: RecordSource(paths, lcs_layout, "lcs"),
)

Layout = Callable[[bytes], Records | None]
