"""An option of a simulator or generator, declared once: on the field of its settings.

From the declaration follow the option of the command, its values in ``--sweep``, its range, the refusal of an option
that changes nothing, and which columns of a result are empty.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from enum import Enum
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

from iotrace import units
from iotrace.errors import UsageError

AnySettings = TypeVar("AnySettings")
NoEffect = Callable[[Any], "str | None"]
"""Says why an option changes nothing in some settings (``without --purge dynamic``); None if it does."""
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


def _always(settings: Any) -> None:
    return None


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
    no_effect: NoEffect
    only_swept: bool
    """Whether only ``--sweep`` varies it."""
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
    no_effect: NoEffect = _always,
    only_swept: bool = False,
    several: tuple[Any, ...] | None = None,
    changes: Changes | None = None,
    opposite: str | None = None,
    rare: bool = False,
) -> Any:
    """Declare a field of settings that is an option; its words are those of the kind or of the field's type.

    One whose default is ``dataclasses.MISSING`` must be given. ``changes`` is for an option that sets more fields than
    its own; their defaults must be those of ``default``.
    """
    described = {
        "also": tuple(also),
        "help": help,
        "kind": kind,
        "name": name,
        "least": least,
        "most": most,
        "no_effect": no_effect,
        "only_swept": only_swept,
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


def refuse_without_effect(named: Iterable[str], all_settings: Sequence[Any]) -> None:
    """Raise UsageError for the first option named, by its field, that changes nothing in any of the settings."""
    names = set(named)
    for declared in options(type(all_settings[0])):
        reasons = [declared.no_effect(settings) for settings in all_settings]
        if declared.field in names and None not in reasons:
            raise UsageError(f"--{declared.name} has no effect {reasons[0]}")


def described(settings: Any) -> dict[str, Any]:
    """Return settings as columns of a result, by field: None if one has no effect with the others."""
    return {
        declared.field: None if declared.no_effect(settings) else getattr(settings, declared.field)
        for declared in options(type(settings))
    }
