"""blktrace's binary files: a file for each CPU (NAME.blktrace.N), or one stream that blkparse -d or -o - merged.

A record is struct blk_io_trace: version 7 of 48 bytes, version 8 of 64, in the writer's byte order, followed by data
whose length it gives. Files are merged by time; a record's magic number shows its byte order. Times count from the
machine's start; a record of the wall clock, if there is one, gives the epoch. The engine reads them
(``block_trace::blktrace`` there).
"""

import struct
from collections.abc import Sequence
from pathlib import Path

from iotrace import units
from iotrace.errors import IotraceError
from iotrace.formats.blkparse import with_skips
from iotrace.formats.disk_io import block_layer
from iotrace.formats.disk_io.format import block_format
from iotrace.formats.reading.batches import Batch, SourceNotes

MAGIC = 0x65617400
MAGIC_BYTES = 4
RECORDS_AT_ONCE = 1 << 16
READ_BYTES = 1 << 20


class BlktraceSource:
    """The files of a trace, merged by time and paired into requests."""

    def __init__(self, paths: Sequence[Path]) -> None:
        from iotrace.engine import native

        self.notes = SourceNotes()
        used = [path for path in paths if len(paths) == 1 or path.stat().st_size]
        try:
            self._run = native.BlktraceRun(used, READ_BYTES)
        except OSError as error:
            raise IotraceError(str(error)) from None
        self._lost_bytes = 0

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        read, total = self._run.progress()
        return read, total or None

    def next(self) -> Batch | None:
        """Return the next requests whose fate is known; raises IotraceError for a file that is not a trace."""
        try:
            if not self._run.next(RECORDS_AT_ONCE):
                self._tell_lost()
                self.notes.merged_files = self._run.counts_by_file()
                self.notes.warnings += block_layer.stacked(self._run.stacks())
                return None
        except ValueError as error:
            raise IotraceError(str(error)) from None
        batch = block_layer.requests(self._run.requests(), "record")
        return with_skips(batch, self._news())

    def _news(self) -> list[tuple[int, str, str]]:
        """Note what there is to say of the records that were read; return those that were skipped."""
        news = self._run.news()
        self.notes.records += news["records"]
        for kind, count in news["remarks"]:
            self.notes.remark(kind, count)
        self.notes.damage += news["damage"]
        self._lost_bytes += news["lost_bytes"]
        if news["zero_ns"] is not None:
            self.notes.base, self.notes.zero_ns = "epoch", news["zero_ns"]
        return [(record, shown.hex(" ", 4), why) for record, shown, why in news["skipped"]]

    def _tell_lost(self) -> None:
        if self._lost_bytes:
            lost = units.plural(self._lost_bytes, "byte", "bytes")
            self.notes.warnings.append(f"{lost} between records could not be read")
            self._lost_bytes = 0


def recognises(head: bytes) -> bool:
    """Return whether a file begins with a record's magic number, in either byte order."""
    if len(head) < MAGIC_BYTES:
        return False
    numbers = [struct.unpack(order + "I", head[:MAGIC_BYTES])[0] for order in "<>"]
    return any(number & ~0xFF == MAGIC and number & 0xFF in (7, 8) for number in numbers)


FORMAT = block_format(
    name="blktrace",
    description="blktrace's binary files, versions 7 and 8: those of all CPUs (a folder, a list), or one "
    "merged stream.",
    endings=".blktrace.N, a folder",
    recognises=recognises,
    source=BlktraceSource,
)
