"""Options that several commands share, as groups: each is declared once, on a field of its group."""

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
    """Give a command the options of each group instead of the parameter whose type the group is."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    groups = {place.name: place.annotation for place in own if _is_group(place.annotation)}

    @functools.wraps(command)
    def run(**given: Any) -> None:
        made = {name: _made(group, given) for name, group in groups.items()}
        command(**given, **made)

    options = [
        option
        for place in own
        for option in (_options(groups[place.name]) if place.name in groups else [place])
    ]
    return with_parameters(run, options)


def with_parameters(command: Command, parameters: list[inspect.Parameter]) -> Command:
    """Declare the parameters of a command as Typer reads them."""
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {place.name: place.annotation for place in parameters}
    return command


def _is_group(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Group)


def _options(group: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for member in fields(group):
        if _is_group(hints[member.name]):
            yield from _options(hints[member.name])
        else:
            default = inspect.Parameter.empty if member.default is MISSING else member.default
            kind, annotation = inspect.Parameter.KEYWORD_ONLY, _annotation(member, hints[member.name])
            yield inspect.Parameter(member.name, kind, default=default, annotation=annotation)


def _annotation(member: Field[Any], hint: Any) -> Any:
    if "option" not in member.metadata:
        return hint
    names, arguments = member.metadata["option"]
    if not any(name.startswith("--") for name in names):
        names = (f"--{member.name.replace('_', '-')}", *names)
    return Annotated[hint, typer.Option(*names, **arguments)]


def _made(group: Any, given: dict[str, Any]) -> Any:
    """Return a group with the values of its options, which are taken out of those given."""
    hints = get_type_hints(group)
    return group(
        **{
            member.name: _made(hints[member.name], given)
            if _is_group(hints[member.name])
            else given.pop(member.name)
            for member in fields(group)
        }
    )
