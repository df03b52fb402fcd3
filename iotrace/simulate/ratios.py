"""Ratios of what simulators count; None if there is nothing to divide by."""


def ratio(part: float, whole: float) -> float | None:
    """Return a part over the whole."""
    return part / whole if whole > 0 else None


def percent(part: float, whole: float) -> float | None:
    """Return a part in percent of the whole."""
    return ratio(100 * part, whole)
