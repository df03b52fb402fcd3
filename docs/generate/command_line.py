"""The page of the command line, from the declarations of commands and options."""

import inspect
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import elements
import typer
from typer.models import ArgumentInfo, CommandInfo, OptionInfo, ParameterInfo

from iotrace.cli import COMMANDS, PANELS, application
from iotrace.cli.help import sentence
from iotrace.cli.options.groups import RARE, with_rules
from iotrace.option.rules import excluded

INTRODUCTION = """\
`iotrace TRACE`, without a command, prints the trace's first screen: where its time goes, what to change, which cache. A
command's name wins (`./report` is the file of that name); several files, or a folder, are as for `ingest`.

`iotrace COMMAND --help` says the same on the terminal. All commands that take a trace accept a store (`NAME.iotrace`)
or a raw trace, and `-` for standard input. Sizes are written `64K`, `1M`, `4G` (powers of 1024), times `10ms`, `5s`,
`2min`. Exit status: 0 success, 1 bad input (also a raw trace that ends too early), 2 usage error, 3 a condition of
`compare --fail-if` holds.
Rare options are those that only `--help-all` shows."""
SENTENCES = '''"""The first sentence of each command's help; docs/generate writes it."""
'''
LINE = 110
"""How long lines of Python are; see pyproject.toml."""
KINDS = ("argument", "option", "rare option")
MARKUP = re.compile(r"\[/?(?:b|bold|i|italic|dim)\]")
WORDS = {Path: "FILE", int: "INTEGER", float: "NUMBER", str: "TEXT"}


@dataclass(frozen=True)
class Command:
    """A command as a person types it, the function that it calls, and what its declaration adds."""

    name: str
    action: Callable[..., None]
    description: str
    epilog: str

    def parameters(self) -> list[tuple[inspect.Parameter, ParameterInfo]]:
        """Return the arguments and options that help shows, or keeps for the long help."""
        declared = inspect.signature(self.action, eval_str=True).parameters.values()
        pairs = [(parameter, _declaration(parameter)) for parameter in declared]
        return [(parameter, info) for parameter, info in pairs if info is not None]


def page() -> str:
    """Return the page."""
    return elements.page("Command line", INTRODUCTION, _contents(), *map(_panel, PANELS))


def sentences() -> str:
    """Return the module with what each command does, so that the help of all need load none."""
    group: Any = typer.main.get_command(application())
    lines = [_item(name, sentence(group.commands[name])) for name in COMMANDS]
    return "\n".join([SENTENCES, "SENTENCES = {", *lines, "}\n"])


def _item(name: str, text: str) -> str:
    """Return an item of a dictionary; a text that is too long for a line is in parts."""
    line = f"    {json.dumps(name)}: {json.dumps(text)},"
    if len(line) <= LINE:
        return line
    parts = [text] if len(json.dumps(text)) + 8 <= LINE else re.findall(r".{1,80}(?: |$)", text)
    return "\n".join(
        [f"    {json.dumps(name)}: (", *(f"        {json.dumps(part)}" for part in parts), "    ),"]
    )


def commands(panel: str) -> Iterator[Command]:
    """Return the commands of one group of the help, in its order."""
    app = application()
    plain = {command.name: command for command in app.registered_commands}
    groups = {command.name: command for command in app.registered_groups}
    for name in PANELS[panel]:
        if name in plain:
            yield _command(plain[name], name)
        else:
            group: Any = groups[name].typer_instance
            for member in group.registered_commands:
                yield _command(member, f"{name} {member.name or member.callback.__name__.replace('_', '-')}")


def _command(info: CommandInfo, name: str) -> Command:
    action: Any = info.callback
    return Command(name, action, inspect.cleandoc(info.help or action.__doc__ or ""), info.epilog or "")


def _contents() -> str:
    rows = [
        (f"[{command.name}](#{command.name.replace(' ', '-')})", _first_sentence(command.description), panel)
        for panel in PANELS
        for command in commands(panel)
    ]
    return elements.table(("command", "what it does", "group"), rows)


def _first_sentence(text: str) -> str:
    return text.partition("\n\n")[0]


def _panel(panel: str) -> str:
    return "\n\n".join([f"## {panel}", *map(_section, commands(panel))])


def _section(command: Command) -> str:
    rows: dict[str, list[tuple[str, ...]]] = {kind: [] for kind in KINDS}
    ruled = list(with_rules(parameter for parameter, _ in command.parameters()))
    others = {option.parameter: list(dict.fromkeys(excluded(option, ruled))) for option in ruled}
    for parameter, info in command.parameters():
        rows[_kind(info)].append(_row(parameter, info, others.get(parameter.name, ())))
    parts = [
        f"### {command.name}",
        _escaped(command.description),
        *(elements.table((kind, "value", "default", "description"), rows[kind]) for kind in KINDS),
        _epilog(command.epilog),
    ]
    return "\n\n".join(part for part in parts if part)


def _kind(info: ParameterInfo) -> str:
    if isinstance(info, ArgumentInfo):
        return "argument"
    return "rare option" if info.rich_help_panel == RARE else "option"


def _escaped(text: str) -> str:
    return _plain(text).replace("*", r"\*").replace("<", r"\<")


def _plain(text: str) -> str:
    return MARKUP.sub("", text).replace(r"\[", "[")


def _epilog(text: str) -> str:
    plain = "\n".join(line.rstrip() for line in _plain(text).splitlines())
    return elements.block(plain.strip("\n"), "text") if plain.strip() else ""


def _declaration(parameter: inspect.Parameter) -> ParameterInfo | None:
    declared = [info for info in get_args(parameter.annotation)[1:] if isinstance(info, ParameterInfo)]
    if isinstance(parameter.default, ParameterInfo):
        declared = [parameter.default]
    return declared[0] if declared and not _is_retired(declared[0]) else None


def _is_retired(info: ParameterInfo) -> bool:
    return bool(info.hidden)


def _row(parameter: inspect.Parameter, info: ParameterInfo, others: Sequence[str]) -> tuple[str, ...]:
    not_with = f" Not with {', '.join(map(elements.code, others))}." if others else ""
    return (
        ", ".join(map(elements.code, names(parameter, info))),
        _value(parameter, info),
        _default(parameter, info),
        _escaped(info.help or "") + not_with,
    )


def names(parameter: inspect.Parameter, info: ParameterInfo) -> list[str]:
    """Return the name of an argument, or the names of an option, long ones first."""
    if isinstance(info, ArgumentInfo):
        return [info.metavar or parameter.name.upper()]
    listed = (
        info.default,
        *(info.param_decls or ()),
    )  # Annotated options have their first name as the default
    declared = [word for word in listed if isinstance(word, str) and word.startswith("-")]
    long = [word for word in declared if word.startswith("--")] or [f"--{parameter.name.replace('_', '-')}"]
    return [*long, *(word for word in declared if word not in long)]


def _value(parameter: inspect.Parameter, info: ParameterInfo) -> str:
    kind = _bare(parameter.annotation)
    if isinstance(info, OptionInfo) and info.metavar:
        return elements.code(info.metavar)
    if kind is bool:
        return ""
    choices = _words(kind)
    if choices:
        return ", ".join(map(elements.code, choices))
    return elements.code(WORDS.get(kind, "TEXT")) + _range(info)


def _range(info: ParameterInfo) -> str:
    if info.min is None and info.max is None:
        return ""
    if info.max is None:
        return f" from {info.min:g}"
    return f" to {info.max:g}" if info.min is None else f" {info.min:g} to {info.max:g}"


def _bare(annotation: Any) -> Any:
    """Return the type of one value: without Annotated, None and list."""
    while True:
        members = [member for member in get_args(annotation) if member is not NoneType]
        origin = get_origin(annotation)
        is_wrapped = hasattr(annotation, "__metadata__") or origin in (list, tuple)
        is_optional = origin in (Union, UnionType) and len(members) == 1
        if not is_wrapped and not is_optional:
            return annotation
        annotation = members[0]


def _words(kind: Any) -> list[str]:
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [str(choice.value) for choice in kind]
    return [str(choice) for choice in get_args(kind)] if get_origin(kind) is Literal else []


def _default(parameter: inspect.Parameter, info: ParameterInfo) -> str:
    if isinstance(info.show_default, str):
        return info.show_default
    value = info.default if isinstance(parameter.default, ParameterInfo) else parameter.default
    if value in (inspect.Parameter.empty, Ellipsis):
        return "required"
    if value in (None, False, (), "") or not info.show_default:
        return ""
    values = value if isinstance(value, (list, tuple)) else [value]
    return elements.code(
        ",".join(
            str(each_value.value if isinstance(each_value, Enum) else each_value) for each_value in values
        )
    )
