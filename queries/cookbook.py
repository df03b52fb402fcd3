"""Questions that people ask of traces, with the queries that answer them, and functions for further queries."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Function:
    """A macro for people: its name with its parameters, its description, and examples: expressions and their values."""

    signature: str
    description: str
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Question:
    """A question that people ask of the traces of a family, and a query that answers it."""

    name: str
    family: str
    text: str
    sql: str


_FUNCTION = re.compile(r"((?:--[^\n]*\n)+)create or replace macro (\w+\([^)]*\))")


@cache
def functions() -> list[Function]:
    """Return the macros of functions.sql, in its order."""
    found = []
    for comment, signature in _FUNCTION.findall(
        files("iotrace.queries").joinpath("functions.sql").read_text("utf-8")
    ):
        lines = [line.removeprefix("-- ") for line in comment.splitlines()]
        examples = [line.removeprefix("Example: ") for line in lines if line.startswith("Example: ")]
        words = " ".join(line for line in lines if not line.startswith("Example: "))
        pairs = tuple((left, right) for left, _, right in (one.rpartition(" is ") for one in examples))
        found.append(Function(signature, words, pairs))
    return found


@cache
def questions() -> list[Question]:
    """Return the questions of questions.toml, in its order."""
    raw = tomllib.loads(files("iotrace.queries").joinpath("questions.toml").read_text("utf-8"))
    return [Question(name, one["family"], one["question"], one["sql"]) for name, one in raw.items()]
