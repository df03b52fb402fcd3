"""How advice is said, on terminals and pages."""

import textwrap
from collections.abc import Iterator

from iotrace import units
from iotrace.analysis.advice.cards import LEAST_PERCENT, Advice, Card, Evidence, Whole
from iotrace.analysis.times import TracersPart

ADDED_UP = "Time at stake is added up over processes, and calls may count in several pieces of advice."
OF_JOBS = (
    "Time at stake is added up over ranks; seconds that several pieces of advice share count in the first."
)


def added_up(advice: Advice) -> str | None:
    """Return how times at stake add up; None where the advice has none."""
    if all(card.at_stake_s is None for card in advice.cards):
        return None
    return OF_JOBS if advice.whole.is_of_jobs else ADDED_UP


def at_stake(card: Card, advice: Advice, is_bound: bool = False) -> str:
    """Return what is at stake, with the trace's time beside it; `is_bound` if its time may be longer."""
    parts, whole = [], advice.whole
    if card.at_stake_s is not None:
        spent = f"{bound(advice, is_bound)}{units.duration(1e9 * card.at_stake_s)}"
        if not card.at_stake_s and whole.tracers is TracersPart.TAKEN_OFF:
            parts.append("no more time than strace adds to the calls")
        else:
            of = _of_ranks(card, whole) if whole.is_of_jobs else _whole(card.at_stake_s, whole.wall_s)
            parts.append(f"{spent}{of}")
    if card.at_stake_bytes is not None:
        parts.append(units.size(card.at_stake_bytes))
    if not parts and whole.wall_s:
        return "time not recorded" if whole.is_bound else "what it costs is not in the trace"
    return ", ".join(parts) or "unknown: the trace records no times"


def bound(advice: Advice, is_bound: bool = False) -> str:
    """Return what times are: more may be unknown, and the tracer's may be in them."""
    is_least, is_most = is_bound or advice.whole.is_bound, advice.whole.tracers is TracersPart.CONTAINED
    if is_least and is_most:
        return "as recorded "
    return "at least " if is_least else "at most " if is_most else ""


def _whole(at_stake_s: float, wall_s: float | None) -> str:
    """Return the trace's time, of which what is at stake is not a part where it is added up to more."""
    if not wall_s:
        return ""
    whole = units.duration(1e9 * wall_s)
    return f" of {whole}" if at_stake_s <= wall_s else f" added up over processes, in a trace of {whole}"


def _of_ranks(card: Card, whole: Whole) -> str:
    """Return the share of the run that is at stake, and what of it other advice counts."""
    share = units.percent(100 * (card.at_stake_s or 0) / whole.run_s) if whole.run_s else "an unknown share"
    more = units.duration(1e9 * card.shared_s)
    shared = f", besides {more} that advice above counts" if card.shared_s else ""
    return f" ({share} of ranks times run time{shared})"


def headline(advice: Advice, is_bound: bool = False) -> str:
    """Return a sentence on what has most at stake, or on there being little; `is_bound` if its time may be longer."""
    card = advice.leader
    return nothing(advice) if card is None else f"{card.title}: {at_stake(card, advice, is_bound)}."


def nothing(advice: Advice) -> str:
    """Return a sentence for no advice that has enough at stake."""
    little, whole = advice.small + len(advice.cards), advice.whole
    rules = units.plural(little, "rule", "rules")
    if is_idle(whole):
        return _little_io(whole)
    if whole.is_sampled:
        return "Nothing worth changing was found in the sample of files."
    if not little:
        return "Nothing worth changing was found."
    of = "the trace's time or bytes" if whole.run_s else "the trace's requests or bytes"
    if whole.is_of_jobs and whole.run_s:
        return (
            f"Nothing to change has {LEAST_PERCENT} % of ranks times run time at stake; {rules} found less."
        )
    if advice.cards and whole.run_s:  # what has enough bytes at stake is a card
        of = "the run's time" + (f" (added up over {whole.ranks:,} ranks)" if whole.ranks > 1 else "")
    return f"Nothing to change has {LEAST_PERCENT} % of {of} at stake; {rules} found less."


def _little_io(whole: Whole) -> str:
    """Return a sentence on I/O that takes less of the run's time than a headline needs, where known."""
    if whole.has_unseen:
        return f"I/O is {_share(whole)}; I/O of mappings or io_uring is not in the trace."
    recorded_s, run_s = whole.recorded_s or 0, whole.run_s or 1
    if 100 * recorded_s >= LEAST_PERCENT * run_s:
        least, most = (units.duration(1e9 * seconds) for seconds in (whole.io_s or 0, recorded_s))
        return (
            f"I/O takes between {least} and {most} of {units.duration(1e9 * run_s)}: strace adds about as much to"
            " its calls as they take."
        )
    return f"I/O is {_share(whole)}; nothing to gain here."


def is_idle(whole: Whole) -> bool:
    """Return whether it is known that I/O takes less of the run's time than a headline needs."""
    known = whole.run_s and whole.io_s is not None and not whole.is_bound and not whole.is_sampled
    return bool(known and 100 * (whole.io_s or 0) < LEAST_PERCENT * (whole.run_s or 0))


def _share(whole: Whole) -> str:
    """Return the share of the run's time that I/O takes, where both are known."""
    io_s, run_s = whole.io_s or 0, whole.run_s or 1
    share = 100 * io_s / run_s
    shown = f"{share:.1g} %" if 0.001 <= share < 0.1 else units.percent(share)
    ranks = f", both added up over {whole.ranks:,} ranks" if whole.ranks > 1 else ""
    spent = f"{units.duration(1e9 * io_s)} of {units.duration(1e9 * run_s)} in {whole.io_in}{ranks}"
    return f"{shown} of the run ({spent})"


def left_out(advice: Advice) -> str:
    """Return a sentence on rules whose advice is left out, or none."""
    if not advice.small:
        return ""
    rules = units.plural(advice.small, "rule", "rules")
    of = "ranks times run time" if advice.whole.is_of_jobs else "the trace's time and bytes"
    return f"{rules} found less than {LEAST_PERCENT} % of {of} at stake: iotrace advice --all."


def amount(number: float, unit: str) -> str:
    """Return a piece of evidence's number without its unit, except for bytes and seconds."""
    if unit == "bytes":
        return units.size(number)
    if unit == "s":
        return units.duration(1e9 * number)
    return f"{number:,.0f}" if number >= 10 or number == int(number) else f"{number:,.2g}"


def place_of(evidence: Evidence) -> str:
    """Return a piece of evidence as a sentence without a full stop."""
    where = " by ".join(part for part in (evidence.path, evidence.process) if part)
    counted = amount(evidence.number, evidence.unit) + (
        "" if evidence.unit in ("s", "bytes") else f" {evidence.unit}"
    )
    time = (
        f", {units.duration(1e9 * evidence.at_stake_s)}"
        if evidence.at_stake_s is not None and evidence.unit != "s"
        else ""
    )
    return f"{where}: {counted}{f' ({evidence.detail})' if evidence.detail else ''}{time}"


WIDTH = 100
SHOWN_EVIDENCE = 3
"""Pieces of evidence that a card shows to a reader; tables have more."""


def card_lines(card: Card, advice: Advice) -> Iterator[str]:
    """Yield a card's lines: what was found, what to do, how to check it and how sure it is."""
    yield from _wrapped("at stake", at_stake(card, advice))
    yield from _wrapped("why", card.rule.description)
    for evidence in card.evidence[:SHOWN_EVIDENCE]:
        yield from _wrapped("where", place_of(evidence))
    if card.places > SHOWN_EVIDENCE:
        yield from _wrapped("", f"and {card.places - SHOWN_EVIDENCE:,} more")
    yield from _wrapped("do", card.rule.do)
    for name, snippet in card.snippets:
        yield from _wrapped(name, snippet)
    yield from _wrapped("check", card.rule.check)
    yield from _wrapped("sure", card.rule.sure)
    yield from _wrapped("rule", card.rule.name)


def _wrapped(label: str, text: str) -> Iterator[str]:
    start = f"   {label:<9} "
    yield from textwrap.wrap(
        text, WIDTH, initial_indent=start, subsequent_indent=" " * len(start), break_on_hyphens=False
    )
