"""What ``iotrace advice`` writes: cards to read, a row for each as a table."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.output import Format, Output
from iotrace.cli.terminal import print
from iotrace.libraries import pa

if TYPE_CHECKING:
    from iotrace.analysis.advice import Advice, Card, Evidence
    from iotrace.queries.rules import Rule
    from iotrace.store.store import Store

WIDTH = 100
SHOWN_EVIDENCE = 3
"""Pieces of evidence that a card shows to a reader; tables have more."""
EVIDENCE = ("path", "process", "number", "unit")


def emit_advice(store: Store, found: Advice, output: Output) -> None:
    """Write the cards: to read, each with what was found, what to do, how to check it and how sure it is."""
    if not output.is_table:
        output.emit(_table(found.cards, is_text=output.form is Format.CSV))
        return
    if not output.is_to_read:
        output.emit(_drawn(found.cards))
        return
    if not found.cards:
        print(f"{store.path}: no rule found anything to change." if not found.small else _nothing(found))
        return
    for place, card in enumerate(found.cards, 1):
        print(f"{place}. {card.title}: {at_stake(card, found)}")
    print()
    for place, card in enumerate(found.cards, 1):
        print(f"{place}. {card.title}", *_lines(card, found), sep="\n", end="\n\n")
    if found.small:
        rules = units.plural(found.small, "rule", "rules")
        print(f"{rules} found less than 1 % of the time and bytes at stake, left out: --all")
    print("Time at stake is added up over processes, and calls may count in several pieces of advice.")


def _nothing(found: Advice) -> str:
    rules = units.plural(found.small, "rule", "rules")
    return f"Nothing has 1 % of the trace's time or bytes at stake; {rules} found less: --all"


def at_stake(card: Card, found: Advice) -> str:
    """Return what is at stake, with its part of the trace's time or bytes."""
    parts = []
    if card.at_stake_s is not None:
        whole = f" of {units.duration(1e9 * found.wall_s)}" if found.wall_s else ""
        parts.append(f"{units.duration(1e9 * card.at_stake_s)}{whole}")
    if card.at_stake_bytes is not None:
        parts.append(units.size(card.at_stake_bytes))
    return ", ".join(parts) or "unknown: the trace records no times"


def place_of(one: Evidence) -> str:
    """Return a piece of evidence as a sentence without a full stop."""
    where = " by ".join(part for part in (one.path, one.process) if part)
    time = f", {units.duration(1e9 * one.at_stake_s)}" if one.at_stake_s is not None else ""
    amount = units.size(one.number) if one.unit == "bytes" else f"{one.number:,.4g} {one.unit}"
    if one.unit == "s":
        return f"{where}: {units.duration(1e9 * one.number)}"
    return f"{where}: {amount}{time}"


def _lines(card: Card, found: Advice) -> Iterator[str]:
    rule = card.rule
    yield from _wrapped("at stake", at_stake(card, found))
    yield from _wrapped("why", rule.sentence)
    for one in card.evidence[:SHOWN_EVIDENCE]:
        yield from _wrapped("where", place_of(one))
    if card.places > SHOWN_EVIDENCE:
        yield from _wrapped("", f"and {card.places - SHOWN_EVIDENCE:,} more")
    yield from _wrapped("do", rule.do)
    yield from _wrapped("check", rule.check)
    yield from _wrapped("sure", f"{rule.confidence}: {rule.why[0].lower()}{rule.why[1:]}")
    yield from _wrapped("rule", rule.name)


def _wrapped(label: str, text: str) -> Iterator[str]:
    start = f"   {label:<9} "
    yield from textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=" " * len(start))


def _table(cards: Sequence[Card], is_text: bool) -> pa.Table:
    """Return result ``advice``; the evidence as a list of structures, or as text of JSON."""
    import json

    from iotrace import queries

    rows = [
        {
            "rule": card.rule.name,
            "family": card.rule.family,
            "title": card.title,
            "at_stake_s": card.at_stake_s,
            "at_stake_bytes": card.at_stake_bytes,
            "confidence": card.rule.confidence,
            "evidence": [{name: asdict(one)[name] for name in EVIDENCE} for one in card.evidence],
            "do": card.rule.do,
            "check": card.rule.check,
            "sql": card.rule.sql,
        }
        for card in cards
    ]
    if is_text:
        return queries.result_table(
            "advice", [row | {"evidence": json.dumps(row["evidence"])} for row in rows]
        )
    schema = queries.table_schema("advice")
    members = [pa.field(name, pa.float64() if name == "number" else pa.string()) for name in EVIDENCE]
    place = schema.get_field_index("evidence")
    schema = schema.set(place, schema.field("evidence").with_type(pa.list_(pa.struct(members))))
    return pa.Table.from_pylist(rows, schema=schema)


def _drawn(cards: Sequence[Card]) -> pa.Table:
    from iotrace import queries

    columns = ["rule", "title", "at_stake_s", "at_stake_bytes", "confidence", "do", "check"]
    schema = pa.schema([queries.table_schema("advice").field(name) for name in columns])
    return _table(cards, is_text=True).select(columns).cast(schema)


def emit_rules(names: Sequence[str], output: Output) -> None:
    """Write result ``rules``: each rule, or those named, with what it looks for."""
    from iotrace import queries
    from iotrace.queries.rules import rules

    rows = [
        (
            rule.name,
            rule.family,
            rule.sentence,
            "; ".join(f"{one.name} {one.number}: {one.sentence}" for one in rule.thresholds),
            rule.confidence,
            rule.source,
        )
        for rule in rules().values()
        if not names or rule.name in names
    ]
    output.emit(queries.result_table("rules", rows))


def emit_sql(asked: Sequence[Rule], output: Output) -> None:
    """Write the statements of rules: result sql."""
    from iotrace import queries

    if output.is_to_read:
        for rule in asked:
            print(f"-- {rule.name}", rule.sql, sep="\n")
        return
    rows = [(rule.name, rule.sql) for rule in asked]
    output.emit(queries.result_table("sql", rows))
