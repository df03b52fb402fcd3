"""The registry of generators: the commands follow from it."""

import importlib
import re

import pytest
import typer
from typer.testing import CliRunner

from iotrace.cli.commands.generate import generate
from iotrace.errors import UsageError
from iotrace.generate.registry import GENERATORS, Generator
from iotrace.generate.settings import NamedValues, Seed
from iotrace.option import options


def helped(*words: str) -> str:
    """Return all of a help, with the options that are rare."""
    shown = ""
    for option in ("--help", "--help-all"):
        if not shown or option in shown:
            shown = CliRunner().invoke(generate, [*words, option], terminal_width=200).output
    return " ".join(shown.split())


def test_every_generator_is_a_command() -> None:
    group = typer.main.get_command(generate)
    assert list(group.commands) == [one.name for one in GENERATORS]  # type: ignore[attr-defined]
    assert all(one.description.split(".")[0][:30] in helped() for one in GENERATORS)


@pytest.mark.parametrize("one", GENERATORS, ids=lambda one: one.name)
def test_a_command_has_the_options_of_its_generator(one: Generator) -> None:
    shown = helped(one.name)
    for settings in one.settings:
        for option in options(settings):
            is_there = re.search(rf"--{option.name}[ ,]", shown) is not None
            assert is_there is (option.field not in one.without), option.name
    assert ("--format " in shown) is one.has_tables
    assert one.subject is None or one.subject.metavar in shown
    assert callable(importlib.import_module(f"iotrace.generate.{one.folder}.generated").generated)


def test_values_by_name() -> None:
    assert NamedValues(("a-b=1", " c =x=y")).texts == {"a_b": "1", "c": "x=y"}
    with pytest.raises(UsageError, match="--set takes NAME=VALUE, not 'a'"):
        NamedValues(("a",))


def test_a_seed_is_not_negative() -> None:
    with pytest.raises(UsageError, match="seed: -1 is below 0"):
        Seed(-1)
