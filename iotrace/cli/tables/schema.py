"""How ``iotrace schema`` shows tables and views, and the session of ``iotrace sql``, too."""

from iotrace.cli.output import Output
from iotrace.errors import UsageError
from iotrace.libraries import pa


def show(output: Output, table: str | None = None, search: str | None = None, joins: bool = False) -> None:
    """Write the columns of a table, what words find, the joins, or else all tables and views.

    Raises UsageError for an unknown table, and for words that find nothing.
    """
    from iotrace import queries
    from iotrace.queries.search import kind
    from iotrace.queries.search import search as found
    from iotrace.schemas.joins import joins as all_joins

    known = queries.described()
    if joins:
        rows = [
            {
                "table": one.table,
                "column": one.column,
                "other_table": one.other,
                "other_column": one.other_column,
            }
            for one in all_joins()
        ]
        output.emit(pa.Table.from_pylist(rows), "Columns that lead to other tables")
    elif search is not None:
        matches = found(search, known)
        if not matches:
            raise UsageError(f"{search}: no table or view has these words; iotrace schema lists all")
        rows = [
            {
                "table": one.name,
                "kind": kind(one.described),
                "columns": ", ".join(one.columns),
                "sentence": one.described.description,
            }
            for one in matches
        ]
        output.emit(pa.Table.from_pylist(rows), f"Tables and views for: {search}")
    elif table is None:
        rows = [
            {"table": name, "kind": kind(one), "sentence": one.description} for name, one in known.items()
        ]
        output.emit(
            pa.Table.from_pylist(rows), "Wide views, tables, views, statistics, and results of commands"
        )
    elif table not in known:
        raise UsageError(f"{table}: no such table, view or statistic; iotrace schema lists them")
    else:
        columns = [
            {"column": c.name, "type": c.type, "unit": c.unit, "null": c.nullable, "sentence": c.description}
            for c in known[table].columns
        ]
        output.emit(pa.Table.from_pylist(columns), f"{table}: {known[table].description}")
