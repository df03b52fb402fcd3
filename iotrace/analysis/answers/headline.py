"""The headline: what matters most in a trace, or that nothing does."""

from __future__ import annotations

from dataclasses import replace

from iotrace import units
from iotrace.analysis.advice import Advice
from iotrace.analysis.answers.change import quiet, shown, stake
from iotrace.analysis.answers.screen import Answer, Cache, Time, fitting
from iotrace.analysis.problem import MUCH_STORAGE

SPENT = {
    "not_recorded": "outside recorded calls",
    "computing": "computing",
    "waiting": "waiting",
    "other": "in calls that are not on storage",
    "runnable": "waiting for a processor",
    "blocked": "waiting outside calls",
    "tracer": "held by strace",
    "unknown": "unknown",
    "elsewhere": "outside I/O",
}
"""How a headline says where time goes that is not I/O, by the key of the part."""
BEFORE = "Before the damage,"


def headline(
    time: Time | None,
    advice: Advice | None,
    change: Answer | None,
    cache: Cache | None,
    is_bound: bool,
    command: str,
) -> Answer:
    """Return the headline; `is_bound` if times at stake may be longer, `command` what says more."""
    leader = advice.leader if advice is not None else None
    elsewhere = _elsewhere(time) or (time.no_processor if time is not None else None) or None
    amounts, unit = (time.amounts, time.unit) if time is not None else ((), "")
    if time is not None and time.is_of_jobs and amounts and elsewhere is None:
        said = time.sentence
    elif advice is not None and leader is not None and change is not None:
        if elsewhere is None:
            return Answer(stake(advice, is_bound), change.amounts, change.unit, command)
        named = leader.rule.name.replace("_", " ")
        stakes = [card.at_stake_s or 0 for card in advice.cards]
        is_most = (leader.at_stake_s or 0) >= max(stakes)  # cards are ranked by calls where times are bounds
        most = (
            f"{'most at stake:' if is_most else 'look first at'} {named}, {shown(leader, advice, is_bound)}."
        )
        said = fitting([f"{elsewhere}; {most}", f"{elsewhere}."])
    elif elsewhere is not None:
        found = "nothing worth changing was found" if advice is not None else ""
        if advice is not None and advice.whole.is_sampled:
            found += " in the sample of files"
        said = fitting([f"{elsewhere}; {found}.", f"{elsewhere}."]) if found else f"{elsewhere}."
    elif time is not None and advice is not None and amounts:
        nothing = quiet(advice)
        spent = (time.sentence.rstrip("."), time.sentence.rstrip(".").partition(";")[0])
        said = fitting([*(f"{clause}; {nothing[0].lower()}{nothing[1:]}" for clause in spent), nothing])
    elif cache is not None:
        said, amounts, unit = cache.sentence, cache.amounts, cache.unit
    else:
        said = quiet(advice) if advice is not None else "The trace holds nothing to show."
    return Answer(said, amounts, unit, command)


def before_damage(answer: Answer) -> Answer:
    """Return the headline of a damaged trace, which says that it is of what precedes the damage."""
    said = answer.sentence
    if said[1:2].islower():
        said = f"{said[0].lower()}{said[1:]}"
    clause = said.partition(";")[0].rstrip(".")
    return replace(answer, sentence=fitting([f"{BEFORE} {said}", f"{BEFORE} {clause}.", answer.sentence]))


def _elsewhere(time: Time | None) -> str | None:
    """Return a clause on what the time goes to, where that is not I/O; None where it is, or is not known."""
    if time is None or not time.amounts:
        return None
    first = time.amounts[0]
    whole = sum(amount.value or 0 for amount in time.amounts)
    io_s = sum(amount.value or 0 for amount in time.amounts if amount.key not in SPENT)
    if first.key not in SPENT or io_s >= MUCH_STORAGE * whole:
        return None
    spent, all_ = units.duration(1e9 * (first.value or 0)), units.duration(1e9 * whole)
    share = units.shares([amount.value or 0 for amount in time.amounts])[0]
    if first.key == "unknown":
        return f"What calls did or took is unknown for {spent} of {all_} ({share})"
    named = "I/O" if first.key == "elsewhere" else "storage"
    io = units.duration(1e9 * io_s) if io_s else "nothing"
    what = f"{SPENT[first.key]}{time.longest_wait if first.key == 'waiting' else ''}"
    return f"{spent} of {time.owner}{all_} ({share}) is {what}; {named} takes {io}"
