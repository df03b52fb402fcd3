"""The grammar of ``--sweep``: which settings vary, and over which values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

from iotrace.errors import UsageError
from iotrace.simulate.option import Option, options

STEPS = 10
"""How many values a range without a step has."""
MOST_CASES = 100_000
Settings = TypeVar("Settings")

HELP = "Vary settings (repeatable, all combinations): NAME=1,2,3, NAME=FROM:TO[:STEP], or NAME=all of words."


def axes(sweeps: Sequence[str], known: Mapping[str, Option]) -> dict[str, list[Any]]:
    """Read sweeps: ``hilim=20:80,unit=all`` is two of them, ``hilim=20,40,80`` one; values by name.

    ``20:200`` is ten values from the one to the other, fewer where whole numbers leave no room; ``20:200:60`` goes in
    steps; ``all`` is every word. Raises UsageError for what makes no sense.
    """
    texts: dict[str, list[str]] = {}
    name = ""
    for word in (word for sweep in sweeps for word in sweep.split(",")):
        before, equals, value = word.partition("=")
        if equals:
            name = before.strip()
            if name not in known:
                raise UsageError(f"--sweep: {name!r} is none of {', '.join(known)}")
            if name in texts:
                raise UsageError(f"--sweep: {name} is swept twice")
            texts[name] = []
        elif not name:
            raise UsageError(f"--sweep: {word!r} is not NAME=VALUE,...; names are {', '.join(known)}")
        texts[name].append(value if equals else word)
    found = {name: _values(known[name], words) for name, words in texts.items()}
    if math.prod(len(values) for values in found.values()) > MOST_CASES:
        raise UsageError(f"--sweep: more than {MOST_CASES:,} combinations")
    return found


def varied(
    settings: Settings, sweeps: Sequence[str], leave_out: Callable[[str], None] | None = None
) -> list[Settings]:
    """Return settings with every combination of values, the first name varying slowest.

    Combinations that make no sense are left out where others do, and `leave_out` gets each with the reason. Raises
    UsageError where none does, or without `leave_out`.
    """
    known = {one.name: one for one in options(type(settings))}
    swept = axes(sweeps, known)
    found, refused = [], []
    for values in product(*swept.values()):
        typed = dict(zip(swept, values, strict=True))
        try:
            found.append(replace(settings, **{known[name].field: value for name, value in typed.items()}))  # type: ignore[type-var]
        except UsageError as error:
            if leave_out is None:
                raise
            refused.append((typed, error))
    if not found:
        raise refused[0][1]
    if leave_out is not None:
        for typed, reason in refused:
            shown = " ".join(f"{name}={known[name].kind.typed(value)}" for name, value in typed.items())
            leave_out(f"left out of the sweep: {shown}: {reason}")
    return found


def swept_fields(settings: type, sweeps: Sequence[str]) -> set[str]:
    """Return the fields of settings that sweeps vary."""
    known = {one.name: one for one in options(settings)}
    return {known[name].field for name in axes(sweeps, known)}


def _values(one: Option, words: Sequence[str]) -> list[Any]:
    try:
        return list(dict.fromkeys(value for word in words for value in _expanded(one, word)))
    except UsageError as error:
        raise UsageError(f"--sweep {one.name}: {error}") from None


def _expanded(one: Option, word: str) -> list[Any]:
    if word.strip() == "all" and one.words:
        return list(one.words)
    if word.strip() == "all":
        raise UsageError("all stands for all words of an option; give numbers, or FROM:TO[:STEP]")
    if ":" not in word or not one.kind.is_number:
        return [one.read(word)]
    ends = word.split(":")
    if len(ends) > 3:
        raise UsageError(f"{word!r} is not FROM:TO or FROM:TO:STEP")
    first, last, *step = (one.read(end) for end in ends)
    if last < first or (step and step[0] <= 0):
        raise UsageError(f"{word!r} does not go upwards")
    if step:
        count = math.floor((last - first) / step[0] + 1e-9) + 1
        if count > MOST_CASES:
            raise UsageError(f"{word!r} is {count:,} values, more than {MOST_CASES:,}")
        numbers = [first + place * step[0] for place in range(count)]
    else:
        numbers = [first + place * (last - first) / (STEPS - 1) for place in range(STEPS)]
    return [one.read(one.kind.typed(number)) for number in numbers]
