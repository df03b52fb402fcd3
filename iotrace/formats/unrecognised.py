"""Errors for a trace that no format recognises: the nearest one and the line that it cannot read, or what it is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from iotrace.errors import IotraceError
from iotrace.formats.containers import is_text
from iotrace.formats.disk_io.delimited import LinesLike
from iotrace.formats.format import Format
from iotrace.formats.reading.run import TraceRun
from iotrace.formats.reading.skips import shown

CALL = LinesLike(rb".*\b[a-z_][a-z0-9_]*\(.*")
"""Lines with the name of a call and a parenthesis: what strace prints, or nearly."""
WHOLE_CALL = re.compile(rb".*\b[a-z_][a-z0-9_]*\(.*\)\s+= .*")
SUMMARY = re.compile(
    rb"^% time .*\bsyscall\b|^ *Summary of events:|^ *syscall +calls +(?:errors +)?total +min +avg",
    re.MULTILINE,
)
"""The heads of tables of counts by call: of strace -c, and of perf trace -s."""
SHOWN_BYTES = 16
LEAST_FIELDS_ALIKE = 2 / 3
"""Of the fields of a line in the nearest format."""


@dataclass(frozen=True)
class Candidate:
    """The format that some lines are in, and the first line that is not."""

    name: str
    line: int
    text: str
    reason: str = "not in the form of the format"

    @property
    def sentence(self) -> str:
        """The error on it."""
        return (
            f"no known format; the nearest is {self.name}, but line {self.line} cannot be read"
            f" ({self.reason}): {self.text}"
        )


def sentence(paths: Sequence[Path], heads: Sequence[bytes], forms: Sequence[Format]) -> str:
    """Say of a trace that begins so why none of some formats reads it."""
    head = next(filter(None, heads), b"")
    if not is_text(head):
        return f"no known format: binary data that begin with {head[:SHOWN_BYTES].hex(' ')}"
    if SUMMARY.search(head):
        return (
            "is a table of counts, as strace -c and perf trace -s print it: it holds no calls, of which iotrace makes"
            " its numbers; record with iotrace record, or strace -f -ttt -T -o FILE (with -C, strace prints both)"
        )
    nearest = _nearest(paths, head, forms)
    if nearest is not None:
        return nearest.sentence
    number, line = next(
        ((number, line) for number, line in enumerate(head.splitlines(), 1) if line.strip()), (1, b"")
    )
    return f"no known format; line {number} is: {_text(line)}"


def _nearest(paths: Sequence[Path], head: bytes, forms: Sequence[Format]) -> Candidate | None:
    """Return the format that most of the first lines are in, if not all, or of whose fields the first line has most.

    None if no line is like those of any.
    """
    alike = [(form, form.recognises) for form in forms if isinstance(form.recognises, LinesLike)]
    shares = [(lines.share(head), form, lines) for form, lines in alike]
    share, form, lines = max(shares, key=lambda candidate: candidate[0])
    if share == 0 and CALL.share(head) > 0:
        return _nearly_strace(head)
    if share == 0:
        share, form, lines = max(
            ((lines.fields_alike(head), form, lines) for form, lines in alike),
            key=lambda candidate: candidate[0],
        )
        if share < LEAST_FIELDS_ALIKE:
            return None
    unlike = lines.first_unlike(head)
    if unlike is None:
        return None
    return _as_read(paths, form) or Candidate(form.name, unlike[0], _text(unlike[1]))


def _nearly_strace(head: bytes) -> Candidate:
    """Return strace's log with the first line that is not a whole call: name, arguments, result."""
    for number, line in enumerate(head.splitlines(), 1):
        if line.strip() and not WHOLE_CALL.fullmatch(line):
            return Candidate("strace", number, _text(line), "not a whole call")
    return Candidate("strace", 1, _text(head.splitlines()[0]), "not a call of Linux")


def _as_read(paths: Sequence[Path], form: Format) -> Candidate | None:
    """Return what the format's reader says of the first record that it skips, if it skips one of the first."""
    try:
        run = form.start(paths, {}, "time", None)
        run.next()
    except (IotraceError, ValueError, OSError):
        return None
    if not isinstance(run, TraceRun) or not run.skips.reasons:
        return None
    reason, first = min(run.skips.reasons.items(), key=lambda skipped: int(skipped[1]["first_line"]))
    return Candidate(form.name, int(first["first_line"]), str(first["excerpt"]), reason)


def _text(line: bytes) -> str:
    return shown(line.decode("utf-8", "backslashreplace"))
