"""The words of ``iotrace sql``: traces, and a query, which may begin with a comment, or is in a file."""

import re
import sys
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iotrace.cli.help import HelpCommand
from iotrace.cli.output import Output
from iotrace.cli.terminal import print, visible_lines
from iotrace.errors import IotraceError, UsageError

if TYPE_CHECKING:
    from iotrace.store.query import Answer


NO_ROWS = "the query gives no rows"
LASTING = "; tables and views that it creates are not kept: add a select to the query, after a semicolon"


@dataclass(frozen=True)
class QueryOutput(Output):
    """Where the answers to a query go, and how null is written."""

    null_text: Annotated[
        str, typer.Option("--null", metavar="TEXT", help="Write this for null, except in JSON and Parquet.")
    ] = ""

    @property
    def null(self) -> str:
        """The text of null values."""
        return self.null_text

    def emit_answers(self, answers: Sequence["Answer"], allow_files: bool) -> None:
        """Write the rows of statements, one after the other; of a plan that is to be read its text.

        Where there are none, say so; raises IotraceError where they were to be in a file.
        """
        if not answers:
            sentence = NO_ROWS if allow_files else f"{NO_ROWS}{LASTING}"
            if self.output is not None:
                raise IotraceError(sentence)
            print(f"iotrace: {sentence}", file=sys.stderr)
            return
        if not self.is_interactive:
            names = [f"result_{place}" for place in range(1, len(answers) + 1)] if len(answers) > 1 else [""]
            self.emit_many(dict(zip(names, (answer.rows for answer in answers), strict=True)))
            return
        for place, answer in enumerate(answers):
            if place:
                sys.stdout.write("\n")
            if answer.is_plan:
                texts = (text for batch in answer.batches() for text in batch.columns[-1].to_pylist())
                sys.stdout.writelines(visible_lines(text.rstrip("\n")) + "\n" for text in texts)
            else:
                self.emit(answer.rows)


_NUMBER = re.compile(r"[+-]?(\d+|(?=\d*\.\d|\d+[.eE])\d*\.?\d*([eE][+-]?\d+)?)")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


def parameters(given: Sequence[str] | None) -> dict[str, Any]:
    """Return the values of ``--param NAME=VALUE``; raises UsageError for what has another form, and for a name twice.

    A value is a number, true, false, null, or else text; text that looks like one of those is in single quotes.
    """
    values: dict[str, Any] = {}
    for word in given or ():
        name, equals, text = word.partition("=")
        if not equals or not re.fullmatch(r"\w+", name):
            raise UsageError(f"--param: {word!r} is not NAME=VALUE")
        if name in values:
            raise UsageError(f"--param: {name} is given twice")
        values[name] = _value(text)
    return values


def _value(text: str) -> Any:
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if not _NUMBER.fullmatch(text):
        return text
    return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)


class QueryCommand(HelpCommand):
    """A command whose query may begin with a comment: ``--`` and anything up to the line's end."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Set a space before such a query, which is then no option."""
        options = {name for parameter in self.params for name in parameter.opts}
        return super().parse_args(ctx, [f" {word}" if _is_comment(word, options) else word for word in args])


def _is_comment(word: str, options: Container[str]) -> bool:
    name, equals, _ = word.partition("=")
    is_option = bool(equals) and name in options
    return word.startswith("--") and re.search(r"\s", word) is not None and not is_option


_NAMED = re.compile(r"([^\W\d]\w*)=(.+)", re.DOTALL)


def named_path(word: str) -> tuple[str | None, Path]:
    """Return the schema's name, if one is given, and the path, of PATH or NAME=PATH; an existing file is a PATH."""
    if (match := _NAMED.fullmatch(word)) and not Path(word).exists():
        return match[1], Path(match[2])
    return None, Path(word)


def traces_and_query(
    words: Sequence[str], file: Path | None, can_converse: bool
) -> tuple[list[tuple[str | None, Path]], str | None]:
    """Return the traces, and the query: the last word, or what is in the file; None for a session on a terminal.

    Raises UsageError without a query and a terminal, and where `query_text` does.
    """
    given = list(words)
    query = given.pop() if file is None and len(given) > 1 and not _is_trace(given[-1]) else None
    is_session = (
        can_converse and query is None and file is None and sys.stdin.isatty() and sys.stdout.isatty()
    )
    return [named_path(word) for word in given], None if is_session else query_text(query, file)


def _is_trace(word: str) -> bool:
    try:
        return word != "-" and named_path(word)[1].exists()
    except (OSError, ValueError):  # too long for a name
        return False


def query_text(query: str | None, file: Path | None) -> str:
    """Return the query; raises UsageError if there is none, or no UTF-8 text, and OSError for an unreadable file."""
    if (query is None) == (file is None):
        raise UsageError("give a query or --file, not both" if query else "give a query, or --file FILE")
    try:
        if file is not None:
            text = file.read_text("utf-8")
        elif query == "-":
            text = sys.stdin.buffer.read().decode("utf-8")
        else:
            text = (query or "").encode("utf-8").decode("utf-8")
    except UnicodeError:
        source = file or ("standard input" if query == "-" else "the query")
        raise UsageError(f"{source}: is not UTF-8 text") from None
    if not text.strip():
        raise UsageError("the query is empty")
    return text
