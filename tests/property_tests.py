"""How many examples a property test draws: all with ``--full``, else a fifth of them (see ``conftest.py``)."""

from __future__ import annotations

from typing import Any

from hypothesis import settings

FULL, QUICK = 100, 20
"""The examples of tests that name no number."""
FEWEST = 10


def examples(full: int, **others: Any) -> settings:
    """Return settings that draw this many examples with ``--full``, and else the same share of them as all tests."""
    drawn = settings().max_examples * full // FULL
    return settings(max_examples=min(full, max(FEWEST, drawn)), **others)
