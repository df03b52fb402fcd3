"""Options of a command made from a simulator's settings, in which each is declared once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

import typer

from iotrace.errors import UsageError
from iotrace.simulate.option import Option, options


def takes(
    settings: type, parameter: str = "settings"
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of settings in the place of a parameter, which becomes the settings typed."""
    known = [one for one in options(settings) if not one.only_swept]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(**given: Any) -> None:
            typed = {one.field: _value(one, given.pop(_parameter(one))) for one in known}
            command(**given, **{parameter: settings(**typed)})

        own = inspect.signature(command, eval_str=True).parameters.values()
        parameters = [
            one for place in own for one in (map(_declared, known) if place.name == parameter else [place])
        ]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parameters}
        return run

    return decorate


def named_fields(context: typer.Context, settings: type) -> set[str]:
    """Return the fields of settings whose options somebody typed."""
    from iotrace.cli.options.given import was_given

    return {
        one.field for one in options(settings) if not one.only_swept and was_given(context, _parameter(one))
    }


def _parameter(one: Option) -> str:
    return one.name.replace("-", "_")


def _declared(one: Option) -> inspect.Parameter:
    """Return an option as Typer declares it."""
    kind: Any = StrEnum(one.field, {word.upper(): word for word in one.words}) if one.words else str
    default = None if one.default is None else kind(one.default) if one.words else one.kind.typed(one.default)
    declared = typer.Option(
        f"--{one.name}",
        help=one.help,
        metavar=None if one.words else one.kind.metavar,
        show_default=default is not None,
    )
    return inspect.Parameter(
        _parameter(one),
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind | None if default is None else kind, declared],
    )


def _value(one: Option, typed: str | None) -> Any:
    if typed is None:
        return None
    try:
        return one.read(str(typed))
    except UsageError as error:
        raise UsageError(f"--{one.name}: {error}") from None
