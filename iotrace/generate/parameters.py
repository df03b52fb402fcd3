"""Numbers that describe a generated workload: bounded, each with its sentence, settable by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, field, fields, replace
from typing import Any, ClassVar, Protocol, TypeVar

from iotrace.errors import UsageError


class Described(Protocol):
    """A data class whose fields were made by ``described``."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


Number = TypeVar("Number", int, float)
AnyDescribed = TypeVar("AnyDescribed", bound=Described)


def described(default: Number, least: Number, most: Number, sentence: str) -> Number:
    """Return a data class's field: a number from ``least`` to ``most``, and what it is with its source."""
    value: Number = field(default=default, metadata={"bounds": (least, most), "sentence": sentence})
    return value


def check(values: Described) -> None:
    """Raise UsageError where a value is out of its bounds."""
    for one in fields(values):
        least, most = one.metadata["bounds"]
        value = getattr(values, one.name)
        if not least <= value <= most:
            told = [f"{n:,}" if isinstance(n, int) else f"{n:g}" for n in (value, least, most)]
            raise UsageError(f"{one.name} is {told[0]}, not from {told[1]} to {told[2]}")


def sentences(values: Described | type[Described]) -> dict[str, str]:
    """Return what each number is, by name, in order."""
    return {one.name: one.metadata["sentence"] for one in fields(values)}


def with_texts(values: AnyDescribed, texts: Mapping[str, str]) -> AnyDescribed:
    """Return the numbers with some given as text; raises UsageError for unknown names and for no numbers."""
    known = {one.name: type(one.default) for one in fields(values)}
    given: dict[str, Any] = {}
    for name, text in texts.items():
        if name not in known:
            raise UsageError(f"--set: {name!r} is not one of {', '.join(known)}")
        given[name] = whole(name, text) if known[name] is int else number(name, text)
    return replace(values, **given)


def whole(name: str, text: str) -> int:
    """Return the whole number that a setting's text is; raises UsageError for another text."""
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"--set: {name} takes a whole number, not {text!r}") from None


def number(name: str, text: str) -> float:
    """Return the number that a setting's text is; raises UsageError for another text."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--set: {name} takes a number, not {text!r}") from None
