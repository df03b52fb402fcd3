"""The words of ``iotrace sql``: traces, and a query, which may begin with a comment, or is in a file."""

import re
import sys
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any

from iotrace.cli.help import HelpCommand
from iotrace.errors import UsageError


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
    """Return a trace as a user names it: PATH, or NAME=PATH where there is no file PATH of these characters."""
    if (match := _NAMED.fullmatch(word)) and not Path(word).exists():
        return match[1], Path(match[2])
    return None, Path(word)


def traces_and_query(words: Sequence[str], file: Path | None) -> tuple[list[tuple[str | None, Path]], str]:
    """Return the traces, and the query: the last word, or what is in the file.

    Raises UsageError where there is no query, and as `query_text`.
    """
    given = list(words)
    query = given.pop() if file is None and len(given) > 1 and not _is_trace(given[-1]) else None
    return [named_path(word) for word in given], query_text(query, file)


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
