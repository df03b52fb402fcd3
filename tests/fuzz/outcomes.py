"""The outcome of a command: success, success with warnings, refused in one line, or a defect."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from tests.fuzz.child import Ended, Limits


class Outcome(IntEnum):
    """From good to bad; the worst of a mutant's commands counts."""

    OK = 0
    WARNED = 1
    REFUSED = 2
    DEFECT = 3


@dataclass(frozen=True)
class Judgement:
    """An outcome, and for a defect its description."""

    outcome: Outcome
    why: str = ""


ASIDES = (b"iotrace: warning: ", b"iotrace: kept as ")
"""How lines on standard error begin that are no errors."""
NO_REFUSALS = (
    b"Traceback",
    b"internal error",
    b"internal error",
    b"INTERNAL Error",
    b"panicked at",
    b"out of memory",
    b"Out of Memory",
    b"memory allocation of",
    b"cannot allocate memory",
    b"File too large",
    b"interrupted",
)
"""Words that no message about a bad trace has."""
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
"""Control characters, as bytes of UTF-8, except for tabs and ends of lines."""
INCOMPLETE = b"is written, but more records were skipped"
"""What ingest says when it ends with status 1 and leaves a store."""
MOST_RESIDENT_BYTES = 1500 << 20
"""More than any small trace needs."""


def judge(ended: Ended, limits: Limits) -> Judgement:
    """Return the outcome of a command."""
    if ended.timed_out:
        return _defect(
            f"takes more than {limits.processor_seconds} s of a processor, or {limits.elapsed_seconds:g} s to end"
        )
    if ended.status < 0:
        return _defect(f"signal {-ended.status}")
    if ended.peak_bytes > MOST_RESIDENT_BYTES:
        return _defect(f"takes {ended.peak_bytes >> 20} MB of memory")
    for words in NO_REFUSALS:
        if words in ended.stderr:
            return _defect(_line_with(ended.stderr, words))
    if found := CONTROL.search(ended.stdout + ended.stderr):
        return _defect(f"prints the control character {found[0]!r}")
    lines = ended.stderr.splitlines()
    errors = [line for line in lines if not line.startswith(ASIDES)]
    if ended.status == 0:
        if errors:
            return _defect(f"succeeds and says {_shown(errors[0])}")
        return Judgement(Outcome.WARNED if any(line.startswith(ASIDES[0]) for line in lines) else Outcome.OK)
    if ended.status not in (1, 2):
        return _defect(f"exit status {ended.status}")
    if len(errors) != 1 or lines[-1] is not errors[0] or not errors[0].startswith(b"iotrace: "):
        return _defect(
            f"fails with {len(errors)} lines that are no warnings: {_shown(b' | '.join(errors[:3]))}"
        )
    return Judgement(Outcome.WARNED if INCOMPLETE in errors[0] else Outcome.REFUSED)


def _defect(why: str) -> Judgement:
    return Judgement(Outcome.DEFECT, why)


def _line_with(text: bytes, words: bytes) -> str:
    return _shown(next(line for line in text.splitlines() if words in line))


def _shown(line: bytes) -> str:
    return line[:300].decode("utf-8", "backslashreplace")


def kind(why: str) -> str:
    """Return a defect without its numbers and names, so that equal ones count together."""
    return re.sub(r"\d+", "N", re.sub(r"'[^']*'|\"[^\"]*\"", "'…'", why))[:150]


def worst(judgements: Sequence[Judgement]) -> Judgement:
    """Return the worst of some."""
    return max(judgements, key=lambda one: one.outcome)
