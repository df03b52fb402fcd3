"""The words of ``iotrace sql``: traces, and a query, which may begin with a comment, or is in a file."""

import re
import shutil
import sys
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iotrace.cli.help import HelpCommand
from iotrace.cli.output import Format, Output
from iotrace.cli.terminal import is_unicode, print, visible_lines
from iotrace.errors import IotraceError, UsageError
from iotrace.files import atomic_write
from iotrace.files.outputs import failures_named
from iotrace.files.remote import Place, located
from iotrace.libraries import pa

if TYPE_CHECKING:
    from iotrace.cli.tables.text import Rows
    from iotrace.store.query import Answer


NO_ROWS = "the query gives no rows"
PLAIN_WIDTH = 100
"""The width of charts that are not for a terminal."""
LASTING = "; tables and views that it creates are not kept: add a select to the query, after a semicolon"


@dataclass(frozen=True)
class QueryOutput(Output):
    """Where the answers to a query go, and how null is written."""

    null_text: Annotated[
        str, typer.Option("--null", metavar="TEXT", help="Write this for null, except in JSON and Parquet.")
    ] = ""

    chart: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--chart",
            metavar="KIND X,Y[,BY]",
            is_eager=True,  # what -o is depends on it
            help="Draw the rows as line, bar or heat (X,Y,VALUE): on the terminal, or as PNG, SVG or PDF with -o.",
        ),
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.chart is None:
            return
        from iotrace.reports.pages.query_chart import ENDINGS, wanted

        wanted(*self.chart)
        if self.form is not Format.TABLE:
            raise UsageError(
                f"--chart draws the rows, and --format {self.form.value} writes them: give one of them"
            )
        if self.output is not None and self.output.suffix.lower() not in ENDINGS:
            raise UsageError(
                f"{self.output}: is not a name for a picture, which ends in {', '.join(ENDINGS)}"
            )

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
        if self.chart is not None:
            draw(answers[-1], self.chart, self.output)
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
                self.emit(with_identifiers(answer.rows))


def with_identifiers(rows: "Rows") -> "Rows":
    """Return rows whose columns that are called as identifiers are declared to be some, which have no thousands."""
    from iotrace import queries

    schema = rows.schema
    for place, field in enumerate(schema):
        # what is computed has no plain name, and needs no look into all descriptions
        is_named = pa.types.is_integer(field.type) and field.name.isidentifier()
        if is_named and field.name in queries.identifiers():
            schema = schema.set(place, field.with_metadata({"unit": "identifier"}))
    if schema is rows.schema:
        return rows
    batches = rows.to_batches() if isinstance(rows, pa.Table) else rows
    declared = (pa.RecordBatch.from_arrays(batch.columns, schema=schema) for batch in batches)
    return pa.RecordBatchReader.from_batches(schema, declared)


def draw(answer: "Answer", words: tuple[str, str], output: Place | None) -> None:
    """Draw the rows of a statement on the terminal or into a file; not more are read than a chart can show."""
    from iotrace.cli.tables.chart import drawn
    from iotrace.reports.pages import query_chart

    chart = query_chart.wanted(*words)
    batches: list[pa.RecordBatch] = []
    for batch in answer.batches():
        batches.append(batch)
        if sum(len(one) for one in batches) > query_chart.MOST_ROWS[chart.kind]:
            break
    rows = pa.Table.from_batches(batches, answer.rows.schema)
    if output is None:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else PLAIN_WIDTH
        sys.stdout.write(drawn(rows, chart, width, is_unicode(sys.stdout)))
        sys.stdout.flush()
        return
    plot = query_chart.plot(rows, chart)
    with failures_named(output), atomic_write(output) as unfinished:
        query_chart.write(plot, unfinished, output.suffix)


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


def named_path(word: str) -> tuple[str | None, Place]:
    """Return the schema's name, if one is given, and the path, of PATH or NAME=PATH; an existing file is a PATH."""
    if (match := _NAMED.fullmatch(word)) and not Path(word).exists():
        return match[1], located(match[2])
    return None, located(word)


def traces_and_query(
    words: Sequence[str], file: Path | None, can_converse: bool
) -> tuple[list[tuple[str | None, Place]], str | None]:
    """Return the traces, and the query: the last word, or what is in the file; None for a session on a terminal.

    Raises UsageError without a query and a terminal, and where `query_text` does.
    """
    from iotrace.cli.named_queries import named

    given = list(words)
    query = given.pop() if file is None and len(given) > 1 and not _is_trace(given[-1]) else None
    is_session = (
        can_converse and query is None and file is None and sys.stdin.isatty() and sys.stdout.isatty()
    )
    return [named_path(word) for word in given], None if is_session else named(query_text(query, file))


def _is_trace(word: str) -> bool:
    try:
        return word != "-" and named_path(word)[1].exists()
    except (OSError, ValueError):  # too long for a name
        return False


MOST_QUERY_BYTES = 16 << 20
"""The longest query that is read: one of more is another file, or has no end."""


def query_text(query: str | None, file: Path | None) -> str:
    """Return the query; raises UsageError if there is none, or none that can be read, and OSError for a file."""
    if (query is None) == (file is None):
        raise UsageError("give a query or --file, not both" if query else "give a query, or --file FILE")
    is_input = query == "-" or file == Path("-")
    source = "standard input" if is_input else file or "the query"
    if is_input:
        content = sys.stdin.buffer.read(MOST_QUERY_BYTES + 1)
    elif file is not None:
        with file.open("rb") as opened:
            content = opened.read(MOST_QUERY_BYTES + 1)
    else:
        content = (query or "").encode("utf-8", "surrogateescape")
    if len(content) > MOST_QUERY_BYTES:
        raise UsageError(f"{source}: is longer than {MOST_QUERY_BYTES >> 20} MB, more than any query")
    try:
        text = content.decode("utf-8")
    except UnicodeError:
        raise UsageError(f"{source}: is not UTF-8 text") from None
    if not text.strip():
        raise UsageError("the query is empty")
    return text
