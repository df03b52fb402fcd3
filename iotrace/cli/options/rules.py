"""What options have to do with each other: what one needs, what it excludes, and which caches it is for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from iotrace.errors import UsageError


class Kind(StrEnum):
    """What an option of a command with many is about: a heading of ``--help-all``."""

    PART = "Part of the trace"
    UNIT = "Unit and sizes of the caches"
    POPULATION = "Population"
    QUESTION = "Question"
    SETTING = "Settings"


class Caches(StrEnum):
    """What caches hold."""

    BLOCKS = "blocks"
    OBJECTS = "objects"


@dataclass(frozen=True)
class Rules:
    """What an option has to do with others. These are named as they are typed, with a value if it matters."""

    kind: Kind | None = None
    needs: tuple[str, ...] = ()
    """Options that must be given, too: ``--by``, ``--sample auto``."""
    conflicts: Mapping[str, str] = field(default_factory=dict)
    """Options that cannot be given, too, or the name of their `Kind`; and why not, if that is not obvious."""
    only_for: Caches | None = None
    exempt: tuple[Any, ...] = ()
    """Values that change nothing, to which the rules do not apply; the default is one in any case."""


@dataclass(frozen=True)
class Ruled:
    """An option of a command, with its rules: how it is typed, its default, and the parameter that has its value."""

    name: str
    parameter: str
    default: Any
    rules: Rules
    opposite: str | None = None
    """Of a flag: how its no is typed."""

    def typed(self, values: Mapping[str, Any]) -> str:
        """Return how it was typed, without its value."""
        return self.opposite if self.opposite is not None and values[self.parameter] is False else self.name

    def is_given(self, values: Mapping[str, Any]) -> bool:
        """Return whether it has a value that changes anything."""
        value = values[self.parameter]
        return value not in (self.default, None, [], *self.rules.exempt)


@dataclass(frozen=True)
class Given:
    """The options that a command was given: for rules that need the trace."""

    options: Sequence[Ruled]

    def refuse_others(self, trace: str, caches: Caches) -> None:
        """Raise UsageError, which names the trace, for an option of caches of another unit."""
        for option in self.options:
            only_for = option.rules.only_for
            if only_for is not None and only_for is not caches:
                hint = "; for caches of blocks give --block SIZE" if caches is Caches.OBJECTS else ""
                raise UsageError(
                    f"{trace}: {option.name} is for caches of {only_for.value}, these are of {caches.value}{hint}"
                )


def check(options: Sequence[Ruled], values: Mapping[str, Any]) -> Given:
    """Return the options that are given; raises UsageError for the first that lacks one it needs, or excludes one."""
    given = [option for option in options if option.is_given(values)]
    for option in given:
        for needed in option.rules.needs:
            if _met(needed, given, values) is None:
                raise UsageError(f"{option.typed(values)} needs {needed}")
        for excluded, why in option.rules.conflicts.items():
            if (other := _met(excluded, given, values)) is not None:
                raise UsageError(
                    f"{option.typed(values)} cannot be combined with {other}{f': {why}' if why else ''}"
                )
    return Given(given)


def excluded(option: Ruled, options: Sequence[Ruled]) -> Iterator[str]:
    """Yield what an option cannot be combined with, whichever of the two says so."""
    for words in option.rules.conflicts:
        if words in list(Kind):
            yield from (other.name for other in options if other.rules.kind == words)
        else:
            yield words
    for other in options:
        if any(word.split()[0] == option.name or word == option.rules.kind for word in other.rules.conflicts):
            yield other.name


def _met(words: str, given: Sequence[Ruled], values: Mapping[str, Any]) -> str | None:
    """Return the option that is given as a rule names it: by a kind, by its name, or with a value; None without one."""
    if words in list(Kind):
        return next((option.name for option in given if option.rules.kind == words), None)
    name, _, value = words.partition(" ")
    for option in given:
        if option.name == name and (not value or str(values[option.parameter]).strip().lower() == value):
            return words
    return None
