"""Numbers with units as they are typed: sizes in powers of 1024, times."""

from __future__ import annotations

import re
from fractions import Fraction

from iotrace.errors import UsageError

LARGEST_SIZE = 2**60


def parse_size(text: str) -> int:
    """Read a number of bytes: `4096`, `4K`, `1.5M`, `1 GB`; raises UsageError for anything else, or beyond 1 EB."""
    size = round(_number(text, {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}, "a size", suffix="B"))
    if size > LARGEST_SIZE:
        raise UsageError(f"{text.strip()!r} is more than 2^60 bytes")
    return size


def parse_duration(text: str) -> int:
    """Read a time in nanoseconds: `500ms`, `10s`, `5 min`, `1.5h`; raises UsageError for anything else."""
    lengths = {
        "ns": 1,
        "us": 10**3,
        "µs": 10**3,
        "ms": 10**6,
        "s": 10**9,
        "min": 60 * 10**9,
        "h": 3600 * 10**9,
    }
    return round(_number(text, lengths, "a time"))


def _number(text: str, units: dict[str, int], what: str, suffix: str = "") -> Fraction:
    match = re.fullmatch(
        rf"\s*(\d{{1,30}}(?:\.\d{{1,30}})?)\s*([a-zµ]*?)(?:i?{suffix})?\s*", text, re.IGNORECASE
    )
    by_name = {name.lower(): length for name, length in units.items()}
    if match is None or match[2].lower() not in by_name:
        raise UsageError(f"{text!r} is not {what}; write it as in {', '.join(f'2{unit}' for unit in units)}")
    return Fraction(match[1]) * by_name[match[2].lower()]
