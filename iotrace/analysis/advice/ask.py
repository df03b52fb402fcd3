"""Asks the rules of ``queries/advice`` of a store, and ranks what they find by what is at stake."""

from __future__ import annotations

import math
from collections.abc import Sequence

import duckdb

from iotrace import queries
from iotrace.analysis.advice.cards import LEAST_PERCENT, MOST_EVIDENCE, Advice, Card, Evidence
from iotrace.analysis.advice.words import amount
from iotrace.analysis.characterize import prepared
from iotrace.queries.rules import CONFIDENCES, Rule, rules
from iotrace.store.store import Store


def advise(store: Store, names: Sequence[str] = (), is_all: bool = False) -> Advice:
    """Ask all rules of the store's family, or those named; `is_all` keeps what has little at stake, too.

    Raises KeyError for unknown rules.
    """
    asked = asked_of(store.family, names)
    with store.queried() as connection, prepared(connection, needs(store.family, names), {}):
        return answered(connection, asked, is_all or bool(names))


def needs(family: str, names: Sequence[str] = ()) -> list[str]:
    """Return the views on which the rules of a family build, or those named."""
    named = (need for rule in asked_of(family, names) for need in rule.needs if need not in queries.TABLES)
    return list(dict.fromkeys(named))


def answered(connection: duckdb.DuckDBPyConnection, asked: Sequence[Rule], is_all: bool = False) -> Advice:
    """Ask rules on a connection that is prepared for what they need."""
    wall_s, data_bytes = _measures(connection)
    found = [card for rule in asked if (card := card_of(connection, rule)) is not None]
    kept = [card for card in found if is_all or _matters(card, wall_s, data_bytes)]
    return Advice(tuple(sorted(kept, key=_rank)), len(found) - len(kept), wall_s, data_bytes)


def asked_of(family: str, names: Sequence[str] = ()) -> list[Rule]:
    """Return the rules of a family, or those named; raises KeyError for unknown ones."""
    known = rules(family)
    return [known[name] for name in names] if names else list(known.values())


def _measures(connection: duckdb.DuckDBPyConnection) -> tuple[float | None, int]:
    ((wall_s, data_bytes),) = connection.execute(
        "select (max(time_ns + coalesce(duration_ns, 0)) - min(time_ns)) / 1e9,"
        " coalesce(sum(length) filter (type in ('datafile', 'executable', 'disk')), 0)::bigint"
        " from reference where operation in ('read', 'write')"
    ).fetchall()
    return wall_s, data_bytes


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
    """Return the rule's title with the numbers' sum, the first number and path, and what else there is."""
    first, others = evidence[0], len(evidence) - 1
    return rule.title.format(
        number=amount(math.fsum(one.number for one in evidence), first.unit),
        first=amount(first.number, first.unit),
        most="most" if others else "all",
        path=first.path or first.process or "",
        others=f" (and {others:,} more like it)" if others else "",
    )


def _matters(card: Card, wall_s: float | None, data_bytes: int) -> bool:
    times = wall_s and card.at_stake_s is not None and 100 * card.at_stake_s >= LEAST_PERCENT * wall_s
    sizes = (
        data_bytes
        and card.at_stake_bytes is not None
        and 100 * card.at_stake_bytes >= LEAST_PERCENT * data_bytes
    )
    return bool(times or sizes or (card.at_stake_s is None and card.at_stake_bytes is None))


def _rank(card: Card) -> tuple[float, float, int, str]:
    confidence = CONFIDENCES.index(card.rule.confidence)
    return (-(card.at_stake_s or 0.0), -(card.at_stake_bytes or 0), confidence, card.rule.name)
