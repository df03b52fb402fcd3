"""Events of Linux's block layer as text: lines of ftrace, ``trace-cmd report`` and ``perf script``.

The tracepoints are those that blktrace uses (``block:*``), or what ftrace's tracer ``blk`` prints. The engine reads the
lines and pairs the events (``block_trace::events`` there), as it does those of blktrace. Times count from the machine's
start.

``nvme-events`` reads the commands of the NVMe driver (``nvme:*``), which say places in logical blocks and not how long
these are: 512 bytes, unless the format's name ends with another length (``nvme-events:4096``).
"""

import re
from collections.abc import Sequence
from pathlib import Path

from iotrace import units
from iotrace.errors import UsageError
from iotrace.formats.blkparse import with_skips
from iotrace.formats.disk_io import block_layer
from iotrace.formats.disk_io.format import block_format
from iotrace.formats.disk_io.lines import text_lines
from iotrace.formats.format import Format
from iotrace.formats.reading.batches import Batch, SourceNotes
from iotrace.formats.reading.bytes_in import Reading
from iotrace.formats.reading.open_ends import left_out, may_be_cut

NVME = "nvme-events"
PREFIX = f"{NVME}:"
BLOCK_BYTES = (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536)
"""How long logical blocks of a namespace may be."""
TIME = rb"^.*\s\d+\.\d{1,9}:\s+"
"""The part of a line before the event's name."""
EVENT = re.compile(TIME + rb"(?:\d+\s+)?(?:block:)?block_\w+: ", re.MULTILINE)
COMMAND = re.compile(
    TIME + rb"(?:\d+\s+)?(?:nvme:)?nvme_(?:setup_cmd|setup_nvm_cmd|complete_rq): ", re.MULTILINE
)
OF_TRACER = re.compile(TIME + rb"\d+,\d+\s+[A-Z]{1,2}\s+[A-Z]+ ", re.MULTILINE)


class BlockEventSource:
    """Lines of events being read and paired into requests."""

    def __init__(self, paths: Sequence[Path], nvme_block_bytes: int | None = None) -> None:
        from iotrace.engine import native

        self.notes = SourceNotes()
        self.reading = Reading(paths, self.notes)
        self._events = native.BlockEventText(nvme_block_bytes)
        self._line = 0
        self._lost_events = self._losses = 0
        self._ended = False

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self.reading.progress()

    def next(self) -> Batch | None:
        """Return the next requests whose fate is known."""
        if self._ended:
            return None
        block, is_first = self.reading.lines()
        self._ended = not block
        self._line = 0 if is_first else self._line
        end = self.reading.take_open_end()
        if block:
            self._events.take(block, self._line + 1)
        batch = block_layer.requests(self._events.requests(self._ended), "line")
        summary = self._events.found()
        self._line += summary["lines"]
        self.notes.records += summary["lines"]
        for kind, count in summary["remarks"]:
            self.notes.remark(kind, count)
        skipped = [(number, text_lines(line)[0], why) for number, line, why in summary["skipped"]]
        if end is not None and skipped:
            self.notes.damage.append(left_out(end, skipped[-1][2]))
        elif end is not None:
            self.notes.warnings.append(may_be_cut(end))
        self._lost_events += summary["lost_events"]
        self._losses += summary["losses"]
        if self._ended:
            self.notes.warnings += [*self._lost(), *block_layer.stacked(self._events.stacks())]
        return with_skips(batch, skipped)

    def _lost(self) -> list[str]:
        if not self._lost_events and not self._losses:
            return []
        known = self._lost_events
        count = units.plural(known, "event", "events") if known else "an unknown number of events"
        more = " or more" if known and self._losses else ""
        return [f"the trace says that {count}{more} were lost: requests or their completions are missing"]


def _is_of_block_layer(head: bytes) -> bool:
    return EVENT.search(head) is not None or OF_TRACER.search(head) is not None


FORMAT = block_format(
    name="block-events",
    description="Events of the block layer (block:*): lines of ftrace (and its tracer blk), trace-cmd, perf script.",
    endings=".txt .trace",
    recognises=_is_of_block_layer,
    source=BlockEventSource,
)


def of_blocks(text: str) -> Format:
    """Return the format of commands whose logical blocks have as many bytes; raises UsageError for no such number."""
    if text not in map(str, BLOCK_BYTES):
        raise UsageError(
            f"{PREFIX}{text}: a logical block has {', '.join(map(str, BLOCK_BYTES[:-1]))} or 65536 bytes"
        )
    return _commands(f"{PREFIX}{text}", int(text))


def _commands(name: str, block_bytes: int | None) -> Format:
    def source(paths: Sequence[Path]) -> BlockEventSource:
        reading = BlockEventSource(paths, block_bytes or BLOCK_BYTES[0])
        if block_bytes is None:
            reading.notes.warnings.append(
                "events of the NVMe driver do not say how long logical blocks are: places and lengths are those of"
                f" {BLOCK_BYTES[0]} bytes; --trace-format {PREFIX}4096 reads blocks of 4096"
            )
        return reading

    return block_format(
        name=name,
        description="Commands of the NVMe driver (nvme:*): lines of ftrace, trace-cmd; nvme-events:4096 sets blocks.",
        endings=".txt .trace",
        recognises=lambda head: COMMAND.search(head) is not None and not _is_of_block_layer(head),
        source=source,
    )


OF_NVME = _commands(NVME, None)
