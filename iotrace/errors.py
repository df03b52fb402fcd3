"""The errors that a user sees: one line each, and an exit code."""

import errno
import os
import re
from collections.abc import Iterator, Sequence


class IotraceError(Exception):
    """Something that the user can understand and act on; shown as one line, exit code 1."""

    exit_code = 1


class UnusableStoreError(IotraceError):
    """The store is corrupt."""


class MemoryLimitError(IotraceError):
    """More memory is needed than --memory allows: `limit_bytes`, where it is known what suffices."""

    def __init__(self, message: str, limit_bytes: int | None = None) -> None:
        super().__init__(message)
        self.limit_bytes = limit_bytes


class UsageError(IotraceError):
    """The command's words do not fit together; exit code 2."""

    exit_code = 2


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, then what it came from, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def is_interruption(error: BaseException | None) -> bool:
    """Return whether an error, or what it came from, is DuckDB's answer to an interruption from outside.

    Queries that take nearly all memory are interrupted, too: what comes of that is a shortage.
    """
    for cause in chain(error):
        if isinstance(cause, MemoryLimitError):
            return False
        if isinstance(cause, KeyboardInterrupt) or (
            type(cause).__name__ in ("InterruptException", "RuntimeError", "ArrowInvalid", "OSError")
            and re.search(r"interrupt", str(cause), re.IGNORECASE)
        ):
            return True
    return False


_UNKNOWN_COLUMN = re.compile(r'Binder Error: Referenced column "(?P<name>.*)" not found in FROM clause!')
_CANDIDATES = "Candidate bindings: "
_TOO_LARGE = re.compile(
    r"Conversion Error: Type INT128 with value (?P<value>-?\d+) .* destination type INT64"
)


_OUT_OF_MEMORY = "Out of Memory Error"
SHORTAGE_OF_QUERY = (
    "this query needs more memory: it may take half of --memory less 160 MB for Python and its libraries (1 GB without"
    " --memory); give more, or name fewer columns"
)


_UNREADABLE = re.compile(r'(?:Invalid Input Error: )?Failed to read file "(?P<path>[^"]*)": (?P<why>.*)')


def damage(error: Exception) -> str | None:
    """Return a sentence on a table's file that DuckDB cannot decode; None for other errors."""
    first = (str(error).splitlines() or [""])[0]
    if unreadable := _UNREADABLE.match(first):
        return f"{unreadable['path']} is damaged ({unreadable['why']}); ingest the trace again"
    if type(error).__qualname__ == "Error":  # DuckDB's reader of Parquet, which does not name the file
        why = "".join(letter for letter in first if letter.isprintable()).strip(" :.")
        return f"a table is damaged ({why}); ingest the trace again"
    return None


def sql_reason(error: Exception) -> str:
    """Return what DuckDB says of a user's SQL in one line: the wrong name and those most like it, and what helps."""
    if damaged := damage(error):
        return damaged
    if _OUT_OF_MEMORY in str(error):
        return SHORTAGE_OF_QUERY
    lines = str(error).splitlines() or [type(error).__name__]
    if unknown := _UNKNOWN_COLUMN.match(lines[0]):
        return _unknown_column(unknown["name"], lines[1:])
    if large := _TOO_LARGE.match(lines[0]):
        return (
            f"{large['value']} does not fit in 64 bits: cast the sum, as in sum(bytes)::double or ::varchar"
        )
    further = (line.strip() for line in lines[1:] if line.startswith(("Did you mean", _CANDIDATES)))
    summary = " ".join([lines[0], *further])
    if "offset" in str(error) and "syntax error" in summary:
        return f'{summary} (offset is a word of SQL: the column is "offset", in double quotes)'
    return summary


def _unknown_column(name: str, lines: Sequence[str]) -> str:
    matches = [
        line.removeprefix(_CANDIDATES).replace('"', "") for line in lines if line.startswith(_CANDIDATES)
    ]
    alike = f"; most like it: {matches[0].strip()}" if matches else ""
    return f"there is no column {name}{alike} (text needs single quotes, as in type = 'datafile')"


OF_QUERIES = "Invalid Input Error: "
"""The words of DuckDB before a sentence that a query of ours says itself."""


def reason(error: Exception) -> str:
    """Return what went wrong in the system's own words where it is the system that refused, else the error's."""
    if _OUT_OF_MEMORY in str(error):
        return SHORTAGE_OF_QUERY
    number = error.errno if isinstance(error, OSError) else None
    message = re.sub(r" \(os error \d+\)", "", str(error)).removeprefix(OF_QUERIES)
    return os.strerror(number) if number else message


def with_way_out(sentence: str) -> str:
    """Return what was wrong with a trace, and what to do about it where that is the same for every trace."""
    if sentence.endswith(os.strerror(errno.EACCES)):
        return f"{sentence}; run iotrace as a user who may read it, or change its mode (chmod)"
    if sentence.endswith(" is empty"):
        return f"{sentence}; record the trace again, or give another file"
    return sentence
