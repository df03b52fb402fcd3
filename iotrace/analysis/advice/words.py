"""How advice is said, on terminals and pages."""

from iotrace import units
from iotrace.analysis.advice.cards import LEAST_PERCENT, Advice, Card, Evidence

ADDED_UP = "Time at stake is added up over processes, and calls may count in several pieces of advice."


def at_stake(card: Card, found: Advice, is_bound: bool = False) -> str:
    """Return what is at stake, with the trace's time beside it; `is_bound` if its time may be longer."""
    parts = []
    if card.at_stake_s is not None:
        least = "at least " if is_bound or found.is_bound else ""
        whole = _whole(card.at_stake_s, found.wall_s) if found.wall_s else ""
        parts.append(f"{least}{units.duration(1e9 * card.at_stake_s)}{whole}")
    if card.at_stake_bytes is not None:
        parts.append(units.size(card.at_stake_bytes))
    if not parts and found.wall_s:
        return "time not recorded"
    return ", ".join(parts) or "unknown: the trace records no times"


def _whole(at_stake_s: float, wall_s: float) -> str:
    """Return the trace's time, of which what is at stake is no part where it is added up to more."""
    whole = units.duration(1e9 * wall_s)
    return f" of {whole}" if at_stake_s <= wall_s else f" added up over processes, in a trace of {whole}"


def headline(found: Advice, is_bound: bool = False) -> str:
    """Return a sentence on what has most at stake, or on there being nothing; `is_bound` if its time may be longer."""
    if not found.cards:
        return nothing(found)
    card = found.cards[0]
    return f"{card.title}: {at_stake(card, found, is_bound)}."


def nothing(found: Advice) -> str:
    """Return a sentence for no advice."""
    if not found.small:
        return "No rule found anything to change."
    rules = units.plural(found.small, "rule", "rules")
    return (
        f"Nothing to change has {LEAST_PERCENT} % of the trace's time or bytes at stake; {rules} found less."
    )


def left_out(found: Advice) -> str:
    """Return a sentence on rules whose advice is left out, or none."""
    if not found.small:
        return ""
    rules = units.plural(found.small, "rule", "rules")
    return f"{rules} found less than {LEAST_PERCENT} % of the trace's time and bytes at stake: iotrace advice --all."


def amount(number: float, unit: str) -> str:
    """Return a piece of evidence's number without its unit, but for bytes and seconds."""
    if unit == "bytes":
        return units.size(number)
    if unit == "s":
        return units.duration(1e9 * number)
    return f"{number:,.0f}" if number >= 10 or number == int(number) else f"{number:,.2g}"


def place_of(one: Evidence) -> str:
    """Return a piece of evidence as a sentence without a full stop."""
    where = " by ".join(part for part in (one.path, one.process) if part)
    counted = amount(one.number, one.unit) + ("" if one.unit in ("s", "bytes") else f" {one.unit}")
    time = (
        f", {units.duration(1e9 * one.at_stake_s)}" if one.at_stake_s is not None and one.unit != "s" else ""
    )
    return f"{where}: {counted}{time}"
