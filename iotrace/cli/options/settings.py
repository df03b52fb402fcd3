"""Options of a command made from settings, in which each is declared once."""

from __future__ import annotations

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
    """Give a command the options of settings in the place of a parameter, which becomes the settings typed.

    Where fields without a default are missing, it becomes a function that takes them and returns the settings. An
    option of several values is a sweep over them, in the command's parameter of that name. Refusals that begin with
    the name of a field name the option. ``without`` has the fields whose options the command does not have.
    """
    known = [one for one in options(settings) if not one.only_swept and one.field not in without]
    is_whole = all(one.default is not MISSING or "help" in one.metadata for one in fields(settings))
    names = {one.field: one.name for one in options(settings)}

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def run(**given: Any) -> None:
            texts = {one: given.pop(_parameter(one)) for one in known}
            with _named_by_options(names):
                made = functools.partial(settings, **_values(texts))
                if any(one.several is not None for one in known):
                    given[SWEEP] = _sweeps(texts, given[SWEEP] or [])
                command(**given, **{parameter: made() if is_whole else made})

        own = inspect.signature(command, eval_str=True).parameters.values()
        parameters = [
            one for place in own for one in (map(_declared, known) if place.name == parameter else [place])
        ]
        return with_parameters(run, parameters)

    return decorate


def named_fields(context: typer.Context, settings: type) -> set[str]:
    """Return the fields of settings whose options somebody typed."""
    return {one.field for one in named_options(context, settings)}


def named_options(context: typer.Context, settings: type) -> list[Option]:
    """Return the options of settings that somebody typed."""
    return [one for one in options(settings) if was_given(context, _parameter(one))]


def _parameter(one: Option) -> str:
    return one.name.replace("-", "_") + ("_" if iskeyword(one.name) else "")


def _declared(one: Option) -> inspect.Parameter:
    """Return an option as Typer declares it; what is no word of it is refused in one line, by `Option.read`."""
    is_choice = bool(one.words) and one.kind.read is str.strip
    kind: Any = list[str] if one.kind.is_repeated or one.several is not None else str
    default: Any = None
    name = f"--{one.name}"
    if one.kind is FLAG:
        kind, default = bool, one.default
        opposite = one.opposite or (f"no-{one.name}" if default else None)
        name += f"/--{opposite}" if opposite else ""
    elif one.several:
        default = [",".join(map(one.typed, one.several))]
    elif kind is str and (one.default is not None or one.kind.none):
        default = one.typed(one.default)
    declared = typer.Option(
        name,
        *one.also,
        help=one.help,
        rich_help_panel=RARE if one.rare else None,
        metavar=None if kind is bool else _metavar(one, is_choice),
        show_default=default is not None,
        autocompletion=(lambda: list(one.words)) if is_choice and kind is str else None,
    )
    return inspect.Parameter(
        _parameter(one),
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if one.is_required else default,
        annotation=Annotated[kind if one.is_required or default is not None else kind | None, declared],
    )


def _metavar(one: Option, is_choice: bool) -> str:
    one_value = f"<{'|'.join(one.words)}>" if is_choice else one.kind.metavar
    return one_value if one.several is None else f"{one_value},..."


def _values(texts: Mapping[Option, Any]) -> dict[str, Any]:
    """Return the fields that the texts of options set; one without a text has its default."""
    values = {one.field: one.default for one in texts}
    for one, text in texts.items():
        if text is None or one.several is not None:
            continue
        try:
            if one.kind.is_repeated:
                value: Any = tuple(map(one.read, text))
            else:
                value = text if one.kind is FLAG else one.read(text)
        except UsageError as error:
            raise UsageError(f"--{one.name}: {error}") from None
        values |= one.set(value, values)
    return values


def _sweeps(texts: Mapping[Option, Any], sweeps: list[str]) -> list[str]:
    """Return sweeps and those that typed options of several values are."""
    typed = {one: ",".join(text) for one, text in texts.items() if one.several is not None and text}
    return [
        *sweeps,
        *(
            f"{one.name}={text}"
            for one, text in typed.items()
            if text != ",".join(map(one.typed, one.several or ()))
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
