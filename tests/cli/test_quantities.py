"""Numbers as they are typed, against fractions."""

import contextlib
import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as some

from iotrace import units
from iotrace.errors import UsageError

NUMBERS = some.tuples(some.integers(0, 10**6), some.none() | some.integers(0, 999))
SIZES = {"": 0, "K": 1, "KB": 1, "kib": 1, " M": 2, "GiB": 3, "t": 4}
NANOSECONDS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    " MS": 10**6,
    "s": 10**9,
    "min": 6 * 10**10,
    "h": 36 * 10**11,
}


def typed(number: tuple[int, int | None]) -> tuple[str, Fraction]:
    whole, thousandths = number
    if thousandths is None:
        return str(whole), Fraction(whole)
    return f"{whole}.{thousandths:03}", whole + Fraction(thousandths, 1000)


@given(NUMBERS, some.sampled_from(sorted(SIZES)))
def test_sizes(number: tuple[int, int | None], unit: str) -> None:
    text, value = typed(number)
    size = round(value * 1024 ** SIZES[unit])
    if size <= 2**60:
        assert units.size_bytes(text + unit) == size
    else:
        with pytest.raises(UsageError, match="2\\^60"):
            units.size_bytes(text + unit)


@given(NUMBERS, some.sampled_from(sorted(NANOSECONDS)))
def test_times(number: tuple[int, int | None], unit: str) -> None:
    text, value = typed(number)
    assert units.time_ns(text + unit) == round(value * NANOSECONDS[unit])


@given(NUMBERS, some.none() | some.integers(1, 10**6))
def test_lengths_in_blocks(number: tuple[int, int | None], divisor: int | None) -> None:
    text, value = typed(number)
    written = text if divisor is None else f"{text}/{divisor}"
    assert units.blocks(written) == float(value / (divisor or 1))


@pytest.mark.parametrize(
    "read",
    [
        units.size_bytes,
        units.time_ns,
        units.whole,
        units.percentage,
        units.blocks,
    ],
)
@given(text=some.text(some.sampled_from("019.,/- KMbis%µ٣e\n"), max_size=40) | some.text(max_size=8))
def test_what_is_no_number_is_refused(read: Callable[[str], float], text: str) -> None:
    with contextlib.suppress(UsageError):
        assert read(text) >= 0


def test_a_time_has_a_unit() -> None:
    assert units.time_ns(" 0 ") == 0
    with pytest.raises(UsageError, match="'30' is not a time; write it as in 2ns"):
        units.time_ns("30")


@given(some.lists(some.floats(0, 1e12), min_size=1, max_size=12))
def test_shares_add_up_to_all(amounts: list[float]) -> None:
    """As a person adds them up: the written tenths are 100 %, and each is within a tenth of the share."""
    whole = math.fsum(amounts)
    written = units.shares(amounts)
    if not whole:
        assert set(written) == {"unknown"}
        return
    tenths = {"under 0.1 %": 0.0, "over 99.9 %": 100.0}
    read = [tenths.get(share, float(share.split()[0]) if share not in tenths else 0.0) for share in written]
    assert round(sum(read), 6) == 100
    for amount, share in zip(amounts, read, strict=True):
        assert abs(share - 100 * amount / whole) < 0.1 + 1e-9


def test_shares_of_a_bar() -> None:
    assert units.shares([1, 1, 1]) == ["33.4 %", "33.3 %", "33.3 %"]
    assert units.shares([9, 1]) == ["90 %", "10 %"]
    assert units.shares([1]) == ["100 %"]
    assert units.shares([0, 4]) == ["0 %", "100 %"]
    assert units.shares([100_000, 1]) == ["over 99.9 %", "under 0.1 %"]
