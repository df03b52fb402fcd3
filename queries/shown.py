"""Results as a person is shown them, on a terminal and on pages: by the declarations with their columns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
from iotrace.schemas.shown import SEVERAL, Shown, ShownColumn

from iotrace import queries, schemas, units
from iotrace.libraries import pc


def declared(name: str) -> Shown:
    """Return what is shown of a result, statistic or table of a store by its name; nothing of an unknown one."""
    if name in queries.results():
        return queries.results()[name].shown
    if name in schemas.names():
        return schemas.table(name).shown
    return queries.query(name).shown if name in (*queries.names(), *queries.views()) else Shown()


def shown(rows: pa.Table, described: Shown | None = None, **given: Any) -> pa.Table:
    """Return what is shown of a result: the columns declared, whose fields have heading, unit and description.

    `described` is the declaration of a table that is not known by its name.
    `given` are columns that the result has only where it is shown: the values, or one for all rows. Columns that it
    has besides those of its declaration come first; what needs a column that it lacks is left out. A table that is no
    result, or declares nothing, is returned as it is.
    """
    described = described or declared(name_of(rows))
    if not described.columns:
        return rows
    values = dict(zip(rows.column_names, map(_decoded, rows.columns), strict=True))
    added = [name for name in values if not described.knows(name)]
    values |= {key: _column(value, rows.num_rows) for key, value in given.items()}
    fields = [rows.schema.field(name).with_type(values[name].type) for name in added]
    arrays = [values[name] for name in added]
    for column in _each(described.columns, values):
        if not column.needs <= values.keys():
            continue
        array, unit = _written_in(column, _value(column, values), values)
        if _is_shown(column, array, values):
            metadata = {
                "heading": _heading(column, given),
                "unit": unit,
                "description": column.description,
                "nothing": column.nothing,
                "bar": "yes" if column.has_bar else "",
            }
            fields.append(pa.field(column.name, array.type, metadata=metadata))
            arrays.append(array)
    return pa.table(arrays, schema=pa.schema(fields))


def _each(columns: Iterable[ShownColumn], names: Iterable[str]) -> Iterator[ShownColumn]:
    """Give columns, those that are repeated for each of the table's names that begin so."""
    for column in columns:
        if column.repeated:
            yield from (column.for_column(name) for name in names if name.startswith(column.repeated))
        else:
            yield column


def name_of(rows: pa.Table) -> str:
    """Return the name of a result's description; empty for another table."""
    return ((rows.schema.metadata or {}).get(b"table") or b"").decode()


def measures(table: pa.Table, heading: str) -> pa.Table:
    """Return the one row of what is shown as a table of two columns: what each number is, and the number under a
    heading."""
    (row,) = table.to_pylist()
    units_of = {field.name: field.metadata[b"unit"].decode() for field in table.schema}
    return pa.table(
        {
            "measure": [field.metadata[b"heading"].decode() for field in table.schema],
            heading: [
                value if isinstance(value, str) else units.written(value, units_of[name])
                for name, value in row.items()
            ],
        }
    )


def _heading(column: ShownColumn, given: Mapping[str, Any]) -> str:
    """Return a heading with the values that it names, which are left out where they are not given."""
    if "{" not in column.line:  # a repeated column's heading is a name, of a trace perhaps
        return column.heading
    return _IN_HEADING.sub(lambda name: f" ({given[name[1]]})" if name[1] in given else "", column.heading)


_IN_HEADING = re.compile(r" \(\{(\w+)\}\)")


def _decoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _column(value: Any, rows: int) -> pa.ChunkedArray:
    if isinstance(value, pa.ChunkedArray):
        return _decoded(value)
    if isinstance(value, pa.Array):
        return pa.chunked_array([value])
    return pa.chunked_array([pa.array(value if isinstance(value, list) else [value] * rows)])


def _value(column: ShownColumn, values: Mapping[str, pa.ChunkedArray]) -> pa.ChunkedArray:
    array = _computed(column.value, values)
    if column.end is not None:
        return _ranges(array, _computed(column.end, values), column.unit)
    return _without_zeros(array) if column.nothing and not pa.types.is_string(array.type) else array


def _ranges(low: pa.ChunkedArray, high: pa.ChunkedArray, unit: str) -> pa.ChunkedArray:
    texts = [
        None
        if None in (low_end, other) or low_end == other
        else " to ".join(units.written(end, unit) for end in (low_end, other))
        for low_end, other in zip(low.to_pylist(), high.to_pylist(), strict=True)
    ]
    return pa.chunked_array([pa.array(texts, pa.string())])


def _written_in(
    column: ShownColumn, array: pa.ChunkedArray, values: Mapping[str, pa.ChunkedArray]
) -> tuple[pa.ChunkedArray, str]:
    """Return values with their unit: as text where rows have different ones."""
    of = column.unit.removeprefix("see column ")
    if of == column.unit or of not in values:
        return array, column.unit
    row_units = values[of].to_pylist()
    if len(set(row_units)) == 1:
        return array, row_units[0]
    pairs = zip(array.to_pylist(), row_units, strict=True)
    texts = [None if value is None else units.written(value, unit) for value, unit in pairs]
    return pa.chunked_array([pa.array(texts, pa.string())]), ""


_OPERATIONS = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply"}
"""Functions of Arrow."""


def _computed(value: ast.expr, values: Mapping[str, pa.ChunkedArray]) -> Any:
    if isinstance(value, ast.Name):
        return values[value.id]
    if isinstance(value, ast.BinOp):
        left, right = _computed(value.left, values), _computed(value.right, values)
        if isinstance(value.op, ast.Div):
            # not exact beyond 53 bits, of which three digits are shown
            left, right = (pc.cast(side, pa.float64(), safe=False) for side in (left, right))
            return pc.divide(left, _without_zeros(right))
        return getattr(pc, _OPERATIONS[type(value.op)])(left, right)
    if isinstance(value, ast.Call):
        return pc.sum(_computed(value.args[0], values))
    assert isinstance(value, ast.Constant)
    return pa.scalar(value.value)


def _without_zeros(values: Any) -> Any:
    return pc.if_else(pc.equal(values, 0), pa.scalar(None, values.type), values)


def _is_shown(column: ShownColumn, array: Any, values: Mapping[str, pa.ChunkedArray]) -> bool:
    if column.of == SEVERAL:
        return len(pc.unique(array.drop_null())) > 1
    if column.when and _has_values(values.get(column.of)) != (column.when == "if"):
        return False
    return bool(column.nothing) or not len(array) or array.null_count < len(array)


def _has_values(values: pa.ChunkedArray | None) -> bool:
    return values is not None and any(values.to_pylist())
