"""Moments of a trace as people write them: since its start, or by the clock.

Since the start: `10s`, `1.5 min`, `1h 5min`, `30d`, `00:10:00` (hours, minutes, seconds). By the clock, in UTC unless
an offset is given: `14:05` (hours and minutes), `T14:05:30`, `2026-11-23T14:05:30`, `2026-11-23 14:05`.
"""

import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from iotrace import units
from iotrace.errors import IotraceError, UsageError

WORDS = {
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("m", "mins", "minute", "minutes"), "min"),
    **dict.fromkeys(("hr", "hrs", "hour", "hours"), "h"),
    **dict.fromkeys(("day", "days"), "d"),
}
"""Words for units that `units.time_ns` does not have."""
_PART = re.compile(rf"({units.DECIMAL})\s*([a-zµ]+)\s*", re.IGNORECASE)
_PASSED = re.compile(r"([0-9]{1,6}):([0-5][0-9]):([0-5][0-9](?:\.[0-9]{1,9})?)")
_OF_DAY = re.compile(
    r"(?:T(?=.*:))?([01]?[0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9](?:\.[0-9]{1,9})?))?", re.IGNORECASE
)
_FRACTION = re.compile(r"(:[0-9]{2}:[0-9]{2})\.([0-9]{1,9})")
DAY_NS = 24 * 3600 * 10**9
START = datetime(1970, 1, 1, tzinfo=UTC)
MOST_AWAY_NS = 3600 * 10**9
"""A time of day that is further from a trace is none of it."""
EXAMPLES = "write it as in 10s, 1.5min, 00:10:00 (since the start), 14:05 or 2026-11-23T14:05:30 (UTC)"


def length_ns(text: str) -> int:
    """Read a length of time in ns: `30s`, `1h 5min`, `00:10:00`; raises UsageError for anything else."""
    if passed := _PASSED.fullmatch(text.strip()):
        return _clock_ns(*passed.groups())
    parts = list(_PART.finditer(text.strip()))
    if "".join(part[0] for part in parts) == text.strip() and parts:
        return sum(units.time_ns(f"{part[1]}{WORDS.get(part[2].lower(), part[2])}") for part in parts)
    return units.time_ns(text)


def moment_ns(text: str, option: str, first_ns: int | None, length: int) -> int:
    """Read a moment, in ns since the start of a trace that is `length` ns long; `first_ns` is its start since 1970.

    A time of day is that of the day on which the trace has it, else the nearest one. Raises UsageError for anything
    else, and IotraceError for a clock time of a trace without a clock, and for a time of day that is over an hour from
    all of the trace.
    """
    written = text.strip()
    if not is_clock(written):
        try:
            return length_ns(written)
        except UsageError:
            raise UsageError(f"{option}: {written!r} is not a moment; {EXAMPLES}") from None
    if first_ns is None:
        raise IotraceError(
            f"{option}: {written!r} is a time of the clock, and the trace does not record when it began; give the time"
            " since its start, as in 10s or 00:10:00"
        )
    if day := _OF_DAY.fullmatch(written):
        at = _clock_ns(*day.groups()) - first_ns % DAY_NS
        days = ((at + DAY_NS * turn) for turn in range(-1, length // DAY_NS + 2))
        away = {moment: max(-moment, moment - length, 0) for moment in days}
        nearest = min(away, key=lambda moment: (away[moment], moment))
        if away[nearest] > MOST_AWAY_NS:
            first, last = (_of_day(first_ns + passed_ns) for passed_ns in (0, length))
            raise IotraceError(
                f"{option}: the trace is from {first} to {last} (UTC), and has no {written}; give the date, too"
            )
        return nearest
    return _since_1970_ns(written, option) - first_ns


def _of_day(at_ns: int) -> str:
    return (START + timedelta(seconds=at_ns // 10**9)).strftime("%H:%M:%S")


def is_clock(written: str) -> bool:
    """Return whether a text is a moment by the clock, and not a time that has passed."""
    return not _PASSED.fullmatch(written) and (
        ":" in written or re.match(r"[0-9]{4}-[0-9]", written) is not None
    )


def _clock_ns(hours: str, minutes: str, seconds: str | None) -> int:
    return (int(hours) * 3600 + int(minutes) * 60) * 10**9 + round(Fraction(seconds or 0) * 10**9)


def _since_1970_ns(written: str, option: str) -> int:
    fraction = _FRACTION.search(written)
    try:
        at = datetime.fromisoformat(_FRACTION.sub(r"\1", written))
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        seconds = (at - START) // timedelta(seconds=1)
    except (ValueError, OverflowError):
        raise UsageError(f"{option}: {written!r} is not a moment; {EXAMPLES}") from None
    return seconds * 10**9 + (int(fraction[2].ljust(9, "0")) if fraction else 0)
