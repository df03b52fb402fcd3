"""An option of a simulator or generator, declared once: on the field of its settings.

From the declaration follow the option of the command, its values in ``--sweep``, its range, its refusal with options
that exclude it or without those that it needs, and which columns of a result are empty.
"""

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Enum, StrEnum
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

from iotrace import units
from iotrace.errors import UsageError
from iotrace.option.rules import Given, Ruled, Rules

AnySettings = TypeVar("AnySettings")
Changes = Callable[[Any, Mapping[str, Any]], Mapping[str, Any]]
"""Returns the fields that a value sets, given the value and the other fields."""


@dataclass(frozen=True, eq=False)
class Kind:
    """How the values of an option are read, and written as a person types them."""

    metavar: str
    read: Callable[[str], Any]
    typed: Callable[[Any], str]
    is_number: bool = True
    is_repeated: bool = False
    none: str | None = None
    """The word for None; without one, None is an option that is not given."""
    words: Mapping[str, Any] | None = None
    """All values by their words, where they are not those of the field's type."""
    numbers: "Kind | None" = None
    """How the ends of a range are read and written, where that is another way."""


def choice(**words: Any) -> Kind:
    """Return the kind of a field whose values are typed as these words."""
    typed = {value: word for word, value in words.items()}
    return Kind("WORD", str.strip, typed.__getitem__, is_number=False, words=words)


def word_of(words: Iterable[str]) -> Kind:
    """Return the kind of a field whose values are these words, where its type does not have them."""
    return choice(**{word: word for word in words})


def repeated(metavar: str) -> Kind:
    """Return the kind of a field that holds a tuple of words, whose option is given once for each."""
    return Kind(metavar, str, str, is_number=False, is_repeated=True)


def optional(kind: Kind, none: str) -> Kind:
    """Return a kind with a word for None."""
    return Kind(
        kind.metavar,
        lambda text: None if text.strip().lower() == none else kind.read(text),
        lambda value: none if value is None else kind.typed(value),
        kind.is_number,
        none=none,
    )


def _typed_number(value: float) -> str:
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


SIZE = Kind("SIZE", units.size_bytes, units.typed_size)
SIZES = Kind(
    "SIZE,...",
    lambda text: tuple(dict.fromkeys(map(units.size_bytes, text.split(",")))),
    lambda sizes: ",".join(map(units.typed_size, sizes)),
    is_number=False,
)
"""Several, in one case."""
TIME = Kind("TIME", units.time_ns, units.typed_time)
PERCENT = Kind("%", units.percentage, _typed_number)
COUNT = Kind("NUMBER", units.integer, lambda value: f"{round(value)}")
BLOCKS = Kind("BLOCKS", units.integer, COUNT.typed)
PARTS_OF_BLOCKS = Kind("BLOCKS", units.blocks, _typed_number)
RATIO = Kind("RATIO", units.ratio, _typed_number)
NAME = Kind("NAME", str.strip, str, is_number=False)
"""Of something that has presets, or a file."""
WORD = Kind("WORD", str.strip, str, is_number=False)
FLAG = choice(no=False, yes=True)
"""Given or not; ``yes`` and ``no`` in a sweep."""


@dataclass(frozen=True, eq=False)
class Option:
    """An option of the settings in which it is a field."""

    field: str
    name: str
    """Without its dashes."""
    also: tuple[str, ...]
    """Its other spellings, with their dashes."""
    help: str
    kind: Kind
    default: Any
    words: Mapping[str, Any]
    """All values that there are, by their words; none for a number."""
    least: float
    most: float
    rules: Rules
    several: tuple[Any, ...] | None
    """The values that it has by default where the option of the command takes several, each of them a case."""
    changes: Changes | None
    opposite: str | None
    """Of a flag: the spelling that says no."""
    rare: bool
    """Whether only ``--help-all`` shows it."""
    is_required: bool

    def read(self, text: str) -> Any:
        """Read a value; raises UsageError for what is none."""
        value = self.kind.read(text)
        if not self.words or (value is None and self.kind.none):
            return value
        word = next((word for word in self.words if word.lower() == value.lower()), None)
        if word is None:
            raise UsageError(f"{value!r} is not one of {', '.join(self.words)}")
        return self.words[word]

    def typed(self, value: Any) -> str:
        """Return a value as a person types it."""
        return self.kind.typed(value.value if isinstance(value, Enum) else value)

    def set(self, value: Any, others: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields that a value sets, given what the others are."""
        return {self.field: value} if self.changes is None else self.changes(value, others)

    def check(self, value: Any) -> None:
        """Raise UsageError, which begins with the field, for a value that is not a word or is out of range."""
        if value is None or self.changes is not None:
            return
        if self.words:
            if value not in self.words.values():
                *words, last = self.words
                raise UsageError(f"{self.field} is {', '.join(words)} or {last}, not {value!r}")
        elif self.kind.is_number and not self.least <= value <= self.most:
            unit = next((unit for unit in ("bytes", "ns") if self.field.endswith(f"_{unit}")), "")
            limits = (
                f"below {_plain(self.least)}"
                if self.most == math.inf
                else f"not from {_plain(self.least)} to {_plain(self.most)}"
            )
            raise UsageError(f"{self.field}: {_plain(value)} is {limits} {unit}".rstrip())


def option(
    default: Any,
    help: str,
    kind: Kind = WORD,
    *,
    name: str | None = None,
    also: Sequence[str] = (),
    least: float = -math.inf,
    most: float = math.inf,
    needs: Iterable[str] = (),
    conflicts: Mapping[str, str] | Iterable[str] = (),
    only_for: StrEnum | None = None,
    several: tuple[Any, ...] | None = None,
    changes: Changes | None = None,
    opposite: str | None = None,
    rare: bool = False,
) -> Any:
    """Declare a field of settings that is an option; its words are those of the kind or of the field's type.

    One whose default is ``dataclasses.MISSING`` must be given. ``changes`` is for an option that sets more fields than
    its own; their defaults must be those of ``default``. The rules are those of `Rules`; an option that breaks one in
    all cases that are compared is refused, and in one of them its column is empty.
    """
    rules = Rules.of(needs, conflicts, only_for)
    described = {
        "also": tuple(also),
        "help": rules.help(help),
        "kind": kind,
        "name": name,
        "least": least,
        "most": most,
        "rules": rules,
        "several": several,
        "changes": changes,
        "opposite": opposite,
        "rare": rare,
    }
    return field(default=default, metadata=described)


def options(settings: type) -> tuple[Option, ...]:
    """Return the options of a class of settings, in the order of its fields."""
    return _options(settings)


@cache
def _options(settings: type) -> tuple[Option, ...]:
    hints = get_type_hints(settings)
    return tuple(
        Option(
            **{
                **declared.metadata,
                "field": declared.name,
                "name": declared.metadata["name"] or declared.name.replace("_", "-"),
                "default": None if declared.default is MISSING else declared.default,
                "is_required": declared.default is MISSING,
                "words": declared.metadata["kind"].words or _words(hints[declared.name]),
            }
        )
        for declared in fields(settings)
        if "help" in declared.metadata
    )


def _words(hint: Any) -> dict[str, Any]:
    """Return the values of a type by their words: of an enumeration, of literals, or of one of these or None."""
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {str(member.value): member for member in hint}
    values: dict[str, Any] = {}
    for part in get_args(hint):
        values |= {part: part} if isinstance(part, str) else _words(part)
    return values


def _plain(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


def check(settings: Any) -> None:
    """Raise UsageError for the first option whose value is none of its words, or out of its range."""
    for declared in options(type(settings)):
        declared.check(getattr(settings, declared.field))


def with_texts(settings: AnySettings, texts: Mapping[str, str], by: str) -> AnySettings:
    """Return settings with some options, named by their fields, given as texts by an option such as ``--set``.

    Raises UsageError for other names, and for what is not a value.
    """
    known = {declared.field: declared for declared in options(type(settings))}
    values = {}
    for name, text in texts.items():
        if name not in known:
            raise UsageError(f"{by}: {name!r} is not one of {', '.join(known)}")
        try:
            values[name] = known[name].read(text)
        except UsageError as error:
            raise UsageError(f"{by} {name}: {error}") from None
    return replace(settings, **values)  # type: ignore[type-var]


@cache
def _ruled(settings: type) -> tuple[Ruled, ...]:
    return tuple(
        Ruled(
            f"--{option.name}",
            option.field,
            option.default,
            option.rules,
            None if option.opposite is None else f"--{option.opposite}",
            is_setting=True,
        )
        for option in options(settings)
    )


def ruled(settings: Any) -> tuple[Ruled, ...]:
    """Return the options of settings with their rules, by their fields."""
    kind: type = type(settings)
    return _ruled(kind)


def check_rules(
    all_settings: Sequence[Any],
    named: Collection[str] | None = None,
    given: Given | None = None,
    work: StrEnum | None = None,
) -> None:
    """Raise UsageError for the first option that breaks a rule in each of the settings.

    These are the options ``named`` by their fields, else all that are not at their defaults. ``given`` has the
    command's other options, and ``work`` is what the settings are for, as in an option's ``only_for``.
    """
    known, given, first_values = ruled(all_settings[0]), given or Given((), {}), vars(all_settings[0])
    if named is None:
        named = [option.parameter for option in known if option.is_given(first_values)]
    names = {option.name for option in known if option.parameter in named}
    for option in given.options:
        if not option.is_setting and (excluded := names.intersection(option.rules.conflicts)):
            raise UsageError(f"{option.typed(given.values)} cannot be combined with {min(excluded)}")
    for option in known:
        if option.parameter in named:
            cases = (given.and_settings(known, vars(settings)) for settings in all_settings)
            broken = (case.broken_rule(option, work) for case in cases)
            if (first := next(broken)) is not None and None not in broken:
                raise UsageError(f"{option.typed(first_values)} {first}")


def described(settings: Any, work: StrEnum | None = None) -> dict[str, Any]:
    """Return settings as columns of a result, by field: None if one changes nothing with the others."""
    values, known = vars(settings), ruled(settings)
    given = Given((), {}).and_settings(known, values)
    return {
        option.parameter: None if given.broken_rule(option, work) else values[option.parameter]
        for option in known
    }
