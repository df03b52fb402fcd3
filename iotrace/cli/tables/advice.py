"""The output of ``iotrace advice``: cards to read, a row for each as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace.cli.output import Format, Output
from iotrace.cli.terminal import print

if TYPE_CHECKING:
    from iotrace.analysis.advice import Advice
    from iotrace.queries.rules import Rule


def emit_advice(advice: Advice, output: Output) -> None:
    """Write the cards: to read, each with what was found, what to do, how to check it and how sure it is."""
    from iotrace.analysis.advice.table import table
    from iotrace.analysis.advice.words import added_up, at_stake, card_lines, left_out, nothing
    from iotrace.analysis.problem import not_storage

    if not output.is_interactive:
        output.emit(table(advice.cards, is_text=output.is_table or output.form is Format.CSV))
        return
    whole = advice.whole
    elsewhere = list(filter(None, [not_storage(advice.split or {}, whole.not_recorded, whole.shows_waits)]))
    if advice.leader is None:
        print(nothing(advice), *(["More: --all."] if advice.small and not advice.cards else []))
    listed = [
        f"{place}. {card.title}: {at_stake(card, advice)}" for place, card in enumerate(advice.cards, 1)
    ]
    print(*listed, *elsewhere, sep="\n", end="\n" if listed or elsewhere else "")
    if not advice.cards:
        return
    for place, card in enumerate(advice.cards, 1):
        print("", f"{place}. {card.title}", *card_lines(card, advice), sep="\n")
    if last := list(filter(None, (left_out(advice), added_up(advice)))):
        print("", *last, sep="\n")


def emit_rules(names: Sequence[str], output: Output) -> None:
    """Write result ``rules``: each rule, or those named, with what it looks for."""
    from iotrace.analysis.advice.table import rules_table

    output.emit(rules_table(names))


def emit_sql(asked: Sequence[Rule], output: Output) -> None:
    """Write the statements of rules: result sql."""
    from iotrace import queries

    if output.is_interactive:
        for rule in asked:
            print(f"-- {rule.name}", rule.sql, sep="\n")
        return
    output.emit(queries.result_table("sql", [(rule.name, rule.sql) for rule in asked]))
