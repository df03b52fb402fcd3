"""Bars behind numbers: as long as the numbers, and only on terminals."""

from hypothesis import given
from hypothesis import strategies as st

from iotrace.cli.tables.bars import WIDTH, bar, with_bars

EIGHTHS = {"▏": 1, "▎": 2, "▍": 3, "▌": 4, "▋": 5, "▊": 6, "▉": 7, "█": 8}


def eighths(drawn: str) -> int:
    return sum(map(EIGHTHS.__getitem__, drawn))


@given(st.floats(0, 1))
def test_a_bar_is_as_long_as_its_part(part: float) -> None:
    drawn = bar(part)
    assert len(drawn) <= WIDTH
    assert abs(eighths(drawn) - 8 * WIDTH * part) <= 0.5 or (part > 0 and drawn == "▏")
    assert (part == 0) == (drawn == "")


@given(st.lists(st.none() | st.floats(0, 1e12), min_size=1))
def test_the_largest_number_has_the_longest_bar(numbers: list[float | None]) -> None:
    cells = with_bars([str(number) for number in numbers], numbers, "s")
    assert len({len(cell) for cell in cells}) == 1
    lengths = [eighths(cell[-WIDTH:].strip()) for cell in cells]
    assert all(length == 0 for length, number in zip(lengths, numbers, strict=True) if not number)
    largest = max(number or 0 for number in numbers)
    if largest:
        assert max(lengths) == 8 * WIDTH == lengths[numbers.index(largest)]


def test_percents_are_of_a_hundred() -> None:
    assert [cell.rstrip() for cell in with_bars(["50 %", "25 %"], [50, 25], "percent")] == [
        "50 % " + "█" * (WIDTH // 2),
        "25 % " + "█" * (WIDTH // 4),
    ]
