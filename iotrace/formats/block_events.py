"""Events of Linux's block layer as text: lines of ftrace, ``trace-cmd report`` and ``perf script``.

The tracepoints are those that blktrace uses (``block:*``), or what ftrace's tracer ``blk`` prints. The engine reads the
lines and pairs the events (``block_trace::events`` there), as it does those of blktrace. Times count from the machine's
start.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from iotrace import units
from iotrace.formats.blkparse import with_skips
from iotrace.formats.disk_io import block_layer
from iotrace.formats.disk_io.format import block_format
from iotrace.formats.disk_io.lines import text_lines
from iotrace.formats.reading.batches import Batch, SourceNotes
from iotrace.formats.reading.bytes_in import Reading
from iotrace.formats.reading.open_ends import left_out, may_be_cut

TIME = rb"^.*\s\d+\.\d{1,9}:\s+"
"""The part of a line before the event's name."""
EVENT = re.compile(TIME + rb"(?:\d+\s+)?(?:block:)?block_\w+: ", re.MULTILINE)
OF_TRACER = re.compile(TIME + rb"\d+,\d+\s+[A-Z]{1,2}\s+[A-Z]+ ", re.MULTILINE)


class BlockEventSource:
    """Lines of events being read and paired into requests."""

    def __init__(self, paths: Sequence[Path]) -> None:
        from iotrace.engine import native

        self.notes = SourceNotes()
        self.reading = Reading(paths, self.notes)
        self._events = native.BlockEventText()
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
        found = self._events.found()
        self._line += found["lines"]
        self.notes.records += found["lines"]
        for kind, count in found["remarks"]:
            self.notes.remark(kind, count)
        skipped = [(number, text_lines(line)[0], why) for number, line, why in found["skipped"]]
        if end is not None and skipped:
            self.notes.damage.append(left_out(end, skipped[-1][2]))
        elif end is not None:
            self.notes.warnings.append(may_be_cut(end))
        self._lost_events += found["lost_events"]
        self._losses += found["losses"]
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


FORMAT = block_format(
    name="block-events",
    description="Events of the block layer (block:*): lines of ftrace (and its tracer blk), trace-cmd, perf script.",
    endings=".txt .trace",
    recognises=lambda head: EVENT.search(head) is not None or OF_TRACER.search(head) is not None,
    source=BlockEventSource,
)
