"""Asks the rules of ``queries/advice`` of a store, and ranks what they find by what is at stake."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import duckdb

from iotrace import queries
from iotrace.analysis.advice.cards import LEAST_PERCENT, MOST_EVIDENCE, Advice, Card, Evidence
from iotrace.analysis.advice.words import amount
from iotrace.analysis.characterize import prepared
from iotrace.analysis.times import NO_CALLS, clock_split, not_recorded
from iotrace.errors import IotraceError
from iotrace.queries.rules import CONFIDENCES, Rule, rules
from iotrace.store.store import Store


def advise(store: Store, names: Sequence[str] = (), is_all: bool = False, has_split: bool = False) -> Advice:
    """Ask all rules of the store's family, or those named; `is_all` keeps what has little at stake, too.

    With `has_split` the advice on system calls says how the clock's time divides. Raises KeyError for unknown rules.
    """
    if store.manifest["counts"].get("calls") == 0:
        raise IotraceError(f"{store.name} {NO_CALLS}")
    asked = asked_of(store.family, names)
    is_split = has_split and store.family == "syscall" and store.has_times
    views = [*needs(store.family, names), *(["wall_time"] if is_split else [])]
    with store.queried() as connection, prepared(connection, views, {}):
        found = answered(connection, store, asked, is_all or bool(names))
        return replace(found, split=clock_split(connection)) if is_split else found


def needs(family: str, names: Sequence[str] = ()) -> list[str]:
    """Return the views on which the rules of a family build, or those named."""
    named = (need for rule in asked_of(family, names) for need in rule.needs if need not in queries.TABLES)
    return list(dict.fromkeys(named))


def answered(
    connection: duckdb.DuckDBPyConnection, store: Store, asked: Sequence[Rule], is_all: bool = False
) -> Advice:
    """Ask rules on a connection that is prepared for what they need."""
    wall_s = None if store.length_ns is None else store.length_ns / 1e9
    data_bytes, is_bound = _data_bytes(connection), _lacks_lengths(connection, store.family)
    found = [card for rule in asked if (card := card_of(connection, rule)) is not None]
    if is_bound:  # of calls without a length nothing is known, and not that they take no time
        found = [card if card.at_stake_s else replace(card, at_stake_s=None) for card in found]
    kept = [card for card in found if is_all or _matters(card, wall_s, data_bytes, is_bound)]
    return Advice(
        tuple(sorted(kept, key=_rank)),
        len(found) - len(kept),
        wall_s,
        data_bytes,
        is_bound,
        not_recorded=not_recorded(store.manifest),
    )


def asked_of(family: str, names: Sequence[str] = ()) -> list[Rule]:
    """Return the rules of a family, or those named; raises KeyError for unknown ones."""
    known = rules(family)
    return [known[name] for name in names] if names else list(known.values())


def _data_bytes(connection: duckdb.DuckDBPyConnection) -> int:
    ((data_bytes,),) = connection.execute(
        "select coalesce(sum(length) filter (type in ('datafile', 'executable', 'disk')), 0)::bigint"
        " from reference where operation in ('read', 'write')"
    ).fetchall()
    return int(data_bytes)


def _lacks_lengths(connection: duckdb.DuckDBPyConnection, family: str) -> bool:
    """Return whether 1 % or more of the calls, or requests, have no length: times at stake are lower bounds then."""
    moves = "reference where operation in ('read', 'write')"
    returned = "syscall where result is not null or error is not null or duration_ns is not null"
    ((count, timed),) = connection.execute(
        f"select count(*), count(duration_ns) from {returned if family == 'syscall' else moves}"
    ).fetchall()
    return bool(100 * (count - timed) >= LEAST_PERCENT * count > 0)


def card_of(connection: duckdb.DuckDBPyConnection, rule: Rule) -> Card | None:
    """Return what a rule finds on a connection that is prepared for it; None for nothing."""
    columns = [column.name for column in queries.results()["evidence"].columns]
    rows = connection.execute(
        f"select {', '.join(columns)} from ({rule.sql})"
        " order by at_stake_s desc nulls last, at_stake_bytes desc nulls last, number desc, path, process"
    ).fetchall()
    if not rows:
        return None
    evidence = [Evidence(*row) for row in rows]
    times = [one.at_stake_s for one in evidence if one.at_stake_s is not None]
    sizes = [one.at_stake_bytes for one in evidence if one.at_stake_bytes is not None]
    return Card(
        rule=rule,
        title=_title(rule, evidence),
        at_stake_s=math.fsum(times) if times else None,
        at_stake_bytes=int(sum(sizes)) if sizes else None,
        evidence=tuple(evidence[:MOST_EVIDENCE]),
        places=len(evidence),
    )


def _title(rule: Rule, evidence: Sequence[Evidence]) -> str:
    """Return the rule's title: the sum of the numbers, the place with most at stake, its number, what else there is.

    A place is a path, whichever processes use it.
    """
    places: dict[str, list[Evidence]] = {}
    for one in evidence:
        places.setdefault(one.path or one.process or "", []).append(one)
    place = max(places, key=lambda name: _weight(places[name]))
    unit, others = evidence[0].unit, len(places) - 1
    whole, part = (math.fsum(one.number for one in own) for own in (evidence, places[place]))
    return rule.title.format(
        number=amount(whole, unit),
        first=amount(part, unit),
        most="all" if not others else "most" if 2 * part > whole else amount(part, unit),
        path=place,
        others=f" (and {others:,} more like it)" if others else "",
    )


def _weight(evidence: Sequence[Evidence]) -> tuple[float, int, float]:
    """Return what is at stake in seconds and in bytes, and the number."""
    return (
        math.fsum(one.at_stake_s or 0 for one in evidence),
        sum(one.at_stake_bytes or 0 for one in evidence),
        math.fsum(one.number for one in evidence),
    )


def _matters(card: Card, wall_s: float | None, data_bytes: int, is_bound: bool) -> bool:
    times = wall_s and card.at_stake_s is not None and 100 * card.at_stake_s >= LEAST_PERCENT * wall_s
    sizes = (
        data_bytes
        and card.at_stake_bytes is not None
        and 100 * card.at_stake_bytes >= LEAST_PERCENT * data_bytes
    )
    is_unknown = card.at_stake_bytes is None and (is_bound or card.at_stake_s is None)
    return bool(times or sizes or is_unknown)


def _rank(card: Card) -> tuple[float, float, float, int, str]:
    """Return what sorts cards: by seconds, bytes, and, of those of which neither is known, the number of calls."""
    calls = math.fsum(one.number for one in card.evidence if one.unit not in ("s", "bytes"))
    confidence = CONFIDENCES.index(card.rule.confidence)
    return (-(card.at_stake_s or 0.0), -(card.at_stake_bytes or 0), -calls, confidence, card.rule.name)
