"""Moments and lengths of time as people write them."""

import pytest

from iotrace.errors import IotraceError, UsageError
from iotrace.store.part.time_spec import length_ns, moment_ns

S = 10**9
MIN = 60 * S
H = 60 * MIN
FIRST_NS = 1_795_237_920 * S + 725_468_000
"""21 November 2026, 05:12:00.725468 UTC."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10s", 10 * S),
        ("1.5 min", 90 * S),
        ("5m", 5 * MIN),
        ("2 minutes", 2 * MIN),
        ("1h 5min", H + 5 * MIN),
        ("1h5m30s", H + 5 * MIN + 30 * S),
        ("500ms", S // 2),
        ("00:10:00", 10 * MIN),
        ("26:00:00.5", 26 * H + S // 2),
        ("0", 0),
    ],
)
def test_lengths(text: str, expected: int) -> None:
    assert length_ns(text) == expected
    assert moment_ns(text, "--since", None, H) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-21T05:13:00.725468", MIN),
        ("2026-11-21 05:12:01", 274_532_000),
        ("2026-11-21T06:12:01+01:00", 274_532_000),
        ("2026-11-21T05:12:00.725468001Z", 1),
        ("05:13", MIN - 725_468_000),
        ("T05:12:30", 30 * S - 725_468_000),
        ("05:12", -725_468_000),  # just before the trace begins, not a day later
        ("2026-11-20", -(5 * H + 12 * MIN + 725_468_000) - 24 * H),
    ],
)
def test_times_of_the_clock(text: str, expected: int) -> None:
    assert moment_ns(text, "--since", FIRST_NS, 10 * MIN) == expected


def test_a_time_of_day_is_that_of_the_day_on_which_the_trace_has_it() -> None:
    assert moment_ns("00:30", "--since", 23 * H, 3 * H) == 90 * MIN
    assert moment_ns("22:30", "--since", 23 * H, 3 * H) == -30 * MIN
    assert moment_ns("22:30", "--since", 23 * H, 30 * H) == 23 * H + 30 * MIN


def test_a_time_of_day_that_is_far_from_the_trace_is_refused() -> None:
    """Without a date it would be another day's, and choose all or nothing."""
    words = r"--since: the trace is from 05:12:00 to 05:22:00 \(UTC\), and has no 14:00; give the date, too"
    with pytest.raises(IotraceError, match=words):
        moment_ns("14:00", "--since", FIRST_NS, 10 * MIN)
    assert moment_ns("06:10", "--since", FIRST_NS, 10 * MIN) == 58 * MIN - 725_468_000


@pytest.mark.parametrize(
    "text", ["", "soon", "10", "-5s", "25:00", "12:60", "10 parsecs", "2026-13-01", "1s;", "0:0:0"]
)
def test_what_is_no_moment_is_refused_with_examples(text: str) -> None:
    with pytest.raises(UsageError, match=r"--since: .* is not a moment; write it as in 10s"):
        moment_ns(text, "--since", FIRST_NS, H)


def test_a_trace_without_a_clock_has_no_times_of_the_clock() -> None:
    with pytest.raises(IotraceError, match="does not record when it began"):
        moment_ns("14:05", "--since", None, H)
