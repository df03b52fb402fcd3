"""Options of a command made from settings, in which each is declared once."""

import contextlib
import functools
import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, fields
from keyword import iskeyword
from typing import Annotated, Any

import typer

from iotrace.cli.options.given import was_given
from iotrace.cli.options.groups import RARE, Command, with_parameters
from iotrace.errors import UsageError
from iotrace.option import FLAG, Option, options
from iotrace.simulate.sweep import HELP as SWEEP_HELP

SWEEP = "sweep"
SweepOption = Annotated[
    list[str] | None,
    typer.Option(f"--{SWEEP}", metavar="NAME=VALUE,...", show_default=False, help=SWEEP_HELP),
]


def takes(
    settings: type, parameter: str = "settings", without: Collection[str] = ()
) -> Callable[[Command], Command]:
    """Give a command the options of settings instead of a parameter, which becomes the settings typed.

    Where fields without a default are missing, it becomes a function that takes them and returns the settings. An
    option of several values is a sweep over them, in the command's parameter of that name. Refusals that begin with
    the name of a field name the option. ``without`` has the fields whose options the command does not have.
    """
    known = [option for option in options(settings) if option.field not in without]
    is_whole = all(field.default is not MISSING or "help" in field.metadata for field in fields(settings))
    names = {option.field: option.name for option in options(settings)}

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def run(**given: Any) -> None:
            texts = {option: given.pop(_parameter(option)) for option in known}
            with _named_by_options(names):
                built = functools.partial(settings, **_values(texts))
                if any(option.several is not None for option in known):
                    given[SWEEP] = _sweeps(texts, given[SWEEP] or [])
                command(**given, **{parameter: built() if is_whole else built})

        declared_parameters = inspect.signature(command, eval_str=True).parameters.values()
        parameters = [
            each
            for parameter_of_command in declared_parameters
            for each in (
                map(_declared, known) if parameter_of_command.name == parameter else [parameter_of_command]
            )
        ]
        return with_parameters(run, parameters)

    return decorate


def named_fields(context: typer.Context, settings: type) -> set[str]:
    """Return the fields of settings whose options were typed."""
    return {option.field for option in options(settings) if was_given(context, _parameter(option))}


def _parameter(option: Option) -> str:
    return option.name.replace("-", "_") + ("_" if iskeyword(option.name) else "")


def _declared(option: Option) -> inspect.Parameter:
    """Return an option as Typer declares it; what is not a word of it is refused in one line, by `Option.read`."""
    is_choice = bool(option.words) and option.kind.read is str.strip
    kind: Any = list[str] if option.kind.is_repeated or option.several is not None else str
    default: Any = None
    name = f"--{option.name}"
    if option.kind is FLAG:
        kind, default = bool, option.default
        opposite = option.opposite or (f"no-{option.name}" if default else None)
        name += f"/--{opposite}" if opposite else ""
    elif option.several:
        default = [",".join(map(option.typed, option.several))]
    elif kind is str and (option.default is not None or option.kind.none):
        default = option.typed(option.default)
    declared = typer.Option(
        name,
        *option.also,
        help=option.help,
        rich_help_panel=RARE if option.rare else None,
        metavar=None if kind is bool else _metavar(option, is_choice),
        show_default=default is not None,
        autocompletion=(lambda: list(option.words)) if is_choice and kind is str else None,
    )
    return inspect.Parameter(
        _parameter(option),
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if option.is_required else default,
        annotation=Annotated[
            kind if option.is_required or default is not None else kind | None, declared, option.rules, option
        ],
    )


def _metavar(option: Option, is_choice: bool) -> str:
    one_value = f"<{'|'.join(option.words)}>" if is_choice else option.kind.metavar
    return one_value if option.several is None else f"{one_value},..."


def _values(texts: Mapping[Option, Any]) -> dict[str, Any]:
    """Return the fields that the texts of options set; one without a text has its default."""
    values = {option.field: option.default for option in texts}
    for option, text in texts.items():
        if text is None or option.several is not None:
            continue
        try:
            if option.kind.is_repeated:
                value: Any = tuple(map(option.read, text))
            else:
                value = text if option.kind is FLAG else option.read(text)
        except UsageError as error:
            raise UsageError(f"--{option.name}: {error}") from None
        values |= option.set(value, values)
    return values


def _sweeps(texts: Mapping[Option, Any], sweeps: list[str]) -> list[str]:
    """Return sweeps and those that typed options of several values are."""
    typed = {option: ",".join(text) for option, text in texts.items() if option.several is not None and text}
    return [
        *sweeps,
        *(
            f"{option.name}={text}"
            for option, text in typed.items()
            if text != ",".join(map(option.typed, option.several or ()))
        ),
    ]


@contextlib.contextmanager
def _named_by_options(options: Mapping[str, str]) -> Iterator[None]:
    """Name the option, where a UsageError begins with the name of a setting (``block_bytes is 0``: ``--block is 0``).

    ``options`` has the option, without its dashes, of each setting's name.
    """
    try:
        yield
    except UsageError as error:
        name, rest = re.fullmatch(r"(\w*)(.*)", str(error), re.DOTALL).groups()  # type: ignore[union-attr]
        if name not in options or not rest.startswith((": ", " is ")):
            raise
        raise UsageError(f"--{options[name]}{rest}") from None
