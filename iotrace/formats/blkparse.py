"""The text that blkparse prints in its default format (blkparse(1)).

``major,minor cpu sequence seconds.nanoseconds pid action RWBS ...``, then ``sector + blocks [program]`` for the events
of requests; the events of a flush without data have no sector. Times count from the first event; earlier ones, of a
CPU whose events blkparse read later, are printed modulo 2**64 ns and then 2**32 s (blkparse_fmt.c). The summaries at
the end, and blkparse's own lines, are not events.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from iotrace.formats.disk_io import block_layer
from iotrace.formats.disk_io.block_layer import Event
from iotrace.formats.disk_io.delimited import LinesLike
from iotrace.formats.disk_io.format import block_format
from iotrace.formats.disk_io.lines import text_lines
from iotrace.formats.disk_io.requests import STAGES
from iotrace.formats.reading.batches import Batch, SourceNotes
from iotrace.formats.reading.bytes_in import Reading
from iotrace.formats.reading.clock import NS_PER_S
from iotrace.formats.reading.open_ends import left_out, may_be_cut
from iotrace.libraries import pl

EVENT = rb"\s*\d+,\d+\s+\d+\s+\d+\s+\d+\.\d{9}\s+\d+\s+[A-Z]{1,2}\s.*|\s*\d+,\d+\s+\d+\s+0\s+\d+\.\d{9}\s+\d+\s+m\s.*"
PLACE = re.compile(
    r"\s*(\d+,\d+)\s+\d+\s+\d+\s+(\d{1,19})\.(\d{9})\s+(\d{1,19})\s+([A-Z]{1,2})\s+([A-Z]+)(?:\s+(\d{1,19}))?"
    r"(?:\s+\+\s+(\d{1,19})|\s+/\s+(\d{1,19}))?(?:\s+\(\s*[^()]*\))?(?:\s+\[(.*)\])?\s*(?:<-\s*\((\d+,\d+)\)\s*(\d{1,19}))?$"
)
OTHER = re.compile(r"\s*\d+,\d+\s+\d+\s+\d+\s+\d+\.\d{9}\s+\d+\s+(?:m|A|P|U|UT|I|S|G|B)\b")
ANY_EVENT = re.compile(r"\s*\d+,\d+\s+\d+\s+\d+\s+\d+\.\d{9}\s")
SUMMARY = re.compile(
    r"CPU\s*\d+ \(|Total \(|\s*(?:Reads|Read|Writes|Write|IO unplugs|Allocation|Throughput|Events|Skips|PC)\b.*:"
    r"|Input file |\s*$"
)
NO_PROGRAM = ("(null)", "")
TAKEN = "QGIDCXRMFA"
WRAPPED_S = (2**64 // NS_PER_S) % 2**32
"""The seconds that blkparse prints for a time shortly before 0."""
EARLIEST_S = 86_400
"""No event is printed with a time further before 0."""


@cache
def meaning(letters: str) -> tuple[str, str]:
    """Return operation and flags of the letters RWBS; the operation is empty if they have none."""
    from iotrace.formats.disk_io.fields import rwbs

    row = pl.DataFrame({"letters": [letters]}).select(**rwbs("letters")).row(0)
    return row[0] or "", row[1] or ""


class BlkparseSource:
    """Lines of events being read and paired into requests."""

    def __init__(self, paths: Sequence[Path]) -> None:
        from iotrace.engine import native

        self.notes = SourceNotes()
        self.reading = Reading(paths, self.notes)
        self._pairing = native.BlockPairing()
        self._line = 0
        self._skipped: list[tuple[int, str, str]] = []
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
        end, skipped = self.reading.take_open_end(), len(self._skipped)
        self._pairing.take(self._events(text_lines(block) if block else []))
        if end is not None and len(self._skipped) > skipped:
            self.notes.damage.append(left_out(end, self._skipped[-1][2]))
        elif end is not None and ANY_EVENT.match(text_lines(end.text)[0]):
            self.notes.warnings.append(may_be_cut(end))
        batch = block_layer.requests(self._pairing.requests(self._ended), "line")
        since_first = pl.col("time_ns", *STAGES) - EARLIEST_S * NS_PER_S
        batch = replace(batch, frame=batch.frame.with_columns(since_first))
        for kind, count in self._pairing.remarks():
            self.notes.remark(kind, count)
        if self._ended:
            self.notes.warnings += block_layer.stacked(self._pairing.stacks())
        return with_skips(batch, self._skipped)

    def _events(self, lines: list[str]) -> Iterator[Event]:
        self.notes.records += len(lines)
        number = self._line
        for line in lines:
            number += 1
            match = PLACE.match(line)
            if match and match[5] in TAKEN and (match[7] is not None or re.match("F|.*N", match[6])):
                device, seconds, nanoseconds, pid, action, letters = match.groups()[:6]
                sector, blocks, new_sector, program, *source = match.groups()[6:]
                operation, flags = meaning(letters)
                if action == "A":
                    self.notes.remark("events of no request")
                    new_sector = source[1]
                    if new_sector is None:
                        continue
                if letters.startswith("F") and not int(blocks or 0):
                    operation = "flush"
                yield Event(
                    self._time_ns(int(seconds), int(nanoseconds)) + EARLIEST_S * NS_PER_S,
                    number,
                    device,
                    action,
                    operation,
                    flags,
                    int(sector or 0),
                    int(blocks or 0),
                    int(pid),
                    None if program in NO_PROGRAM else program,
                    int(new_sector or 0),
                    source[0],
                )
            elif OTHER.match(line):
                self.notes.remark("events of no request")
            elif ANY_EVENT.match(line) or not SUMMARY.match(line):
                self._skipped.append((number, line, "no event of blkparse"))
            else:
                self.notes.remark("summary")
        self._line = number

    def _time_ns(self, seconds: int, nanoseconds: int) -> int:
        """Return a printed time, at least -`EARLIEST_S`."""
        time_ns = seconds * NS_PER_S + nanoseconds
        if WRAPPED_S - EARLIEST_S < seconds <= WRAPPED_S:
            self.notes.remark("events before time 0")
            return time_ns - WRAPPED_S * NS_PER_S - 2**64 % NS_PER_S
        return time_ns


def with_skips(batch: Batch, skipped: list[tuple[int, str, str]]) -> Batch:
    """Return a batch to which rows are added for what could not be read, which is taken from the list.

    An item of the list is a record's number, how it looks, and why it is skipped.
    """
    if not skipped:
        return batch
    texts = {record: text for record, text, _ in skipped}
    rows = pl.DataFrame(
        {"record": [record for record, _, _ in skipped], "reason": [reason for _, _, reason in skipped]}
    )
    skipped.clear()
    frame = pl.concat([batch.frame, rows], how="diagonal")
    return Batch(frame, batch.required, lambda record: texts.get(record) or batch.excerpt(record))


FORMAT = block_format(
    name="blkparse",
    description="blkparse's default text: device, CPU, sequence, time, pid, action, RWBS, sector + blocks.",
    endings=".txt .blkparse",
    recognises=LinesLike(EVENT),
    source=BlkparseSource,
)
