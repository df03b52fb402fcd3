"""The query of ``iotrace sql``: as an argument that may begin with a comment, in a file, or on standard input."""

import re
import sys
from collections.abc import Container
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
        place = file or ("standard input" if query == "-" else "the query")
        raise UsageError(f"{place}: is not UTF-8 text") from None
    if not text.strip():
        raise UsageError("the query is empty")
    return text
