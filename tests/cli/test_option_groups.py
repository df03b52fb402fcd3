"""Options of groups: a command's parameters, and the values that they become."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from iotrace.cli.options.groups import Group, declared, grouped
from iotrace.errors import UsageError


@dataclass(frozen=True)
class Inner(Group):
    deep: int = declared(3, "How deep.", "-d", min=1)


@dataclass(frozen=True, kw_only=True)
class Outer(Group):
    plain: Annotated[str, typer.Option("--plain", help="Plain.")] = "p"
    with_words: bool = declared(False, "Another name.", "--named")
    inner: Inner

    def __post_init__(self) -> None:
        if self.plain == "bad":
            raise UsageError("plain is bad")


@grouped
def command(first: str, *, outer: Outer, last: Annotated[int, typer.Option("--last")] = 0) -> None:
    """A command."""
    print(first, outer, last)


def ran(*words: str) -> str:
    app = typer.Typer()
    app.command()(command)
    done = CliRunner().invoke(app, list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output.strip()


def test_values_of_options_become_groups() -> None:
    usual = Outer(inner=Inner())
    assert ran("a") == f"a {usual} 0"
    made = Outer(plain="x", with_words=True, inner=Inner(deep=5))
    assert ran("a", "--plain", "x", "--named", "-d", "5", "--last", "2") == f"a {made} 2"


def test_options_stand_in_the_group_s_place() -> None:
    shown = ran("--help")
    places = [shown.index(name) for name in ("--plain", "--named", "--deep", "--last")]
    assert places == sorted(places)
    assert "--with-words" not in shown


def test_a_group_refuses_what_makes_no_sense() -> None:
    with pytest.raises(UsageError, match="plain is bad"):
        ran("a", "--plain", "bad")
    assert "deep" in ran("a", "--deep", "0")
