"""Differences as a reader says them: 12 percent more, and not -12 percent less."""

OPPOSITES = {
    "percent less": "percent more",
    "percent more": "percent less",
    "rewrites more": "rewrites fewer",
}
"""The units that say a direction, each with that of a number below 0."""


def in_words(number: float, unit: str) -> tuple[float, str]:
    """Return a number without its sign, and the unit that says its direction; other units keep the sign."""
    if number < 0 and unit in OPPOSITES:
        return -number, OPPOSITES[unit]
    return number, unit


def is_opposite(number: float | None, unit: str) -> bool:
    """Return whether a number goes the other way than its unit says."""
    return number is not None and in_words(number, unit) != (number, unit)
