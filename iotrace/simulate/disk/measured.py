"""Service times that a real drive was measured to take: DiskSim's VALIDATE format.

A line is ``R|W Hit|Miss|Doub block blocks service_us idle_us``: what the drive took for the request, and the time from
its completion to the arrival of the next one. The second word is the tracer's own guess, and is not used.
"""

import bz2
import gzip
import lzma
import zlib
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from iotrace.engine import native
from iotrace.errors import IotraceError, reason

LIMITS = native.closed_loop_limits()
"""The most blocks of a request, and the longest pause between two, that the engine takes."""
MOST_BLOCK = 2**53


@dataclass(frozen=True)
class Measured:
    """Requests in order: lbn and blocks (512 bytes), whether they write, what the drive took, and the time from the
    end of the request before (0 for the first) to the arrival."""

    lbn: list[int]
    blocks: list[int]
    write: list[bool]
    service_ns: list[int]
    after_ns: list[int]


def read_measured(path: Path) -> Measured:
    """Read a trace, plain or compressed.

    Raises IotraceError, naming the file and the line, for what cannot be read, is no such line, or has no requests.
    """
    try:
        text = _bytes(path)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, pa.ArrowException) as error:
        raise IotraceError(f"{path}: {reason(error)}") from None
    measured, idle_ns = Measured([], [], [], [], []), 0
    for number, line in enumerate(text.split(b"\n"), start=1):
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        try:
            idle_ns = _add(measured, fields, idle_ns)
        except ValueError as error:
            raise IotraceError(f"{path}, line {number}: {error}") from None
    if not measured.lbn:
        raise IotraceError(f"{path}: has no requests")
    return measured


def _bytes(path: Path) -> bytes:
    packed = path.read_bytes()
    if packed.startswith(b"\x1f\x8b"):
        return gzip.decompress(packed)
    if packed.startswith(b"BZh"):
        return bz2.decompress(packed)
    if packed.startswith(b"\xfd7zXZ"):
        return lzma.decompress(packed)
    if packed.startswith(b"\x28\xb5\x2f\xfd"):
        return bytes(pa.CompressedInputStream(pa.py_buffer(packed), "zstd").read())
    return packed


def _add(measured: Measured, fields: list[bytes], idle_ns: int) -> int:
    """Add a line's request, and return the idle time after it; raises ValueError for a line of another form."""
    if len(fields) != 6 or fields[0] not in (b"R", b"W"):
        raise ValueError("is not a line of a VALIDATE trace: R|W Hit|Miss block blocks service_us idle_us")
    lbn, blocks = _whole(fields[2], MOST_BLOCK), _whole(fields[3], LIMITS["blocks"])
    service_ns, after_ns = (_nanoseconds(fields[index]) for index in (4, 5))
    if blocks == 0:
        raise ValueError("a request of no blocks")
    measured.lbn.append(lbn)
    measured.blocks.append(blocks)
    measured.write.append(fields[0] == b"W")
    measured.service_ns.append(service_ns)
    measured.after_ns.append(idle_ns)
    return after_ns


def _whole(word: bytes, most: int) -> int:
    if not word.isdigit() or len(word) > 17 or int(word) > most:
        raise ValueError(f"{word[:40].decode('ascii', 'backslashreplace')!r} is not a number of blocks")
    return int(word)


def _nanoseconds(word: bytes) -> int:
    try:
        microseconds = float(word)
    except ValueError:
        microseconds = -1.0
    if not 0 <= microseconds * 1000 <= LIMITS["after_ns"]:
        raise ValueError(f"{word[:40].decode('ascii', 'backslashreplace')!r} is not a time in microseconds")
    return round(microseconds * 1000)
