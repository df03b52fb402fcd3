"""Advice on what to change: the rules of ``queries/advice`` asked of a store, ranked by what is at stake."""

from iotrace.analysis.advice.ask import advise
from iotrace.analysis.advice.cards import Advice, Card, Evidence, Whole

__all__ = ["Advice", "Card", "Evidence", "Whole", "advise"]
