"""The output of ``iotrace advice``: cards to read, a row for each as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace.cli.output import Format, Output
from iotrace.cli.terminal import print

if TYPE_CHECKING:
    from iotrace.analysis.advice import Advice
    from iotrace.queries.rules import Rule


SHORT_LINES = 5
"""Lines of the short list."""


def emit_advice(advice: Advice, output: Output, cards: range | None = None) -> None:
    """Write the advice: to read, a list of five lines, or the cards at these places."""
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
    if cards is None:
        room = SHORT_LINES - len(elsewhere) - (advice.leader is None) - 1
        shown = advice.cards[:room]
        lines = [f"{number}. {card.short}: {at_stake(card, advice)}" for number, card in enumerate(shown, 1)]
        more = f"{len(advice.cards)} in all; " if len(advice.cards) > room else ""
        hint = [f"{more}-v: where, what to do, how to check it, how sure it is"] if advice.cards else []
        print(*lines, *elsewhere, *hint, sep="\n", end="\n" if lines or elsewhere else "")
        return
    is_all = len(cards) == len(advice.cards)
    print(*(elsewhere if is_all else []), sep="\n", end="\n" if elsewhere and is_all else "")
    for number in cards:
        card = advice.cards[number]
        between = [""] if number != cards.start or (elsewhere and is_all) else []
        print(*between, f"{number + 1}. {card.title}", *card_lines(card, advice), sep="\n")
    if cards and is_all and (last := list(filter(None, (left_out(advice), added_up(advice))))):
        print("", *last, sep="\n")


def emit_rules(names: Sequence[str], output: Output) -> None:
    """Write result ``rules``: each rule, or those named, with what it looks for."""
    from iotrace.analysis.advice.table import rules_table

    output.emit(rules_table(names))


def emit_sql(rules: Sequence[Rule], output: Output) -> None:
    """Write the statements of rules: result sql."""
    from iotrace import queries

    if output.is_interactive:
        for rule in rules:
            print(f"-- {rule.name}", rule.sql, sep="\n")
        return
    output.emit(queries.result_table("sql", [(rule.name, rule.sql) for rule in rules]))
