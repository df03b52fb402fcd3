"""UMD traces as the C library would write them, in any layout: 20 lines by themselves, apart from the reader."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

LAYOUTS = {
    "umd-lp64-le": ("<", "q"),
    "umd-ilp32-le": ("<", "i"),
    "umd-ilp32-be": (">", "i"),
    "umd-lp64-be": (">", "q"),
}
WORDS = ("open", "close", "read", "write", "seek", "listio_header")


@dataclass(frozen=True)
class Record:
    """One record."""

    op: int
    count: int
    pid: int
    file: int
    wall: float
    offset: int
    length: int


def binary(names: Sequence[str], records: Sequence[Record], layout: str, message: int | None = None) -> bytes:
    """Return a trace; ``said`` is the count of records in its header, if not the true one."""
    order, long = LAYOUTS[layout]
    pointer = struct.pack(f"{order}{long}", 0x1234)
    gap = b"\0" * 4 if long == "q" else b""
    padded = [name.encode() + b"\0" * (4 - len(name.encode()) % 4) for name in names]
    table = b"".join(struct.pack(f"{order}i", len(name)) + gap + pointer for name in padded)
    body = table + b"".join(padded)
    counts = struct.pack(
        f"{order}4i",
        len({one.pid for one in records}),
        len(names),
        len(records) if message is None else message,
        len(body),
    )
    return (
        counts
        + pointer
        + body
        + b"".join(
            struct.pack(
                f"{order}4i2d2{long}",
                one.op,
                one.count,
                one.pid,
                one.file,
                one.wall,
                0.5,
                one.offset,
                one.length,
            )
            for one in records
        )
    )


def text(names: Sequence[str], records: Sequence[Record], words: bool) -> str:
    """Return a trace as text, official or with words and without lengths."""
    lines = [f"{len({one.pid for one in records})} {len(names)} {len(records)}"]
    lines += [name if words else f"{len(name)} {name}" for name in names]
    lines += [
        f"{WORDS[one.op] if words else one.op} {one.count} {one.pid} {one.file} {one.wall:.9f} 0.5"
        f" {one.offset} {one.length}"
        for one in records
    ]
    return "\n".join(lines) + "\n"
