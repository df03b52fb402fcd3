"""The answer to what to change: up to three pieces of advice, most at stake first."""

from __future__ import annotations

import re

from iotrace import units
from iotrace.analysis.advice import Advice, Card
from iotrace.analysis.advice.words import at_stake, bound, nothing
from iotrace.analysis.answers.screen import Amount, Answer, fitting

MOST = 3


def change(advice: Advice | None, why_none: str | None, is_bound: bool, command: str) -> Answer:
    """Return the answer; `is_bound` if times at stake may be longer, `why_none` why the rules could not be asked."""
    if advice is None or why_none:
        return Answer(
            fitting([f"What to change is unknown: {why_none}.", "What to change is unknown."]),
            command=command,
        )
    if advice.leader is None:
        return Answer(quiet(advice), command=command)
    cards = advice.cards[:MOST]
    unit = "s" if any(card.at_stake_s is not None for card in cards) else "bytes"
    return Answer(
        stake(advice, is_bound),
        tuple(_amount(card, advice, unit, is_bound) for card in cards),
        unit,
        command,
    )


def quiet(advice: Advice) -> str:
    """Return a sentence for no advice that has enough at stake; what is in parentheses goes where it is too long."""
    said = nothing(advice)
    return fitting([said, re.sub(r" \([^()]*\)", "", said), "Nothing worth changing was found."])


def stake(advice: Advice, is_bound: bool) -> str:
    """Return a sentence on the piece of advice with most at stake, which there is."""
    leader = advice.leader
    assert leader is not None
    named = leader.rule.name.replace("_", " ")
    at = at_stake(leader, advice, is_bound)
    do = leader.rule.change
    return fitting(
        [f"{do}: {leader.short}, {at}.", f"{do}: {named}, {at}.", f"{do}: {shown(leader, advice, is_bound)}."]
    )


def shown(card: Card, advice: Advice, is_bound: bool) -> str:
    """Return what a card has at stake, in one number."""
    if card.at_stake_s is not None:
        return (
            f"{bound(advice, is_bound)}{units.duration(1e9 * card.at_stake_s)}"
            if card.at_stake_s
            else "no time"
        )
    if card.at_stake_bytes is not None:
        return units.size(card.at_stake_bytes)
    return "cost not in the trace"


def _amount(card: Card, advice: Advice, unit: str, is_bound: bool) -> Amount:
    value = card.at_stake_s if unit == "s" else card.at_stake_bytes
    return Amount(
        card.rule.change,
        None if value is None else float(value),
        shown(card, advice, is_bound),
        card.rule.name,
        found=card.short,
    )
