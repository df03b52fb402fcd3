"""Options of groups: a command's parameters, the values that they become, and the rules between them."""

import inspect
import re
from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from iotrace.cli import PANELS, application
from iotrace.cli.options.groups import Group, declared, grouped, with_rules
from iotrace.errors import UsageError
from iotrace.option.rules import Caches, Given, Kind, Ruled, Rules, check, excluded


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


SINCE = Ruled("--since", "since", None, Rules(Kind.PART))
STATE = Ruled("--state", "state", False, Rules(conflicts={Kind.PART: "states are of records"}))
SAMPLE = Ruled("--sample", "sample", None, Rules(conflicts={"--state": ""}))
MEMORY = Ruled("--memory", "memory", None, Rules(needs=("--sample auto",), only_for=Caches.BLOCKS))
COALESCE = Ruled("--coalesce", "coalesce", None, Rules(conflicts={"--sample": ""}, exempt=("none",)))
RULED = [SINCE, STATE, SAMPLE, MEMORY, COALESCE]


def given(**values: object) -> Given:
    return check(RULED, {option.parameter: values.get(option.parameter, option.default) for option in RULED})


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"memory": "1G"}, "--memory needs --sample auto"),
        ({"memory": "1G", "sample": "0.1"}, "--memory needs --sample auto"),
        ({"sample": "0.1", "state": True}, "--sample cannot be combined with --state"),
        ({"state": True, "since": "5s"}, "--state cannot be combined with --since: states are of records"),
        ({"coalesce": "5", "sample": "auto"}, "--coalesce cannot be combined with --sample"),
    ],
)
def test_options_that_break_a_rule_are_refused(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError, match=f"^{sentence}$"):
        given(**values)


def test_rules_apply_to_what_is_given() -> None:
    assert given().options == []
    assert given(memory="1G", sample=" AUTO ", coalesce="none").options == [SAMPLE, MEMORY]
    assert given(state=True, coalesce="5").options == [STATE, COALESCE]


def test_an_option_of_other_caches_is_refused_once_the_trace_is_known() -> None:
    options = given(memory="1G", sample="auto")
    options.refuse_others("a", Caches.BLOCKS)
    with pytest.raises(
        UsageError, match=r"^a: --memory is for caches of blocks, not for caches of objects; for"
    ):
        options.refuse_others("a", Caches.OBJECTS)


def test_the_page_names_both_sides_of_a_conflict() -> None:
    assert list(excluded(STATE, RULED)) == ["--since", "--sample"]
    assert list(excluded(SINCE, RULED)) == ["--state"]


def test_rules_name_options_of_the_same_command() -> None:
    commands = application().registered_commands
    assert len(commands) > len(PANELS)
    seen = 0
    for one in commands:
        assert one.callback is not None
        ruled = list(with_rules(inspect.signature(one.callback, eval_str=True).parameters.values()))
        names = {option.name for option in ruled}
        for option in ruled:
            words = [*option.rules.needs, *option.rules.conflicts]
            assert set(re.findall(r"--[\w-]+", " ".join(words))) <= names, option.name
            seen += len(words)
    assert seen > 50
