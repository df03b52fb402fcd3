"""Cards of a page: what was found, with what to do about it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PageCard:
    """One card, in words."""

    id: str
    title: str
    stake: str
    """The time or bytes at stake."""
    why: str
    where: tuple[str, ...]
    more: int
    """How many further places there are."""
    do: str
    check: str
    sure: str
    sql: str
    snippets: tuple[tuple[str, str], ...] = ()
    """Lines of code or commands, each with its library."""


@dataclass(frozen=True)
class PageCards:
    """The cards of a page, in their order."""

    question: str
    lead: str
    cards: tuple[PageCard, ...]
    how: str = ""
    """More about the numbers of all cards, which folds away."""
