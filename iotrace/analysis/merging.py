"""Statistics in parts: views that say in their header how they merge, each counted by workers over ranges of rows.

``Merge: by file, type; max end_bytes`` says that rows of the same file and type are one, that end_bytes is the larger
of two, and all other columns are sums. All are whole numbers, so that any ranges give the same rows. Views with column
`part` are counted in each part apart: what is above them adds what lies between the last row of a part and the first of
the next. ``times end_ns`` names columns that count from the start of the part. A statistic merges if it reads large
tables through such views alone; what is above them is computed by the command, of the merged rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, partial

import duckdb
import pyarrow as pa

from iotrace import queries, schemas
from iotrace.analysis import characterize
from iotrace.analysis.curves.slices import cut, cut_for
from iotrace.errors import IotraceError, sql_reason
from iotrace.families import FAMILIES
from iotrace.libraries import pc
from iotrace.store.store import Store
from iotrace.store.store_ref import StoreRef
from iotrace.workers import Workers, map_merge

LARGE = (*FAMILIES, "reference", "call_file", "failed_path")
"""The tables that grow with the trace; those of files, processes and uses are read by the command."""
MOST_ROWS = 1 << 22
"""How many rows a worker has in memory at a time."""
Rows = dict[str, pa.Table]
"""Rows of views by their names."""
PART = "part"
"""The column that numbers the parts of a trace which a view counts apart."""
PARTS = "parts"
"""The table of the rows of all parts that a rule merges."""


@dataclass(frozen=True)
class Rule:
    """How the rows of two parts of a trace become one view's."""

    by: tuple[str, ...]
    largest: tuple[str, ...]
    times: tuple[str, ...] = ()
    """The columns in ns since the start of the part."""

    def sql(self, columns: Iterable[str]) -> str:
        """Return the SELECT that merges rows of table ``parts``."""
        of = [
            f'"{name}"'
            if name in self.by or PART in self.by
            else f'{"max" if name in self.largest else "sum"}("{name}") as "{name}"'
            for name in columns
        ]
        group = f" group by {', '.join(self.by)}" if self.by and PART not in self.by else ""
        return f"select {', '.join(of)} from {PARTS}{group}"


@cache
def rule(view: str) -> Rule | None:
    """Return how a view merges; None for one that does not. Raises MalformedQuery for a line that cannot be read."""
    described = queries.query(view)
    if described.merge is None:
        return None
    clauses = re.fullmatch(r"(?:by ([\w, ]+)|sum)(?:; max ([\w, ]+))?(?:; times ([\w, ]+))?", described.merge)
    read = [tuple(filter(None, (clause or "").split(", "))) for clause in clauses.groups()] if clauses else []
    if not read or not {*read[0], *read[1], *read[2]} <= {column.name for column in described.columns}:
        raise queries.MalformedQuery(
            f"{view}: Merge is 'by COLUMN, ...' or 'sum', and then '; max COLUMN, ...' and '; times COLUMN, ...'"
        )
    return Rule(*read)


def views_of(statistic: str, family: str) -> tuple[list[str], list[str]]:
    """Return the views through which a statistic merges, and those below it for which it does not."""
    merging: dict[str, None] = {}
    others: dict[str, None] = {}
    seen: set[str] = set()

    def visit(name: str) -> None:
        if name in seen or name in queries.TABLES or _is_without_rows(name, family):
            return
        seen.add(name)
        described = queries.query(name)
        if rule(name) is not None:
            merging[name] = None
            return
        through_parts = _is_of_merged(name)
        if (described.is_streamed and not through_parts) or any(need in LARGE for need in described.needs):
            others[name] = None
        for need in described.needs if through_parts or not described.is_streamed else ():
            visit(need)

    visit(statistic)
    return list(merging), list(others)


def sentence(names: Sequence[str], family: str) -> str | None:
    """Say which statistics one process computes, and why; None if all merge."""
    whole = {
        name: others for name in names if name in queries.names() and (others := views_of(name, family)[1])
    }
    if not whole:
        return None
    ordered = [
        name for name, others in whole.items() if any(queries.query(query).is_streamed for query in others)
    ]
    rest = [name for name in whole if name not in ordered]
    reasons = [
        f"{', '.join(ordered)} (of requests in their order)" if ordered else "",
        f"{', '.join(rest)} (of whole tables)" if rest else "",
    ]
    return f"--workers: computed by one process, since they do not merge: {'; '.join(filter(None, reasons))}"


def merged(store: Store, names: Sequence[str], parameters: Mapping[str, str | int], workers: Workers) -> Rows:
    """Return the rows of the views through which statistics merge, computed by workers.

    Raises as `map_merge` does, and IotraceError for a store that is not the same on a worker.
    """
    below = dict.fromkeys(view for name in names for view in views_of(name, store.family.name)[0])
    made = {
        name: queries.query(name).schema.empty_table()
        for name in queries.views()
        if _is_without_rows(name, store.family.name)
    }
    for table in LARGE:
        views = [view for view in below if _large_below(view) == {table}]
        if views and table in store.tables and store.manifest["tables"][table]:
            ranges = cut_for(workers, store.row_group_ends(table))
            work = _Work(StoreRef.of(store), table, tuple(views), tuple(parameters.items()))
            rows: Rows = map_merge(workers.executor, partial(_of_rows, work), _merged, ranges)
            made |= rows
    return made


@dataclass(frozen=True)
class _Work:
    store: StoreRef
    table: str
    views: tuple[str, ...]
    parameters: tuple[tuple[str, str | int], ...]


def _of_rows(work: _Work, rows: range) -> Rows:
    """Return views of some rows of a table, as if it had no others."""
    store = work.store.open()
    merged: Rows | None = None
    with store.queried() as connection:
        for some in cut(len(rows), -(-len(rows) // MOST_ROWS)):
            records = range(rows.start + some.start, rows.start + some.stop)
            connection.register(work.table, _plain(store, work.table, records))
            with characterize.prepared(connection, work.views, dict(work.parameters), streams=False):
                here = {view: characterize.result(connection, view) for view in work.views}
            connection.unregister(work.table)
            merged = here if merged is None else _merged(merged, here)
    assert merged is not None
    return merged


def _plain(store: Store, table: str, records: range) -> pa.Table:
    """Return rows of a table as SQL sees them: names as texts."""
    rows = pa.Table.from_batches(store.batches(table, schemas.schema(table).names, records=records))
    columns = {}
    for field in schemas.schema(table):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        columns[field.name] = rows[field.name].cast(kind)
    return pa.table(columns)


def _merged(left: Rows, right: Rows) -> Rows:
    """Return views of all rows, of those of some rows and of the rows that follow them; times count from one start."""
    return joined([left, right], [0, 0])


def joined(parts: Sequence[Rows], later_ns: Sequence[int]) -> Rows:
    """Return views of all rows, of those of parts that follow each other, each of which begins some time later.

    Raises IotraceError for numbers beyond 63 bits.
    """
    try:
        with closing(duckdb.connect()) as connection:
            tables = {}
            for view in parts[0]:
                schema, how = queries.query(view).schema, rule(view)
                assert how is not None
                moved = _moved([rows[view] for rows in parts], later_ns, how)
                connection.register(PARTS, pa.concat_tables(moved))
                tables[view] = connection.sql(how.sql(schema.names)).to_arrow_table().cast(schema)
            return tables
    except (duckdb.Error, pa.ArrowException) as error:
        raise IotraceError(f"statistics cannot be merged: {sql_reason(error)}") from None


def _moved(parts: Sequence[pa.Table], later_ns: Sequence[int], how: Rule) -> list[pa.Table]:
    """Return the rows of parts with the times and the numbers of parts that they have among all."""
    moved, number = [], 0
    for rows, start_ns in zip(parts, later_ns, strict=True):
        added = dict.fromkeys(how.times, start_ns) | ({PART: number} if PART in how.by else {})
        for name, more in added.items():
            place, column = rows.schema.get_field_index(name), rows[name]
            rows = rows.set_column(
                place, rows.schema.field(name), pc.add(column, pa.scalar(more, column.type))
            )
        moved.append(rows)
        number = (pc.max(rows[PART]).as_py() or 0) + 1 if PART in how.by and rows.num_rows else number
    return moved


def _large_below(view: str) -> set[str]:
    return {need for name in queries.ordered([view]) for need in queries.query(name).needs if need in LARGE}


def _is_without_rows(view: str, family: str) -> bool:
    """Return whether a base view that the engine computes says nothing of traces of this family."""
    described = queries.query(view)
    return described.is_streamed and not described.is_of(family)


def _is_of_merged(view: str) -> bool:
    """Return whether a view that the engine computes follows as well from views of parts."""
    needs = queries.query(view).needs
    return queries.query(view).is_streamed and all(
        need not in queries.TABLES and rule(need) for need in needs
    )
