"""Numbers as a person reads them. K, M and G are powers of 1024 for bytes, as in the dissertation."""

from __future__ import annotations


def count(number: float) -> str:
    """Write a count with its thousands separated."""
    return f"{round(number):,}"


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
    if 99.9 < share < 100:
        return "over 99.9 %"
    return f"{_short(share)} %"


def _short(number: float) -> str:
    """Write a number to three significant digits, without an exponent or trailing zeros."""
    digits = 0 if abs(number) >= 99.95 else 1 if abs(number) >= 9.995 else 2
    written = f"{number:,.{digits}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written
