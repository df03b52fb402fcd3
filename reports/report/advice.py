"""The report's advice, as cards."""

from iotrace.reports.pages.cards import PageCard, PageCards
from iotrace.reports.pages.escape import printable

from iotrace.analysis.advice import Advice, Card
from iotrace.analysis.advice.words import added_up, at_stake, left_out, place_of
from iotrace.analysis.answers.change import quiet

PLACES = 5
"""Places that a card lists."""


def cards(advice: Advice, added: str | None = None, why_none: str | None = None) -> PageCards:
    """Return the advice as a page shows it.

    `added` says what tracing adds to the times at stake; `why_none` is the reason if advice could not be computed.
    """
    lead = quiet(advice) if advice.leader is None else "Most at stake first."
    if why_none:
        lead = f"What to change is unknown: {why_none}."
    sentences = (added_up(advice), added, left_out(advice)) if advice.cards else ()
    cards = tuple(_card(card, advice) for card in advice.cards)
    return PageCards("What should I change?", lead, cards, " ".join(filter(None, sentences)))


def _card(card: Card, advice: Advice) -> PageCard:
    return PageCard(
        id=f"advice-{card.rule.name}",
        title=printable(card.title),
        stake=at_stake(card, advice),
        why=card.rule.description,
        where=tuple(printable(place_of(evidence)) for evidence in card.evidence[:PLACES]),
        more=max(0, card.places - PLACES),
        do=card.rule.do,
        check=card.rule.check,
        sure=card.rule.sure,
        sql=card.rule.sql.strip(),
        snippets=card.snippets,
    )
