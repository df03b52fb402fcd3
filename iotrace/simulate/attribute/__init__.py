"""Attribute caches: subcaches by the files' attributes, at every size (Richardson 1994, chapter 5)."""

from __future__ import annotations

from iotrace.simulate.attribute.adapting import adapted
from iotrace.simulate.attribute.best import Best, Regret, Searches, least_regret, uncached_by_space
from iotrace.simulate.attribute.classes import CUT_OFF_BYTES, Classes
from iotrace.simulate.attribute.comparison import comparison, grid, regrets
from iotrace.simulate.attribute.membership import Rule
from iotrace.simulate.attribute.notation import Configuration, parse, parse_space
from iotrace.simulate.attribute.outcome import Outcome, outcome, outcome_table, prepare
from iotrace.simulate.attribute.schemes import Scheme, find, schemes, spaces, spaces_of, variable
from iotrace.simulate.attribute.study import Study

__all__ = [
    "CUT_OFF_BYTES",
    "Best",
    "Classes",
    "Configuration",
    "Outcome",
    "Regret",
    "Rule",
    "Scheme",
    "Searches",
    "Study",
    "adapted",
    "comparison",
    "find",
    "grid",
    "least_regret",
    "outcome",
    "outcome_table",
    "parse",
    "parse_space",
    "prepare",
    "regrets",
    "schemes",
    "spaces",
    "spaces_of",
    "uncached_by_space",
    "variable",
]
