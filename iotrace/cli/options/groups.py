"""Options that several commands share, as groups: each is declared once, on a field of its group."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, field, fields
from typing import Annotated, Any, get_type_hints

import typer

Command = Callable[..., None]
RARE = "Rare options"
"""The panel of options that only ``--help-all`` shows."""


class Group:
    """A data class whose fields are options, or groups; a command has them by a parameter of that type."""


def declared(default: Any, help: str, *names: str, rare: bool = False, **others: Any) -> Any:
    """Declare a field as an option of its name, or of `names` where the first is long; the others are Typer's."""
    panel = {"rich_help_panel": RARE} if rare else {}
    return field(default=default, metadata={"option": (names, {"help": help, **panel, **others})})


def grouped(command: Command) -> Command:
    """Give a command the options of each group in the place of the parameter whose type the group is."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    groups = {one.name: one.annotation for one in own if _is_group(one.annotation)}

    @functools.wraps(command)
    def run(**given: Any) -> None:
        made = {name: _made(group, given) for name, group in groups.items()}
        command(**given, **made)

    options = [
        option for one in own for option in (_options(groups[one.name]) if one.name in groups else [one])
    ]
    return with_parameters(run, options)


def with_parameters(command: Command, parameters: list[inspect.Parameter]) -> Command:
    """Declare the parameters of a command as Typer reads them."""
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _is_group(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Group)


def _options(group: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for one in fields(group):
        if _is_group(hints[one.name]):
            yield from _options(hints[one.name])
        else:
            default = inspect.Parameter.empty if one.default is MISSING else one.default
            kind, annotation = inspect.Parameter.KEYWORD_ONLY, _annotation(one, hints[one.name])
            yield inspect.Parameter(one.name, kind, default=default, annotation=annotation)


def _annotation(one: Field[Any], hint: Any) -> Any:
    if "option" not in one.metadata:
        return hint
    names, arguments = one.metadata["option"]
    if not any(name.startswith("--") for name in names):
        names = (f"--{one.name.replace('_', '-')}", *names)
    return Annotated[hint, typer.Option(*names, **arguments)]


def _made(group: Any, given: dict[str, Any]) -> Any:
    """Return a group with the values of its options, which are taken out of those given."""
    hints = get_type_hints(group)
    return group(
        **{
            one.name: _made(hints[one.name], given) if _is_group(hints[one.name]) else given.pop(one.name)
            for one in fields(group)
        }
    )
