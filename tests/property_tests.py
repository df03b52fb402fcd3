"""How much a test tries that could try more: all with ``--full``, else a sample (see ``conftest.py``)."""

import random
from collections.abc import Sequence
from typing import Any, TypeVar

from hypothesis import settings

Case = TypeVar("Case")
FULL, QUICK = 100, 20
"""The examples of tests that name no number."""
FEWEST = 10


def examples(full: int, **others: Any) -> settings:
    """Return settings that draw this many examples with ``--full``, and else the same share of them as all tests."""
    drawn = settings().max_examples * full // FULL
    return settings(max_examples=max(min(full, FEWEST), drawn), **others)


def sampled(cases: Sequence[Case], quick: int) -> Sequence[Case]:
    """Return all cases with ``--full``, and else this many of them, the same each time."""
    if settings().max_examples >= FULL or len(cases) <= quick:
        return cases
    return random.Random(1991).sample(cases, quick)
