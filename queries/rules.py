"""The rules of advice, as documented SQL: one file per rule in the folder ``advice``.

Each file opens with a header in a fixed form::

    -- A title, with {number}, {first}, {most}, {path} and {others} of what was found
    --
    -- A paragraph that says what is looked for, and why it costs.
    --
    -- Source: where the idea comes from.
    -- Family: syscall, disk_io, parallel_io, or darshan_job: counters of jobs
    -- Change: what to change, in a few words.
    -- Do: how.
    -- Check: how to see that it worked.
    -- Confidence: high, medium or low. Why.
    -- With LIBRARY: a line of code or a command that does it; there may be several, or none
    --
    -- Thresholds:
    --   name  number  A description.

    select path, process, number, unit, at_stake_s, at_stake_bytes ...

The statement gives a row for each piece of evidence (result ``evidence`` of results.toml; of rules on counters of jobs
``evidence_of_counters``); ``$name`` is a threshold. A rule that gives no rows says nothing.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from iotrace import queries
from iotrace.families import FAMILIES

FOLDER = "advice"
CONFIDENCES = ("high", "medium", "low")
_MARKS = ("Source", "Family", "Change", "Do", "Check", "Confidence")
_THRESHOLD = re.compile(r"(?P<name>[a-z_]+)\s+(?P<number>[0-9.]+)\s+(?P<description>\S.*\.)")
_SNIPPET = re.compile(r"^With ([\w-]+): (.*)$", re.MULTILINE)
_NAMED = re.compile(r"\$([a-z_]+)")


@dataclass(frozen=True)
class Threshold:
    """A number from which on a rule speaks."""

    name: str
    number: str
    description: str


@dataclass(frozen=True)
class Rule:
    """One rule: what it says of itself, and its statement with the thresholds' numbers."""

    name: str
    title: str
    """With the fields {number}, {first}, {most}, {path} and {others}."""
    description: str
    source: str
    family: str
    change: str
    """The change in a few words that begin with a verb; `do` says how."""
    do: str
    check: str
    confidence: str
    why: str
    """Why one may be as sure."""
    thresholds: tuple[Threshold, ...]
    snippets: tuple[tuple[str, str], ...]
    """Code or commands that do it, each with its library or file system."""
    needs: tuple[str, ...]
    sql: str

    @property
    def is_of_counters(self) -> bool:
        """Whether it asks counters of jobs, whose seconds it names, so that those of several rules count once."""
        return FAMILIES[self.family].has_counters

    @property
    def evidence_sql(self) -> str:
        """A query of its evidence, of the columns and types of the result."""
        result = "evidence_of_counters" if self.is_of_counters else "evidence"
        columns = ", ".join(queries.cast_column(column) for column in queries.results()[result].columns)
        return f"select {columns} from ({self.sql})"

    @property
    def sure(self) -> str:
        """How sure one may be, and why."""
        return f"{self.confidence}: {self.why[0].lower()}{self.why[1:]}"


@cache
def rules(family: str | None = None) -> dict[str, Rule]:
    """Return the rules by name, or those for a family of traces; raises MalformedQuery for a bad file."""
    entries = sorted(files(queries.__name__).joinpath(FOLDER).iterdir(), key=lambda entry: entry.name)
    read = [
        parse(entry.name.removesuffix(".sql"), entry.read_text("utf-8"))
        for entry in entries
        if entry.name.endswith(".sql")
    ]
    return {rule.name: rule for rule in read if family in (None, rule.family)}


def parse(name: str, text: str) -> Rule:
    """Read one rule's file; raises MalformedQuery if its header does not have the fixed form."""
    header, statement = queries.split_header(text)
    prose, separator, listed = "\n".join(header).partition("\nThresholds:\n")
    blocks = [block.strip() for block in prose.split("\n\n") if block.strip()]
    if len(blocks) != 3 or not separator:
        raise queries.MalformedQuery(f"{name}: a rule has a title, a paragraph, its marks, and thresholds")
    marks = dict(re.findall(rf"^({'|'.join(_MARKS)}): (.*)$", blocks[2], re.MULTILINE))
    if lacking := [mark for mark in _MARKS if mark not in marks]:
        raise queries.MalformedQuery(f"{name}: the header lacks {', '.join(lacking)}")
    confidence, _, why = marks["Confidence"].partition(". ")
    if marks["Family"] not in FAMILIES or confidence not in CONFIDENCES:
        raise queries.MalformedQuery(f"{name}: unknown family or confidence")
    thresholds = tuple(_threshold(name, line) for line in listed.splitlines() if line.strip())
    numbers = {threshold.name: threshold.number for threshold in thresholds}
    if set(_NAMED.findall(statement)) != set(numbers):
        raise queries.MalformedQuery(f"{name}: the statement must use just the thresholds of the header")
    return Rule(
        name=name,
        title=" ".join(blocks[0].split()),
        description=" ".join(blocks[1].split()),
        source=marks["Source"],
        family=marks["Family"],
        change=marks["Change"],
        do=marks["Do"],
        check=marks["Check"],
        confidence=confidence,
        why=why,
        thresholds=thresholds,
        snippets=tuple(_SNIPPET.findall(blocks[2])),
        needs=tuple(queries.named_in(statement)),
        sql=_NAMED.sub(lambda match: numbers[match[1]], statement),
    )


def _threshold(name: str, line: str) -> Threshold:
    match = _THRESHOLD.fullmatch(line.strip())
    if match is None:
        raise queries.MalformedQuery(
            f"{name}: a threshold is a name, a number and a description, not {line.strip()}"
        )
    return Threshold(match["name"], match["number"], match["description"])
