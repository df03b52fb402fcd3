"""Relations of options: what one needs, what it excludes, and what it is for.

The rules are declared with the option, of a command or on a field of settings, and checked here. Help and the page of
the command line show them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from iotrace.errors import UsageError


class Kind(StrEnum):
    """The subject of an option of a command with many: a heading of ``--help-all``."""

    PART = "Part of the trace"
    UNIT = "Unit and sizes of the caches"
    POPULATION = "Population"
    QUESTION = "Question"
    SETTING = "Settings"


class Caches(StrEnum):
    """The content of caches."""

    BLOCKS = "caches of blocks"
    OBJECTS = "caches of objects"


class Runs(StrEnum):
    """The program of parallel processes."""

    TRACE = "traces"
    PATTERN = "patterns"


@dataclass(frozen=True)
class Rules:
    """An option's relations to others. These are named as they are typed, with a value if it matters."""

    kind: Kind | None = None
    needs: tuple[str, ...] = ()
    """Options that must be given: ``--by``, ``--sample auto``, ``--advise or --learn``, ``--purge full or asap``."""
    conflicts: Mapping[str, str] = field(default_factory=dict)
    """Options that cannot be given, too, or the name of their `Kind`; and why not, if that is not obvious."""
    only_for: StrEnum | None = None
    """The one of several kinds of work, such as `Caches`, that has the option."""
    exempt: tuple[Any, ...] = ()
    """Values that change nothing, to which the rules do not apply; the default is one in any case."""

    @classmethod
    def of(
        cls,
        needs: Iterable[str],
        conflicts: Mapping[str, str] | Iterable[str],
        only_for: StrEnum | None,
        kind: Kind | None = None,
        exempt: Iterable[Any] = (),
    ) -> Self:
        """Return rules as they are declared; conflicts that are obvious may be a list."""
        reasons = conflicts if isinstance(conflicts, Mapping) else dict.fromkeys(conflicts, "")
        return cls(kind, tuple(needs), reasons, only_for, tuple(exempt))

    def foreign_to(self, work: StrEnum | None) -> str | None:
        """Return that the option is for other work than this, as the end of a sentence; None if it is not."""
        is_foreign = type(self.only_for) is type(work) and self.only_for is not work
        return f"is for {self.only_for}, not for {work}" if is_foreign else None

    def help(self, text: str) -> str:
        """Return the help of an option, which begins with what it is for, and what it needs."""
        first = "For keys: " if self.only_for is Caches.OBJECTS else ""
        first = f"With {' and '.join(self.needs)}: " if self.needs else first
        return f"{first}{text[0].lower()}{text[1:]}" if first else text


@dataclass(frozen=True)
class Ruled:
    """An option with its rules: how it is typed, its default, and the parameter or field that has its value."""

    name: str
    parameter: str
    default: Any
    rules: Rules
    opposite: str | None = None
    """Of a flag: how its no is typed."""
    is_setting: bool = False
    """Whether settings have it, so that its rules are checked in all cases that a command compares."""

    def typed(self, values: Mapping[str, Any]) -> str:
        """Return how it was typed, without its value."""
        return self.opposite if self.opposite is not None and values[self.parameter] is False else self.name

    def is_given(self, values: Mapping[str, Any]) -> bool:
        """Return whether it has a value that changes anything."""
        value = values[self.parameter]
        return value not in (self.default, None, [], *self.rules.exempt)


@dataclass(frozen=True)
class Given:
    """The options that a command, or settings, were given, and all values."""

    options: Sequence[Ruled]
    values: Mapping[str, Any]

    @classmethod
    def of(cls, options: Iterable[Ruled], values: Mapping[str, Any]) -> Self:
        """Return those options whose values change anything."""
        return cls([option for option in options if option.is_given(values)], values)

    def and_settings(self, options: Iterable[Ruled], values: Mapping[str, Any]) -> "Given":
        """Return them with the options and values of settings, instead of what was typed for these.

        Without those that break a rule: what changes nothing cannot be what another option needs or excludes.
        """
        others = [option for option in self.options if not option.is_setting]
        settings = Given.of(options, values).options
        given = Given([*others, *settings], {**self.values, **values})
        in_force = [option for option in settings if given.broken_rule(option) is None]
        return Given([*others, *in_force], given.values)

    def broken_rule(self, option: Ruled, work: StrEnum | None = None) -> str | None:
        """Return which rule an option breaks, as the end of a sentence; None if it breaks none."""
        if (foreign := option.rules.foreign_to(work)) is not None:
            return foreign
        for needed in option.rules.needs:
            if self._met(needed) is None:
                return f"needs {needed}"
        for excluded, why in option.rules.conflicts.items():
            if (other := self._met(excluded)) is not None:
                return f"cannot be combined with {other}{f': {why}' if why else ''}"
        return None

    def refuse_others(self, trace: str, work: StrEnum) -> None:
        """Raise UsageError, which names the trace, for an option of other work of this kind."""
        for option in self.options:
            if (foreign := option.rules.foreign_to(work)) is not None:
                hint = "; for caches of blocks give --block SIZE" if work is Caches.OBJECTS else ""
                raise UsageError(f"{trace}: {option.name} {foreign}{hint}")

    def _met(self, rule: str) -> str | None:
        """Return the option that is given as a rule names it: by a kind, by its name, or with a value; else None."""
        if rule in list(Kind):
            return next((option.name for option in self.options if option.rules.kind == rule), None)
        name = ""
        for alternative in rule.split(" or "):
            if alternative.startswith("--"):
                name, _, value = alternative.partition(" ")
            else:
                value = alternative
            if any(
                known_option.name == name and (not value or value in self._words(known_option))
                for known_option in self.options
            ):
                return rule
        return None

    def _words(self, option: Ruled) -> list[str]:
        return [word.strip() for word in str(self.values[option.parameter]).lower().split(",")]


def check(options: Iterable[Ruled], values: Mapping[str, Any]) -> Given:
    """Return the options that are given; raises UsageError for the first that lacks one it needs, or excludes one."""
    given = Given.of(options, values)
    for option in given.options:
        if not option.is_setting and (broken := given.broken_rule(option)) is not None:
            raise UsageError(f"{option.typed(values)} {broken}")
    return given


def excluded(option: Ruled, options: Sequence[Ruled]) -> Iterator[str]:
    """Yield what an option cannot be combined with, whichever of the two says so."""
    for rule in option.rules.conflicts:
        if rule in list(Kind):
            yield from (other.name for other in options if other.rules.kind == rule)
        else:
            yield rule
    for other in options:
        if any(word in (option.name, option.rules.kind) for word in other.rules.conflicts):
            yield other.name
