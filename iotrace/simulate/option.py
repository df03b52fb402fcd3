"""An option of a simulator, declared once: on the field of its settings.

From the declaration follow the option of the command, its values in ``--sweep``, the refusal of an option that changes
nothing, and which columns of a result are empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any, get_args, get_type_hints

from iotrace import units
from iotrace.errors import UsageError

NoEffect = Callable[[Any], "str | None"]
"""Says why an option changes nothing in some settings (``without --purge dynamic``); None where it does."""


@dataclass(frozen=True)
class Kind:
    """How the values of an option are read, and written as a person types them."""

    metavar: str
    read: Callable[[str], Any]
    typed: Callable[[Any], str]
    is_number: bool = True


def _always(settings: Any) -> None:
    return None


SIZE = Kind("SIZE", units.size_bytes, units.typed_size)
PERCENT = Kind("%", units.percentage, lambda value: f"{value:.17g}")
COUNT = Kind("NUMBER", units.whole, lambda value: f"{round(value)}")
RATIO = Kind("RATIO", units.ratio, lambda value: f"{value:.17g}")
WORD = Kind("WORD", str.strip, str, is_number=False)


@dataclass(frozen=True)
class Option:
    """An option of the settings in which it is a field."""

    field: str
    name: str
    """Without its dashes."""
    help: str
    kind: Kind
    default: Any
    words: tuple[str, ...]
    """All values that there are; none for a number."""
    no_effect: NoEffect
    only_swept: bool
    """Whether only ``--sweep`` varies it."""

    def read(self, text: str) -> Any:
        """Read a value; raises UsageError for what is none."""
        value = self.kind.read(text)
        if self.words and value not in self.words:
            raise UsageError(f"{value!r} is not one of {', '.join(self.words)}")
        return value


def option(
    default: Any,
    help: str,
    kind: Kind = WORD,
    *,
    name: str | None = None,
    no_effect: NoEffect = _always,
    only_swept: bool = False,
) -> Any:
    """Declare a field of settings that is an option; its words are those of the field's type."""
    described = {"help": help, "kind": kind, "name": name, "no_effect": no_effect, "only_swept": only_swept}
    return field(default=default, metadata=described)


def options(settings: type) -> tuple[Option, ...]:
    """Return the options of a class of settings, in the order of its fields."""
    return _options(settings)


@cache
def _options(settings: type) -> tuple[Option, ...]:
    hints = get_type_hints(settings)
    return tuple(
        Option(
            one.name,
            one.metadata["name"] or one.name.replace("_", "-"),
            one.metadata["help"],
            one.metadata["kind"],
            None if one.default is MISSING else one.default,
            tuple(word for word in get_args(hints[one.name]) if isinstance(word, str)),
            one.metadata["no_effect"],
            one.metadata["only_swept"],
        )
        for one in fields(settings)
        if "help" in one.metadata
    )


def refuse_without_effect(named: Iterable[str], all_settings: Sequence[Any]) -> None:
    """Raise UsageError for the first option named, by its field, that changes nothing in any of the settings."""
    names = set(named)
    for one in options(type(all_settings[0])):
        reasons = [one.no_effect(settings) for settings in all_settings]
        if one.field in names and None not in reasons:
            raise UsageError(f"--{one.name} has no effect {reasons[0]}")


def described(settings: Any) -> dict[str, Any]:
    """Return settings as columns of a result, by field: None where one has no effect with the others."""
    return {
        one.field: None if one.no_effect(settings) else getattr(settings, one.field)
        for one in options(type(settings))
    }
