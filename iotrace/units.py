"""Numbers as they are typed, and numbers and names as a person reads them.

Typed: sizes in powers of 1024, times, counts, percentages, lengths in blocks. Written: K, M and G are powers of 1024
for bytes, as in the dissertation.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from iotrace.errors import UsageError

LARGEST_SIZE = 2**60
SIZES = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
TIMES = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
    "d": 24 * 3600 * 10**9,
}
DECIMAL = r"[0-9]{1,30}(?:\.[0-9]{1,30})?"
WHOLE = re.compile(r"\s*[0-9]{1,18}\s*")


def size_bytes(text: str) -> int:
    """Read a number of bytes: `4096`, `4K`, `1.5M`, `1 GB`; raises UsageError for anything else, or beyond 1 EB."""
    size = round(_number(text, SIZES, "a size", suffix="B"))
    if size > LARGEST_SIZE:
        raise UsageError(f"{text.strip()!r} is more than 2^60 bytes")
    return size


def typed_size(number: float) -> str:
    """Write a number of bytes as `size_bytes` reads it: `2M`, `125K`, `4097`."""
    size = round(number)
    unit = next((unit for unit in reversed(SIZES) if size and size % SIZES[unit] == 0), "")
    return f"{size // SIZES[unit]}{unit}"


def time_ns(text: str) -> int:
    """Read a time in nanoseconds: `500ms`, `10s`, `5 min`, `1.5h`, `0`; raises UsageError for anything else."""
    return 0 if text.strip() == "0" else round(_number(text, TIMES, "a time"))


def typed_time(nanoseconds: float) -> str:
    """Write a time as `time_ns` reads it: `30ms`, `10us`, `0`."""
    time = round(nanoseconds)
    unit = next(unit for unit in ("h", "min", "s", "ms", "us", "ns") if time % TIMES[unit] == 0)
    return f"{time // TIMES[unit]}{unit}" if time else "0"


def is_whole(text: str) -> bool:
    """Return whether a text is a whole number from 0 on, of 18 digits at most."""
    return WHOLE.fullmatch(text) is not None


def whole(text: str) -> int:
    """Read a whole number: `20`; raises UsageError for anything else."""
    if not is_whole(text):
        raise UsageError(f"{text.strip()!r} is not a whole number")
    return int(text)


def integer(text: str) -> int:
    """Read a whole number of either sign: `20`, `-1`; raises UsageError for anything else."""
    word = text.strip()
    return -whole(word[1:]) if word.startswith("-") and is_whole(word[1:]) else whole(word)


def percentage(text: str) -> float:
    """Read a percentage: `95`, `95%`, `2.5`; raises UsageError for anything else."""
    return float(_number(text, {"": 1, "%": 1}, "a percentage"))


def ratio(text: str) -> float:
    """Read a number; raises UsageError for anything else."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a number") from None


def blocks(text: str) -> float:
    """Read a length in blocks: `1`, `0.25`, `1/4`, `3.7`; raises UsageError for anything else."""
    match = re.fullmatch(rf"\s*({DECIMAL}|\.[0-9]{{1,30}})(?:\s*/\s*([0-9]{{1,30}}))?\s*", text)
    if match is None or (match[2] is not None and not int(match[2])):
        raise UsageError(f"{text.strip()!r} is not a number of blocks; write it as in 1, 0.25, 1/4")
    return float(Fraction(match[1]) / int(match[2] or 1))


def _number(text: str, units: Mapping[str, int], what: str, suffix: str = "") -> Fraction:
    match = re.fullmatch(rf"\s*({DECIMAL})\s*([a-zµ%]*?)(?:i?{suffix})?\s*", text, re.IGNORECASE)
    by_name = {name.lower(): length for name, length in units.items()}
    if match is None or match[2].lower() not in by_name:
        raise UsageError(
            f"{text.strip()!r} is not {what}; write it as in {', '.join(f'2{unit}' for unit in units)}"
        )
    return Fraction(match[1]) * by_name[match[2].lower()]


def count(number: float) -> str:
    """Write a count with its thousands separated."""
    return f"{round(number):,}"


def plural(number: int, singular: str, many: str) -> str:
    """Return a number of things, with the word for one of them or for several."""
    return f"{count(number)} {singular if number == 1 else many}"


def size(number: float) -> str:
    """Write a number of bytes in the unit that suits it: `512 bytes`, `4 KB`, `1.5 MB`."""
    if abs(number) < 1024:
        return f"{_short(number)} byte" + ("" if number == 1 else "s")
    for unit in ("KB", "MB", "GB", "TB"):
        number /= 1024
        if abs(number) < 999.5 or unit == "TB":
            return f"{_short(number)} {unit}"
    raise AssertionError("the last unit takes all")


def duration(nanoseconds: float) -> str:
    """Write a time in the unit that suits it, from `15 ns` to `2.5 h`."""
    for unit, length in (("h", 3600e9), ("min", 60e9), ("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if abs(nanoseconds) >= length:
            return f"{_short(nanoseconds / length)} {unit}"
    return f"{_short(nanoseconds)} ns"


def percent(share: float) -> str:
    """Write a percentage; what is there but tiny is not shown as none, and nearly all not as all."""
    if 0 < share < 0.1:
        return "under 0.1 %"
    if -0.1 < share < 0:
        return "over -0.1 %"
    if 99.9 < share < 100:
        return "over 99.9 %"
    return f"{_short(share)} %"


def shares(amounts: Sequence[float]) -> list[str]:
    """Write which percentage of their sum each amount is, to a tenth; as written they add up to 100 %.

    Each is rounded down, and the tenths that lack go to those with the largest remainders.
    """
    whole = math.fsum(amounts)
    if not whole:
        return ["unknown"] * len(amounts)
    exact = [1000 * amount / whole for amount in amounts]
    tenths = [math.floor(share) for share in exact]
    by_remainder = sorted(range(len(exact)), key=lambda place: tenths[place] - exact[place])
    for place in by_remainder[: 1000 - sum(tenths)]:
        tenths[place] += 1
    return [
        percent((share if tenth in (0, 1000) else tenth) / 10)
        for share, tenth in zip(exact, tenths, strict=True)
    ]


def change(percent_: float) -> str:
    """Write by how many percent something is more, or less."""
    return f"{round(percent_, 1) + 0.0:+.1f} %"  # never -0.0


def times(ratio_: float) -> str:
    """Write how many times as much something is: `1.2x`, `0.05x`; far from 1 only that it is."""
    if ratio_ > 1e6:
        return "over 1,000,000x"
    if 0 < ratio_ < 1e-4:
        return "under 0.0001x"
    return f"{ratio_:,.0f}x" if ratio_ >= 100 else f"{ratio_:.3g}x"


def number(value: float | Decimal) -> str:
    """Write a number of no unit: whole ones in full, others to four digits."""
    return f"{value:.4g}" if isinstance(value, float) and abs(value) < 1000 else f"{value:,.0f}"


def _time(unit_ns: float) -> Callable[[float], str]:
    return lambda value: duration(value * unit_ns) if value else "0"


WRITTEN: dict[str, Callable[[float], str]] = {
    "bytes": size,
    "KB": lambda value: size(1024 * value),
    **dict.fromkeys(("bytes/s", "bytes per second"), lambda value: f"{size(value)}/s"),
    "ns": _time(1),
    "us": _time(1e3),
    "ms": _time(1e6),
    "s": _time(1e9),
    "time": _time(1),
    "percent": percent,
    "%": percent,
    "part of one": lambda value: percent(100 * value),
    "change": change,
    "error": lambda value: change(100 * value),
    "times": times,
    "tenths": lambda value: f"{value:,.1f}",
    "hundredths": lambda value: f"{value:,.2f}" if abs(value) < 1000 else count(value),
    "identifier": str,
    "position": str,
}
"""How numbers of a unit are written where `number` does not write them. Time is an objective's, in ns; change is in
percent; error is a change as a part of one."""


def written(value: float, unit: str) -> str:
    """Write a number as a person reads it, by the unit of its column."""
    return WRITTEN.get(unit, number)(value)


def shortened(name: str, most: int = 40) -> str:
    """Cut a path in the middle so that its end stays."""
    if len(name) <= most:
        return name
    shown = most - 1
    return f"{name[: shown // 3]}…{name[-(shown - shown // 3) :]}"


def _short(number: float) -> str:
    """Write a number to three significant digits, without an exponent or trailing zeros."""
    digits = 0 if abs(number) >= 99.95 else 1 if abs(number) >= 9.995 else 2
    written = f"{number:,.{digits}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written
