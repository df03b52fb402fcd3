"""The grammar of ``--sweep``: which settings vary, and over which values."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any, TypeVar

from iotrace.errors import UsageError
from iotrace.option import Kind, Option, options

STEPS = 10
"""How many values a range without a step has."""
MOST_CASES = 100_000
Settings = TypeVar("Settings")

HELP = "Vary settings (repeatable, all combinations): NAME=1,2,3, NAME=FROM:TO[:STEP], or NAME=all of words."


def axes(sweeps: Sequence[str], known: Mapping[str, Option]) -> dict[str, list[Any]]:
    """Read sweeps: ``hilim=20:80,unit=all`` is two of them, ``hilim=20,40,80`` one; values by name.

    ``20:200`` is ten values from the one to the other, fewer if there are fewer whole numbers; ``20:200:60`` goes in
    steps; ``all`` is every word. Raises UsageError for invalid values.
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
    swept = {name: _values(known[name], swept_texts) for name, swept_texts in texts.items()}
    if math.prod(len(values) for values in swept.values()) > MOST_CASES:
        raise UsageError(f"--sweep: more than {MOST_CASES:,} combinations")
    return swept


def combinations(sweeps: Sequence[str], known: Sequence[Option]) -> list[dict[Option, Any]]:
    """Return every combination of the values swept of options, the first name varying slowest.

    Options that have several values vary fastest, in the order in which they are declared.
    """
    by_name = {option.name: option for option in known}
    swept = {by_name[name]: values for name, values in axes(sweeps, by_name).items()}
    places = {option: 1 + index if option.several is not None else 0 for index, option in enumerate(known)}
    swept = dict(sorted(swept.items(), key=lambda item: places[item[0]]))
    return [dict(zip(swept, values, strict=True)) for values in product(*swept.values())]


def changed(settings: Settings, values: Mapping[Option, Any]) -> Settings:
    """Return settings with other values of those options that it has."""
    known = options(type(settings))
    changes: dict[str, Any] = {}
    for option, value in values.items():
        if option in known:
            changes |= option.set(value, vars(settings) | changes)
    return replace(settings, **changes) if changes else settings  # type: ignore[type-var]


def in_words(values: Mapping[Option, Any]) -> str:
    """Return values as a sweep of these alone."""
    return ", ".join(f"{option.name}={option.typed(value)}" for option, value in values.items())


def varied(
    settings: Settings,
    sweeps: Sequence[str],
    known: Sequence[Option] | None = None,
    vary: Callable[[Settings, Mapping[Option, Any]], Settings] = changed,
) -> list[Settings]:
    """Return settings with every combination of values, the first name varying slowest.

    `known` are the options that can be swept where they are not those of the settings, and `vary` sets them. Raises
    UsageError for an invalid combination.
    """
    return [vary(settings, values) for values in cases(settings, sweeps, known)]


def cases(
    settings: Any, sweeps: Sequence[str], known: Sequence[Option] | None = None
) -> list[dict[Option, Any]]:
    """Return every combination of values, of options that have several by default too; see `varied`."""
    known = options(type(settings)) if known is None else known
    return combinations([*sweeps, *_by_default(settings, sweeps, known)], known)


def _by_default(settings: Any, sweeps: Sequence[str], known: Sequence[Option]) -> list[str]:
    """Return sweeps over the options that have several values by default, where nothing else is said."""
    swept = axes(sweeps, {option.name: option for option in known})
    return [
        f"{known_option.name}={','.join(map(known_option.typed, known_option.several))}"
        for known_option in known
        if known_option.several
        and known_option.name not in swept
        and getattr(settings, known_option.field) == known_option.default
    ]


def swept_fields(settings: type, sweeps: Sequence[str]) -> set[str]:
    """Return the fields of settings that sweeps vary."""
    known = {option.name: option for option in options(settings)}
    return {known[name].field for name in axes(sweeps, known)}


def _values(option: Option, texts: Sequence[str]) -> list[Any]:
    try:
        return list(dict.fromkeys(value for word in texts for value in _expanded(option, word)))
    except UsageError as error:
        raise UsageError(f"--sweep {option.name}: {error}") from None


def _expanded(option: Option, word: str) -> list[Any]:
    if word.strip() == "all" and option.words:
        return list(option.words.values())
    if word.strip() == "all" and option.kind.is_number:
        raise UsageError("all stands for all words of an option; give numbers, or FROM:TO[:STEP]")
    kind = option.kind.numbers or option.kind
    ends = word.split(":")
    if len(ends) == 1 or not option.kind.is_number or (option.kind.numbers and not _is_read(kind, ends[0])):
        return [option.read(word)]
    if len(ends) > 3:
        raise UsageError(f"{word!r} is not FROM:TO or FROM:TO:STEP")
    first, last, *step = (kind.read(end) for end in ends)
    if None in (first, last, *step):
        raise UsageError(f"{word!r} has no end")
    if last < first or (step and step[0] <= 0):
        raise UsageError(f"{word!r} does not go upwards")
    if step:
        count = math.floor((last - first) / step[0] + 1e-9) + 1
        if count > MOST_CASES:
            raise UsageError(f"{word!r} is {count:,} values, more than {MOST_CASES:,}")
        numbers = [first + index * step[0] for index in range(count)]
    else:
        numbers = [first + index * (last - first) / (STEPS - 1) for index in range(STEPS)]
    return [option.read(kind.typed(number)) for number in numbers]


def _is_read(kind: Kind, word: str) -> bool:
    try:
        kind.read(word)
    except UsageError:
        return False
    return True
