"""One job of a store that has counters of many, as a store of its own."""

from __future__ import annotations

from contextlib import closing

from iotrace import schemas
from iotrace.errors import IotraceError, UsageError, sql_reason
from iotrace.files.outputs import failures_named
from iotrace.libraries import duckdb
from iotrace.store import partitions
from iotrace.store.part.build import KEY, TracePart, new_folder, write_rows
from iotrace.store.store import Store, read
from iotrace.store.values import POINTERS
from iotrace.store.views import without_views
from iotrace.store.writer import TableWriters, write_manifest

_NAMED = "log = $job or ends_with(log, '/' || $job) or job_id::varchar = $job"
_OF_JOB = "darshan_record where job in (select old from kept_darshan_job)"
_KEPT = {
    "kept_darshan_job": "select job as old from job_run where run = $run",
    "kept_darshan_record": f"select record as old from {_OF_JOB}",
    "kept_file": f"select file as old from {_OF_JOB} and file is not null"
    f" union select of_file from {_OF_JOB} and of_file is not null",
}
"""The rows of the tables that others point to, by their numbers in the store."""
MOST_LOGS_NAMED = 3


def job_of(store: Store, job: str) -> TracePart:
    """Return the job with a number, or of a log with this name, as a store.

    Raises IotraceError for a store without counters of jobs or with accesses, and UsageError where no job or several
    have the name.
    """
    if not store.family.has_counters:
        raise IotraceError(
            f"{store.name}: --job is for logs of which the counters are read, as iotrace jobs does"
        )
    with closing(store.sandboxed(views=["job_run"])) as connection:
        try:
            run, covers = _found(connection, store, job)
            folder = new_folder(store)
            with failures_named(folder), closing(TableWriters(folder)) as writers:
                for name, sql in _KEPT.items():
                    numbered = f"select old, row_number() over (order by old) - 1 as new from ({sql})"
                    connection.execute(
                        f"create temp table {name} as {numbered}", {"run": run} if "$run" in sql else {}
                    )
                for name in store.stored_tables:
                    write_rows(writers, name, _statement(name), connection)
            (files,) = connection.execute("select count(*) from kept_file").fetchall()[0]
        except duckdb.Error as error:
            raise IotraceError(f"{store.name}: {sql_reason(error)}") from None
    manifest = partitions.without(without_views(store.manifest))
    counts = store.manifest["counts"] | {"files": files}
    part = {"covers": covers, "of": store.name}
    write_manifest(folder, manifest | {"counts": counts, "tables": dict(writers.rows), KEY: part})
    return TracePart(read(folder), covers)


def _found(connection: duckdb.DuckDBPyConnection, store: Store, job: str) -> tuple[int, str]:
    """Return the first log of the job, by which view job_run knows it, and a sentence on it."""
    found = connection.execute(
        "select run, min(log), count(*) from job_run join darshan_job using (job)"
        f" where {_NAMED} group by run order by run",
        {"job": job},
    ).fetchall()
    if not found:
        raise UsageError(f"{store.name}: has no job {job}; iotrace jobs lists them")
    if len(found) > 1:
        logs = ", ".join(log for _, log, _ in found[:MOST_LOGS_NAMED])
        raise UsageError(f"{store.name}: {len(found)} jobs are called {job}; give the name of a log: {logs}")
    ((run, log, logs),) = found
    more = "" if logs == 1 else f" and {logs - 1} more"
    return run, f"Job {job}: {log}{more}"


def _statement(table: str) -> str:
    """Return the rows of a table that are of the job, with their new numbers."""
    pointers = POINTERS.get(table, {})
    columns, joins = [], []
    for place, described in enumerate(schemas.schema(table)):
        column = described.name
        kept = f"kept_{pointers[column]}" if column in pointers else None
        if kept not in _KEPT:
            columns.append(f'"{table}"."{column}"')
            continue
        columns.append(f"kept_{place}.new")
        join = "left join" if described.nullable else "join"
        joins.append(f'{join} {kept} as kept_{place} on kept_{place}.old = "{table}"."{column}"')
    own = schemas.schema(table).names[0]
    order = f' order by "{table}"."{own}"' if joins else " limit 0"
    return f'select {", ".join(columns)} from "{table}" {" ".join(joins)}{order}'
