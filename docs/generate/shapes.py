"""The pages of tables and statistics, from the schemas and the headers of the SQL files."""

import re
import textwrap
from collections.abc import Iterable
from itertools import chain

import counters
import elements
from iotrace.queries import cookbook
from iotrace.schemas.joins import joins
from iotrace.schemas.shown import Shown

from iotrace import queries, schemas
from iotrace.analysis.merging import views_of
from iotrace.families import FAMILIES

TABLES = """\
The tables of a store and the results of commands. Times are nanoseconds since the first event of the trace. The same
descriptions travel in the metadata of every Parquet file and Arrow table, and `iotrace schema NAME` prints them.

What a terminal and pages show of a table is below it, a line per column: `HEADING = COLUMN`, or arithmetic of columns;
`or` a word for null and 0; `as` the unit in which it is written; `if` (`unless`) some row has a value in a column, or
if there are `several` values. `*` is a heading for each column whose name begins so. A table without these lines is
shown as it is."""
KEYS = """\
Each key, and below it the columns that lead to it: `join file on file.file = reference.file`. A column is null where it
leads nowhere. A reference's `call_seq` is the `seq` of the trace's native table. `iotrace schema --joins` prints the
same. Wide views ([statistics](statistics.md#wide-views)) need no joins."""
QUESTIONS = """\
Queries for `iotrace sql TRACE "…"`, `store.sql("…")` in Python, and DuckDB's own programs with the views of
`iotrace views`, by the family of the trace. `iotrace schema --search WORDS` finds tables and views for other questions.
Times in `_ns` count from the first event of the trace; `started_at` is wall-clock time (UTC), null where the trace has
none."""
FUNCTIONS = """\
Macros that every connection to a trace has. Those that give rows take the name of a table or view as text:
`from in_flight('call_wide')`. In the examples, `interval_rows` has three rows with `time_ns` and `duration_ns`: 0 and
10, 5 and 10, 200 and 1."""
RESULTS = "What commands write with `--format csv`, `json` or `parquet`; results that are tables of a store are above."
STATISTICS = """\
Each statistic is one SQL file in `queries/`, whose header is the schema of its result. Each is a view: ask
`iotrace sql TRACE "from NAME"`, or `iotrace characterize TRACE` for all of them. Parameters are options of
`iotrace characterize`; in SQL they are variables: `iotrace sql TRACE "set variable top = 3; from top_files"`.

Lines below a result's columns say what a terminal and pages show of it, as for [tables](tables.md)."""
SUBJECTS = {
    "wide": "Wide views",
    "trace": "The trace",
    "objects": "Objects: files, directories and inodes",
    "references": "References",
    "runs": "Runs and request sizes",
    "disks": "Disks",
    "keys": "Keys of caches",
    "jobs": "Jobs",
    "time": "Time",
    "who": "Programs, processes and directories",
    "base": "Base views",
}
INTRODUCTIONS = {
    queries.WIDE: "One view for each family of traces, with all that most questions need: start here.",
    queries.BASE: "The views from which the statistics are composed; they can be asked like these.",
}


def tables_page() -> str:
    """Return the page of tables."""
    described = [schemas.table(name) for name in schemas.names()]
    results = sorted(queries.results().items())
    return elements.page(
        "Tables",
        TABLES,
        f"## Keys\n\n{KEYS}",
        _keys(),
        *(_table("##", table) for table in described),
        f"## Results of commands\n\n{RESULTS}",
        *(_table("###", table) for _, table in results),
    )


def questions_page() -> str:
    """Return the page of questions and functions for SQL."""
    parts = []
    for family in FAMILIES.values():
        asked = [one for one in cookbook.questions() if one.family == family.name]
        blocks = (f"{one.text} (`@{one.name}`)\n\n{elements.block(_folded(one.sql), 'sql')}" for one in asked)
        parts += [f"## {family.title}", *blocks] if asked else []
    rows = [
        (
            elements.code(one.signature),
            one.description,
            "; ".join(f"{elements.code(left)} is {elements.code(right)}" for left, right in one.examples),
        )
        for one in cookbook.functions()
    ]
    functions = elements.table(("function", "what it gives", "examples"), rows)
    return elements.page("Questions in SQL", QUESTIONS, *parts, f"## Functions\n\n{FUNCTIONS}", functions)


def _folded(sql: str) -> str:
    """Return a statement with its clauses in lines."""
    return re.sub(r" (from|where|group by|having|order by|limit) (?![^(]*\))", r"\n\1 ", sql)


def _keys() -> str:
    below: dict[str, list[str]] = {}
    for join in joins():
        below.setdefault(f"{join.other}.{join.other_column}", []).append(f"{join.table}.{join.column}")
    lines = [
        "\n".join([key, *(f"  ◀── {line}" for line in textwrap.wrap(", ".join(columns), 100))])
        for key, columns in below.items()
    ]
    return elements.block("\n".join(lines), "text")


def _table(level: str, table: schemas.Table) -> str:
    parts = [f"{level} {table.name}", table.description, _columns(table.columns), *_shown(table.shown)]
    return "\n\n".join(parts)


def _shown(shown: Shown) -> list[str]:
    lines = [column.line for column in shown.columns]
    return [elements.block("\n".join(lines), "text")] if lines else []


def statistics_page() -> str:
    """Return the page of statistics."""
    return elements.page(
        "Statistics", STATISTICS, *_parameters(), *map(_subject, SUBJECTS), counters.section()
    )


def _columns(columns: Iterable[schemas.Column]) -> str:
    rows = [
        (
            elements.code(column.name),
            column.type + ("" if column.nullable else ", never null"),
            column.unit,
            column.description,
        )
        for column in columns
    ]
    return elements.table(("column", "type", "unit", "description"), rows)


def _parameters() -> list[str]:
    rows = [
        (
            elements.code(parameter.name),
            parameter.type,
            "none" if parameter.default is None else elements.code(str(parameter.default)),
            parameter.description
            + (f" One of {', '.join(map(elements.code, parameter.choices))}." if parameter.choices else ""),
        )
        for parameter in queries.parameters().values()
    ]
    return ["## Parameters", elements.table(("parameter", "type", "default", "description"), rows)]


def _subject(subject: str) -> str:
    names = queries.views() if subject in INTRODUCTIONS else queries.names()
    members = [query for query in map(queries.query, names) if query.subject == subject]
    introduction = [INTRODUCTIONS[subject]] if subject in INTRODUCTIONS else []
    return "\n\n".join([f"## {SUBJECTS[subject]}", *introduction, *map(_statistic, members)])


def _merges(query: queries.Query) -> str:
    """Say how workers compute a view or statistic in parts."""
    if query.merge is not None:
        others = "its rows are added up" if query.merge == "sum" else f"{query.merge}; other columns are sums"
        return f"In parts (`--workers`): {others}."
    if query.subject in INTRODUCTIONS:
        return ""
    families = list(query.families or FAMILIES)
    through = {family: below[0] for family in families if not (below := views_of(query.name, family))[1]}
    if not any(through.values()):
        return ""
    views = ", ".join(elements.code(name) for name in dict.fromkeys(chain.from_iterable(through.values())))
    only = (
        ""
        if len(through) == len(families)
        else f", of traces of {' and '.join(FAMILIES[f].traces for f in through)}"
    )
    return f"In parts (`--workers`): through {views}{only}."


def _statistic(query: queries.Query) -> str:
    notes = [
        *(
            [f"Only for traces of {' and of '.join(FAMILIES[f].traces for f in query.families)}."]
            if query.families
            else []
        ),
        *(
            [f"Parameters: {', '.join(elements.code(p.name) for p in query.parameters)}."]
            if query.parameters
            else []
        ),
        _merges(query),
        *([f"Source: {query.source}"] if query.source else []),
    ]
    head = [f"### {query.name}", f"**{query.title}.** {query.description}".strip(), *notes]
    parts = [*head, _columns(query.columns), *_shown(query.shown)]
    return "\n\n".join(part for part in parts if part)
