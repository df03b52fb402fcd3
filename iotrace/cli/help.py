"""The pages of ``--help``: the common options in two columns, and the rest with ``--help-all``."""

import contextlib
import functools
import inspect
import re
import shutil
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from typer.core import TyperCommand, TyperGroup

from iotrace.cli.options.groups import RARE, Command, checked, kinds_of, with_parameters
from iotrace.cli.options.memory import with_memory
from iotrace.cli.terminal import print
from iotrace.errors import UsageError
from iotrace.files.addresses import is_address
from iotrace.files.inputs import read_by_command, refuse_protected
from iotrace.files.remote import Place, located
from iotrace.option.rules import Kind

WIDTH = 100
"""A page is no wider, however wide the terminal is."""
COMMENT = 30
"""Where the comment on an example begins that does not fit on its line."""
CLICK_ERROR: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")
"""The base class of the errors of the options library; newer versions of typer include it, older ones import it."""
NAMES_WIDTH = 26
"""Of the column of names; a longer name has a separate line."""


def with_help_all(command: Command) -> Command:
    """Give a command the option that shows all options; its help lists it only if some are rare."""
    parameters = list(inspect.signature(command, eval_str=True).parameters.values())
    is_listed = any(
        _is_rare(part)
        for parameter in parameters
        for part in (*get_args(parameter.annotation), parameter.default)
    )
    declared = typer.Option(
        "--help-all",
        is_eager=True,
        callback=_show_all,
        help="Show all options, and exit.",
        hidden=not is_listed,
    )

    @functools.wraps(command)
    def run(*arguments: Any, help_all: bool, **given: Any) -> None:
        command(*arguments, **given)

    shown = inspect.Parameter(
        "help_all", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Annotated[bool, declared]
    )
    return with_parameters(run, [*parameters, shown])


def _is_rare(declared: Any) -> bool:
    return getattr(declared, "rich_help_panel", None) == RARE


def _show_all(context: typer.Context, is_given: bool) -> None:
    if is_given:
        context.meta[RARE] = True
        context.get_help()
        raise typer.Exit


class _PlainHelp:
    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the page, through the one place that says where a full standard output is."""
        print(page(self, ctx), end="")

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows a command's name: arguments in capitals."""
        pieces: list[str] = super().collect_usage_pieces(ctx)  # type: ignore[misc]
        return [_placeholder(piece) for piece in pieces]


class HelpCommand(_PlainHelp, TyperCommand):
    """A command whose help is plain text, and whose outputs spare its inputs."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command; raises UsageError for an output that is an input, or lies in one."""
        with read_by_command(list(_inputs(ctx))):
            for parameter in filter(is_output, self.params):
                if (output := ctx.params.get(parameter.name)) is not None:
                    refuse_protected(located(output), "-o" if "-o" in parameter.opts else parameter.opts[0])
            return super().invoke(ctx)


def _inputs(context: Any) -> Iterator[Place]:
    """Yield what a command is given to read: paths that do not name what is written, words that name a file, addresses.

    Of a command that runs another program's words (`iotrace record`), those are not read by this program.
    """
    if not context.allow_interspersed_args:
        return
    for parameter in context.command.params:
        value = context.params.get(parameter.name)
        for item in value if isinstance(value, list | tuple) else [value]:
            if (isinstance(item, Path) and not is_output(parameter)) or (
                type(item) is str and re.search(r"[./]", item) and (_is_file(item) or is_address(item))
            ):
                yield located(item)


def _is_file(name: str) -> bool:
    """Return whether a word is the name of a file; a query can be too long to be one."""
    with contextlib.suppress(OSError, ValueError):
        return Path(name).is_file()
    return False


def is_output(parameter: Any) -> bool:
    """Return whether a parameter names what is written: only such a one has a parser that makes a path."""
    return hasattr(parameter.type, "func")


class HelpGroup(_PlainHelp, TyperGroup):
    """A group of commands whose help is plain text, the commands by panel; words that fit no command are one line."""

    def make_context(self, *words: Any, **settings: Any) -> Any:
        """Take the words before the command; raises UsageError for those that do not fit."""
        with _one_line_errors():
            return super().make_context(*words, **settings)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; raises UsageError for words that do not fit it."""
        with _one_line_errors():
            return super().invoke(ctx)


@contextlib.contextmanager
def _one_line_errors() -> Iterator[None]:
    try:
        yield
    except CLICK_ERROR as error:
        sentence = " ".join(error.format_message().split()).replace("Value error, ", "").rstrip(".")
        if not sentence:  # a group without a command, whose help is printed
            raise
        help = f"; see {error.ctx.command_path} --help" if getattr(error, "ctx", None) else ""
        raise UsageError(sentence + help) from None


class Commands(typer.Typer):
    """Commands whose help is plain text."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"cls": HelpGroup} | settings)

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Command], Command]:  # type: ignore[override]
        """Register a command."""
        register = super().command(name, **{"cls": HelpCommand} | settings)
        return lambda command: register(with_help_all(with_memory(checked(command))))

    def listed(self, name: str, panel: str, sentence: str) -> None:
        """Register a command for help alone, by what it does in a sentence."""
        super().command(name, cls=HelpCommand, rich_help_panel=panel, help=sentence)(_nothing)


def _nothing() -> None:
    pass


def sentence(command: Any) -> str:
    """Return the first sentence of a command's help."""
    return re.split(r"(?<=\.)\s", inspect.cleandoc(command.help or ""), maxsplit=1)[0]


def page(command: Any, context: Any) -> str:
    """Return the help of a command: usage, what it does, examples, arguments, options; with all options, notes."""
    width = min(shutil.get_terminal_size().columns, WIDTH)
    examples, notes = _examples_and_notes(inspect.cleandoc(command.epilog or ""))
    description = inspect.cleandoc(command.help or "")
    if context.meta.get(RARE) and kinds_of(command.callback):  # so that its many options are seen at once
        description, examples, notes = description.partition("\n\n")[0], "", ""
    parts = [
        f"Usage: {' '.join([context.command_path, *command.collect_usage_pieces(context)])}",
        _filled(description, width),
        _marked(examples, width),
        *_commands(command, context, width),
        *_parameters(command, context, width),
        _marked(notes, width) if context.meta.get(RARE) else "",
    ]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _examples_and_notes(epilog: str) -> tuple[str, str]:
    """Part an epilog at its headings; one without examples is short, and shown in their place."""
    sections = re.split(r"\n\n+(?=\[b\])", epilog)
    examples = [section for section in sections if "[b]Examples[/b]" in section] or sections[:1]
    return "\n\n".join(examples), "\n\n".join(section for section in sections if section not in examples)


def _placeholder(piece: str) -> str:
    """Return an argument's place in capitals: {trace} and [names]... as typer writes them, or in braces alone.

    Several places are as they were declared.
    """
    if piece.startswith("{") and " " in piece:
        return piece[1:-1]
    name = re.fullmatch(r"([\[{]?)([\w .]+?)(?:\.\.\.)?[\]}]?(\.\.\.)?", piece)
    if name is None or piece == "[OPTIONS]":
        return piece
    shown = f"{name[2].upper()}{'...' if '...' in piece else ''}"
    return f"[{shown}]" if name[1] == "[" else shown


def _filled(text: str, width: int) -> str:
    return "\n\n".join(textwrap.fill(paragraph, width) for paragraph in text.split("\n\n"))


def _marked(text: str, width: int) -> str:
    """Return a text without its marks, whose lines fit: prose is filled, indented lines are kept."""
    return "\n\n".join(_block(_plain(block), width) for block in re.split(r"\n\n+", text))


def _block(text: str, width: int) -> str:
    if re.search(r"^ ", text, re.MULTILINE):
        return "\n".join(_folded(line, width) for line in text.split("\n"))
    return textwrap.fill(text, width, break_on_hyphens=False)


def _folded(line: str, width: int) -> str:
    """Return a line that is too long as several: what a command does comes below it."""
    if len(line) <= width:
        return line
    if line.startswith(" iotrace"):
        command, *comment = re.split(r" {3,}", line.rstrip(), maxsplit=1)
        return "\n".join([_continued(command, width), *(_wrapped(text, width, COMMENT) for text in comment)])
    is_comment = len(line) - len(line.lstrip()) >= COMMENT
    return _wrapped(line.strip(), width, COMMENT if is_comment else len(line) - len(line.lstrip()))


def _continued(command: str, width: int) -> str:
    """Return a command that is too long as several lines, each from an option on, which a shell reads as one."""
    lines = [""]
    for part in re.split(r" (?=--?[a-z])", command):
        longer = f"{lines[-1]} {part}" if lines[-1] else part
        if len(longer) <= width - 2:
            lines[-1] = longer
        else:
            lines.append(f"    {part}")
    return " \\\n".join(filter(None, lines))


def _wrapped(text: str, width: int, indent: int) -> str:
    return textwrap.indent(textwrap.fill(text, width - indent, break_on_hyphens=False), " " * indent)


def _plain(text: str) -> str:
    return re.sub(r"\[/?[bi]\]", "", text)


def _commands(command: Any, context: Any, width: int) -> Iterator[str]:
    """Yield the commands of a group, a section for each panel."""
    if not isinstance(command, TyperGroup):
        return
    panels: dict[str, list[tuple[str, str]]] = {}
    for name in command.list_commands(context):
        listed: Any = command.get_command(context, name)
        if not listed.hidden:
            panel = getattr(listed, "rich_help_panel", None) or "Commands"
            panels.setdefault(panel, []).append((name, sentence(listed)))
    for panel, rows in panels.items():
        yield _section(panel, rows, width)


def _parameters(command: Any, context: Any, width: int) -> Iterator[str]:
    """Yield the arguments, the common options, and how many are rare; or all options, by kind where they have one."""
    is_whole = bool(context.meta.get(RARE))
    kinds = kinds_of(command.callback) if is_whole else {}
    others = "Other options" if kinds else "Options"
    sections: dict[str, list[tuple[str, str]]] = {
        "Arguments": [],
        **{kind: [] for kind in Kind if kinds},
        others: [],
    }
    rare = [parameter for parameter in command.get_params(context) if _is_rare(parameter)]
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or (parameter in rare and not is_whole):
            continue
        if parameter.param_type_name == "argument":
            title = "Arguments"
        else:
            title = kinds.get(parameter.name) or (RARE if parameter in rare and not kinds else others)
        sections.setdefault(title, []).append(_row(*record))
    for title, rows in sections.items():
        if rows:
            yield _section(title, rows, width)
    if rare and not is_whole:
        yield f"{len(rare)} more options: {context.command_path} --help-all"


def _row(names: str, help: str) -> tuple[str, str]:
    """Return an option's names and help; a choice of words moves to the end of its help."""
    names = re.sub(r"(\.\.\.)? <list\[\w+\]>$", "...", names)
    help = re.sub(r"default: \((.*?)\)", r"default: \1", _plain(help))
    help = re.sub(r"(?:; |(?<=\[))(?:x>=[01]|0<=x<=100)(?=\])", "", help).replace("  []", "")
    choice = re.search(r" <([^<>]*\|[^<>]*)>(,\.\.\.)?$", names)
    if choice is None:
        names = re.sub(r" <[\w ]*range>$", " NUMBER", names)
        return re.sub(r" <[\w ]*?(\w+)\]?>$", lambda match: f" {match[1].upper()}", names), help
    sentence, _, extra = help.partition("  [")
    default = re.search(r"default: ([^\];]+)", extra)
    choices = [
        f"{word} [default]" if default and word == default[1] else word for word in choice[1].split("|")
    ]
    required = "  [required]" if "required" in extra else ""
    return f"{names[: choice.start()]} WORD{choice[2] or ''}", f"{sentence} ({', '.join(choices)}){required}"


def _section(title: str, rows: Sequence[tuple[str, str]], width: int) -> str:
    """Return rows in two columns under a heading."""
    column = min(max(len(name) for name, _ in rows), NAMES_WIDTH)
    lines = [f"{title}:"]
    for name, help in rows:
        wrapped = textwrap.wrap(" ".join(help.split()), width - column - 4, break_on_hyphens=False) or [""]
        if len(name) > column:
            lines.append(f"  {name}")
        else:
            lines.append(f"  {name:<{column}}  {wrapped.pop(0)}".rstrip())
        lines += [f"{'':<{column + 4}}{line}" for line in wrapped]
    return "\n".join(lines)
