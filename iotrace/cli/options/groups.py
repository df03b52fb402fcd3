"""Options that several commands share, as groups: each is declared once, on a field of its group."""

import functools
import inspect
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, field, fields
from enum import StrEnum
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo

from iotrace.files.remote import Address, here, located
from iotrace.option import Option
from iotrace.option.rules import Given, Kind, Ruled, Rules, check

Command = Callable[..., None]
RARE = "Rare options"
"""The panel of options that only ``--help-all`` shows."""


class Group:
    """A data class whose fields are options, or groups; a command has them by a parameter of that type."""


def declared(
    default: Any,
    help: str | None = None,
    *names: str,
    kind: Kind | None = None,
    needs: Iterable[str] = (),
    conflicts: Mapping[str, str] | Iterable[str] = (),
    only_for: StrEnum | None = None,
    exempt: Iterable[Any] = (),
    rare: bool = False,
    **others: Any,
) -> Any:
    """Declare a field as an option of its name, or of `names` where the first is long; the others are Typer's.

    Without help the field's type has the option. The rules are those of `Rules`.
    """
    rules = Rules.of(needs, conflicts, only_for, kind, exempt)
    if help is None:
        return field(default=default, metadata={"rules": rules})
    panel = {"rich_help_panel": RARE} if rare else {}
    return field(
        default=default,
        metadata={"rules": rules, "option": (names, {"help": rules.help(help), **panel, **others})},
    )


def grouped(command: Command) -> Command:
    """Give a command the options of each group instead of the parameter whose type the group is."""
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    groups = {
        parameter.name: parameter.annotation for parameter in parameters if _is_group(parameter.annotation)
    }

    @functools.wraps(command)
    def run(**given: Any) -> None:
        made = {name: _made(group, given) for name, group in groups.items()}
        command(**given, **made)

    options = [
        option
        for parameter in parameters
        for option in (_options(groups[parameter.name]) if parameter.name in groups else [parameter])
    ]
    return with_parameters(run, options)


def checked(command: Command) -> Command:
    """Make a command raise UsageError where its options break each other's rules.

    Paths that name object storage are addresses for it where it takes a `Place`, and refused elsewhere. A parameter of
    type `Given`, which is not an option, has those that are given.
    """
    parameters = list(inspect.signature(command, eval_str=True).parameters.values())
    names = [parameter.name for parameter in parameters if parameter.annotation is Given]
    shown = [parameter for parameter in parameters if parameter.name not in names]
    options = list(with_rules(shown))
    taking = {parameter.name for parameter in shown if _takes_addresses(parameter.annotation)}
    called = {parameter.name: _called(parameter) for parameter in shown}

    @functools.wraps(command)
    def run(**given: Any) -> None:
        given = {
            name: _located(value, None if name in taking else called.get(name))
            for name, value in given.items()
        }
        command(**given, **dict.fromkeys(names, check(options, given)))

    return with_parameters(run, [_of_paths(parameter) for parameter in shown])


def _located(value: Any, refused_by: str | None) -> Any:
    """Return places for paths; raises UsageError for an address where something that is called so takes none."""
    if isinstance(value, list | tuple):
        return type(value)(_located(one, refused_by) for one in value)
    if not isinstance(value, Path):
        return value
    place = located(value)
    return place if refused_by is None else here(place, refused_by)


def _takes_addresses(annotation: Any) -> bool:
    return annotation is Address or any(map(_takes_addresses, get_args(annotation)))


def _of_paths(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return a parameter as Typer reads it, which knows paths and no addresses."""
    return parameter.replace(annotation=_without_addresses(parameter.annotation))


def _without_addresses(annotation: Any) -> Any:
    if not _takes_addresses(annotation):
        return annotation
    kinds = [_without_addresses(kind) for kind in get_args(annotation) if kind is not Address]
    origin = get_origin(annotation)
    if origin is Annotated:
        return Annotated[tuple(kinds)]
    return functools.reduce(operator.or_, kinds) if origin in (Union, UnionType) else origin[*kinds]


def _called(parameter: inspect.Parameter) -> str:
    """Return what users call a parameter: ``-o``, an option's long name, or an argument's."""
    option = next((hint for hint in _hints(parameter) if isinstance(hint, OptionInfo)), None)
    argument = next((hint for hint in _hints(parameter) if isinstance(hint, ArgumentInfo)), None)
    if option is not None:
        is_output = "-o" in (option.default, *(option.param_decls or ()))
        return "-o" if is_output else _names(option, parameter.name).partition("/")[0]
    return (argument and argument.metavar) or parameter.name.upper()


def with_parameters(command: Command, parameters: list[inspect.Parameter]) -> Command:
    """Declare the parameters of a command as Typer reads them."""
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def with_rules(parameters: Iterable[inspect.Parameter]) -> Iterator[Ruled]:
    """Yield the options among parameters of a command; those that declare no rules have none."""
    for parameter in parameters:
        hints = _hints(parameter)
        option = next((hint for hint in hints if isinstance(hint, OptionInfo)), None)
        rules = next((hint for hint in hints if isinstance(hint, Rules)), Rules())
        if option is not None:
            name, _, opposite = _names(option, parameter.name).partition("/")
            is_setting = any(isinstance(hint, Option) for hint in hints)
            yield Ruled(name, parameter.name, parameter.default, rules, opposite or None, is_setting)


def _hints(parameter: inspect.Parameter) -> tuple[Any, ...]:
    return get_args(parameter.annotation) if get_origin(parameter.annotation) is Annotated else ()


def kinds_of(command: Command) -> dict[str, Kind]:
    """Return what each option of a command is about, by its parameter; none for a command without all kinds."""
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    kinds = {option.parameter: option.rules.kind for option in with_rules(parameters)}
    known = {name: kind for name, kind in kinds.items() if kind is not None}
    return known if len(set(known.values())) == len(Kind) else {}


def _names(option: OptionInfo, parameter: str) -> str:
    """Return an option's long name; of a flag with its opposite, after a slash."""
    declarations = [option.default, *(option.param_decls or ())]
    long = (word for word in declarations if isinstance(word, str) and word.startswith("--"))
    return next(long, f"--{parameter.replace('_', '-')}")


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
    if "rules" not in member.metadata:
        return hint
    rules = member.metadata["rules"]
    if "option" not in member.metadata:
        return Annotated[hint, rules]
    names, arguments = member.metadata["option"]
    if not any(name.startswith("--") for name in names):
        names = (f"--{member.name.replace('_', '-')}", *names)
    return Annotated[hint, typer.Option(*names, **arguments), rules]


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
