"""The session of ``iotrace sql TRACE`` on a terminal: queries one after the other, with history and completion."""

import contextlib
import re
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from iotrace.cli import interruption
from iotrace.cli.named_queries import named, names
from iotrace.cli.terminal import print
from iotrace.errors import IotraceError

if TYPE_CHECKING:
    from iotrace.cli.options.query import QueryOutput
    from iotrace.store.query import Session
    from iotrace.store.store import Store
    from iotrace.store.traces import Traces

HELP = """\
SQL ends with a semicolon, and may have several lines. Ctrl-C stops a query, or drops what is typed; Ctrl-D ends.

 .tables            the tables and views, first the wide ones, which need no joins
 .schema NAME       the columns of one, with units and descriptions
 .search WORDS      tables and views for a question
 .joins             which column leads to which table
 .queries           the queries that @NAME; runs: those of the cookbook, and yours
 .help              this
 .quit              ends, as Ctrl-D does"""
HISTORY = "sql_history"
MOST_LINES = 2000
"""How many lines of history are kept."""
PROMPTS = ("sql> ", " ..> ")
WORDS = """
select from where group by order having limit join left anti semi using on as and or not in is null distinct case when
then else end count sum avg min max median quantile_cont between like ilike over partition window with union all
explain describe summarize pivot filter desc asc
"""
"""Words of SQL that completion has."""


def converse(
    source: "Store | Traces", allow_files: bool, values: dict[str, Any], output: "QueryOutput"
) -> None:
    """Read queries from the terminal and print their answers, up to the end of input."""
    from iotrace.store.query import Session

    with contextlib.closing(Session(source, allow_files)) as session, _terminal(source), _interruptible():
        print(f"{source.name}: .help shows what there is besides SQL")
        while True:
            try:
                text = _statement()
                if text is None:
                    return
                _run(session, text, values, output)
            except KeyboardInterrupt:  # just before or after the query
                print("stopped", file=sys.stderr)


def _run(session: "Session", text: str, values: dict[str, Any], output: "QueryOutput") -> None:
    """Run what was typed, up to an interrupt, and print its errors."""
    _interrupts.clear()
    interruption.QUERY.set()
    try:
        _answer(session, text, values, output)
    except Exception as error:
        if not _interrupts and not isinstance(error, IotraceError):
            raise
        print("stopped" if _interrupts else f"iotrace: {error}", file=sys.stderr)
        for line in () if _interrupts else getattr(error, "excerpt", "").splitlines():
            print(line, file=sys.stderr)
    finally:
        interruption.QUERY.clear()
    if _interrupts:
        time.sleep(2 * interruption.NUDGE_SECONDS)  # an interrupt may be under way
        session.settle()


def _answer(session: "Session", text: str, values: dict[str, Any], output: "QueryOutput") -> None:
    if not text.startswith("."):
        text = named(text)
        wanted = set(re.findall(r"\$(\w+)", text))
        for answer in session.answers(
            text, {name: value for name, value in values.items() if name in wanted}
        ):
            output.emit_answers([answer], allow_files=True)
        return
    word, _, rest = text.rstrip("; ").partition(" ")
    ways = {".tables": [], ".schema": ["table"], ".search": ["search"], ".joins": []}
    if word == ".help":
        print(HELP)
    elif text == ".queries":
        print("\n".join(f"{name:<24} {what}" for name, what in names().items()))
    elif word not in ways or bool(ways[word]) != bool(rest.strip()):
        print(f"iotrace: {text}: .help lists what can be typed here", file=sys.stderr)
    else:
        from iotrace.cli.tables.schema import show

        show(output, **{name: rest.strip() for name in ways[word]}, joins=word == ".joins")


def _statement() -> str | None:
    """Return what is typed up to a semicolon that ends a line, or a line that begins with a point; None at the end."""
    lines: list[str] = []
    while True:
        try:
            line = input(PROMPTS[bool(lines)])
        except EOFError:
            print()
            return None
        except KeyboardInterrupt:
            print()
            lines = []
            continue
        except UnicodeDecodeError:
            print("iotrace: what was typed is not UTF-8 text", file=sys.stderr)
            lines = []
            continue
        if not lines and line.strip() in (".quit", ".exit"):
            return None
        if not lines and line.strip().startswith("."):
            return line.strip()
        if lines or line.strip():
            lines.append(line)
        if line.rstrip().endswith(";"):
            return "\n".join(lines)


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C stop the query, and not the program."""
    before = signal.signal(signal.SIGINT, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _stop(number: int, frame: FrameType | None) -> None:
    _interrupts.append(number)
    if not interruption.QUERY.is_set():
        raise KeyboardInterrupt


_interrupts: list[int] = []
"""The interrupts since the last statement: DuckDB's error for a query that one stops has several kinds."""


@contextlib.contextmanager
def _terminal(source: "Store | Traces") -> Iterator[None]:
    """Have history and completion, where Python has readline."""
    try:
        import readline
    except ImportError:
        yield
        return
    from iotrace.store.location import cache_home

    kept = cache_home() / HISTORY
    with contextlib.suppress(OSError):
        readline.read_history_file(kept)
    readline.set_history_length(MOST_LINES)
    readline.set_completer(_Completer(source).complete)
    readline.set_completer_delims(" \t\n,;()=<>+-*/%|.'\"")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        _keep(kept)


def _keep(kept: Path) -> None:
    import readline

    with contextlib.suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.touch(mode=0o600)
        readline.write_history_file(kept)


class _Completer:
    """The words that a line can go on with: tables, views, columns of those that it names, and words of SQL."""

    def __init__(self, source: "Store | Traces") -> None:
        self._names = source.sql_names
        self._schemas = list(getattr(source, "stores", {}))
        self._found: list[str] = []

    def complete(self, text: str, place: int) -> str | None:
        """Return the completion of this number, as readline asks for it."""
        import readline

        if place == 0:
            self._found = self.words(text, readline.get_line_buffer())
        return self._found[place] if place < len(self._found) else None

    def words(self, text: str, line: str) -> list[str]:
        """Return the words that begin so, columns of the tables in the line first."""
        from iotrace import queries

        known = queries.described()
        named = [name for name in dict.fromkeys(re.findall(r"\w+", line)) if name in known and name != text]
        columns = [column.name for name in named for column in known[name].columns]
        every = dict.fromkeys([*columns, *self._names, *self._schemas, *WORDS.split()])
        return [word for word in every if word.startswith(text.lower())]
