"""The first sentences on a trace: what its time goes to, and what has most at stake."""

from __future__ import annotations

from collections.abc import Mapping

from iotrace import units
from iotrace.analysis.advice.cards import Advice
from iotrace.analysis.advice.words import headline
from iotrace.analysis.times import Leader, is_partly_unknown, leaders, parts_sentence, state_named

MUCH_STORAGE = 1 / 3
"""From this share of the time on, storage is a problem whatever else takes more."""
MUCH_AT_STAKE = 0.5
"""Advice with less at stake than this share of what the leading call takes does not name the largest problem."""


def problem(
    advice: Advice, split: Mapping[str, int], call: Leader | None = None, file: Leader | None = None
) -> list[str]:
    """Return them from the advice, the clock's time by state, and the call and the file with most storage time.

    `split` is empty where a trace does not record it. What has most at stake comes first where the time goes to
    storage; where it goes to something else, that does.
    """
    is_partial = is_partly_unknown(split)
    most = [*leaders(call, file, is_partial, advice.whole.tracers), *parts_sentence(advice.whole.parts or {})]
    if not sum(split.values()):
        return [headline(advice)]
    stake = headline(advice, is_partial)
    largest = max(split, key=lambda state: split[state])
    if largest == "unknown":
        lacking = "the trace does not record what calls took (strace -T does)"
        if not advice.whole.is_bound:
            lacking = "the trace does not show what calls waited for: storage, or something else"
        return [f"For {_share(split, 'unknown')} {lacking}. {stake}", *most]
    if elsewhere := not_storage(split, advice.whole.not_recorded, advice.whole.shows_waits):
        return [f"{elsewhere} {stake}", *most]
    spent = f"{_share(split, 'storage')} are in storage calls."
    at_stake_s = advice.leader.at_stake_s if advice.leader else None
    if call is not None and (at_stake_s is None or at_stake_s < MUCH_AT_STAKE * call[2]):
        return [" ".join([spent, *most]), stake]
    return [f"{stake} {spent}", *most]


def not_storage(split: Mapping[str, int], not_recorded: str, shows_waits: bool = False) -> str | None:
    """Return a sentence on what the clock's time goes to, where that is not storage.

    `not_recorded` is what threads do in time that is in no recorded call; `shows_waits` is whether the recording shows
    when they have no processor.
    """
    whole, largest = sum(split.values()), max(split, key=lambda state: split[state], default="unknown")
    if largest == "unknown" or split.get("storage", 0) >= MUCH_STORAGE * whole:
        return None
    spent = f"{_share(split, 'storage')} are in storage calls."
    if largest in ("not_recorded", "tracer"):
        return f"{_share(split, largest)} are {state_named(largest, not_recorded)}; {spent}"
    named = state_named(largest, not_recorded)
    if largest == "computing" and not shows_waits:
        named = "computing, or waiting for pages of mapped files or for strace"
    return f"Mostly {named}, not in storage calls: {_share(split, largest)}; {spent}"


def _share(split: Mapping[str, int], state: str) -> str:
    """Return a state's time of the whole, and its share."""
    spent, whole = split.get(state, 0), sum(split.values())
    shown = units.duration(spent) if spent else "none"
    return f"{shown} of {units.duration(whole)} ({units.percent(100 * spent / whole)})"
