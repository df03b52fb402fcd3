"""Advice as a table: result ``advice``."""

import json
from collections.abc import Sequence

import pyarrow as pa

from iotrace import queries
from iotrace.analysis.advice.cards import Card
from iotrace.queries.rules import rules

EVIDENCE = ("path", "process", "number", "unit")
OF_COUNTERS = (*EVIDENCE, "detail")


def table(cards: Sequence[Card], is_text: bool = False) -> pa.Table:
    """Return a row for each card; the evidence as a list of structures, or as text of JSON."""
    names = OF_COUNTERS if any(card.rule.is_of_counters for card in cards) else EVIDENCE
    rows = [
        {
            "rule": card.rule.name,
            "family": card.rule.family,
            "title": card.title,
            "at_stake_s": card.at_stake_s,
            "at_stake_bytes": card.at_stake_bytes,
            "shared_s": card.shared_s if card.rule.is_of_counters else None,
            "confidence": card.rule.confidence,
            "evidence": [{name: getattr(piece, name) for name in names} for piece in card.evidence],
            "do": card.rule.do,
            "snippets": "\n".join(f"{name}: {snippet}" for name, snippet in card.snippets) or None,
            "check": card.rule.check,
            "sql": card.rule.sql,
        }
        for card in cards
    ]
    if is_text:
        texts = [row | {"evidence": json.dumps(row["evidence"])} for row in rows]
        return queries.result_table("advice", texts)
    schema = queries.table_schema("advice")
    members = [pa.field(name, pa.float64() if name == "number" else pa.string()) for name in names]
    index = schema.get_field_index("evidence")
    schema = schema.set(index, schema.field("evidence").with_type(pa.list_(pa.struct(members))))
    return pa.Table.from_pylist(rows, schema=schema)


def rules_table(names: Sequence[str]) -> pa.Table:
    """Return result ``rules``: each rule, or those named, with what it looks for."""
    rows = [
        (
            rule.name,
            rule.family,
            rule.description,
            "; ".join(
                f"{threshold.name} {threshold.number}: {threshold.description}"
                for threshold in rule.thresholds
            ),
            rule.confidence,
            rule.source,
        )
        for rule in rules().values()
        if not names or rule.name in names
    ]
    return queries.result_table("rules", rows)
