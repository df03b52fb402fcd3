"""The report's advice, as cards."""

from iotrace.reports.pages.cards import PageCard, PageCards
from iotrace.reports.pages.escape import printable

from iotrace.analysis.advice import Advice, Card
from iotrace.analysis.advice.words import added_up, at_stake, left_out, nothing, place_of

PLACES = 5
"""Places that a card lists."""


def cards(found: Advice, added: str | None = None) -> PageCards:
    """Return the advice as a page shows it; `added` says what tracing adds to the times at stake."""
    little = nothing(found) if found.leader is None else None
    said = ("Most at stake first.", added_up(found), added, left_out(found)) if found.cards else ()
    lead = " ".join(filter(None, (little, *said)))
    return PageCards("What should I change?", lead.strip(), tuple(_card(card, found) for card in found.cards))


def _card(card: Card, found: Advice) -> PageCard:
    return PageCard(
        id=f"advice-{card.rule.name}",
        title=printable(card.title),
        stake=at_stake(card, found),
        why=card.rule.description,
        where=tuple(printable(place_of(one)) for one in card.evidence[:PLACES]),
        more=max(0, card.places - PLACES),
        do=card.rule.do,
        check=card.rule.check,
        sure=card.rule.sure,
        sql=card.rule.sql.strip(),
    )
