"""The rows of each table of a part, as statements over the tables of a `RowFilter`."""

from __future__ import annotations

from iotrace import schemas
from iotrace.store.expressions import REFERENCES
from iotrace.store.part.row_filter import RowFilter

CONTROLS = "('truncate', 'delete', 'sync')"
"""Operations that drop or write blocks of caches, whichever process does them."""
TIMES = {
    "process": ("started_ns", "ended_ns"),
    "use": ("open_ns", "close_ns"),
    "disk_io": ("time_ns", "queued_ns", "allocated_ns", "inserted_ns", "issued_ns", "completed_ns"),
    "part_interval": ("start_ns", "end_ns"),
}
"""The columns with moments; of other tables it is time_ns."""
OF_CALLS = "where call_seq in (select seq from kept_call) order by call_seq"


def statements(choice: RowFilter) -> dict[str, str]:
    """Return for each table of the part the statement whose rows it has."""

    def select(table: str, source: str, order: str, **others: str) -> str:
        return _select(choice.origin_ns, table, source, order, others)

    native, file = choice.family.name, choice.family.native.file
    columns = schemas.schema(native).names
    has_file = file in columns
    selects = {
        native: select(
            native,
            f"{native} join kept_call using (seq)"
            + _renumbered(native, *(["process"] if "process" in columns else []))
            + (f" left join new_file on new_file.was = {native}.{file}" if has_file else ""),
            ", ".join(name for name in ("seq_return", "seq") if name in columns),
            **({file: "new_file.number"} if has_file else {}),
        ),
        "reference": select(
            "reference",
            "reference join kept_reference using (seq)" + _renumbered("reference", "process", "use", "file"),
            "reference.seq",
            seq="row_number() over (order by reference.seq) - 1",
        ),
        "file": select(
            "file",
            "file"
            + _renumbered("file", "file", kind="join")
            + " left join new_file as object on object.was = file.of_file",
            "new_file.number",
            of_file="object.number",
        ),
        "process": select(
            "process",
            "process"
            + _renumbered("process", "process", kind="join")
            + " left join new_process as forked on forked.was = process.parent",
            "new_process.number",
            parent="forked.number",
        ),
        "use": select(
            "use",
            "use"
            + _renumbered("use", "use", kind="join")
            + _renumbered("use", "process", "file")
            + " left join moved on moved.use = use.use",
            "close_ns nulls last, new_use.number",
            references="coalesce(moved.requests, 0)",
            bytes_read="coalesce(moved.bytes_read, 0)",
            bytes_written="coalesce(moved.bytes_written, 0)",
        ),
        "mapping": select(
            "mapping",
            "kept_mapping as mapping" + _renumbered("mapping", "process", "file"),
            'time_ns, file, "offset"',
        ),
        "call_file": select(
            "call_file",
            "call_file join kept_call on kept_call.seq = call_seq" + _renumbered("call_file", "file"),
            "call_seq",
        ),
        "failed_path": select(
            "failed_path",
            "failed_path join kept_call on kept_call.seq = call_seq"
            " join new_file on new_file.was = failed_path.directory",
            "call_seq",
            directory="new_file.number",
        ),
        "call_stack": f"from call_stack {OF_CALLS}",
        "stack_frame": "from stack_frame",
        "mpi_file": select(
            "mpi_file", "mpi_file" + _renumbered("mpi_file", "file", kind="join"), "new_file.number"
        ),
        "key_name": select(
            "key_name",
            "key_name join new_file on new_file.was = key_name.key",
            "new_file.number",
            key="new_file.number",
        ),
        "tenant_name": "from tenant_name",
        "inherited_descriptor": f"from inherited_descriptor {OF_CALLS}",
        "disagreement": f"from disagreement {OF_CALLS}",
        "known_file": "from known_file where path in (select path from file join kept_file using (file))"
        " order by path",
    }
    intervals = select(
        "part_interval",
        "interval as part_interval" + _renumbered("part_interval", "process"),
        "part_interval.process nulls first, part_interval.start_ns, part_interval.end_ns, part_interval.class",
    )
    return {name: selects[name] for name in choice.store.tables if name in selects} | {
        "part_interval": intervals
    }


def warmed_sql(choice: RowFilter) -> str:
    """Return the statement for the references of caches: those before the part, too."""
    rows = choice.conditions
    columns = ", ".join(
        f'reference."{column.name}"' for column in schemas.table("reference").columns if column.name != "seq"
    )
    too_late = f"{rows.after('reference.time_ns')} or {rows.untimed('reference.time_ns')}"
    return (
        f"select row_number() over (order by reference.seq) - 1 as seq, {columns} from {REFERENCES}"
        f" where not ({too_late}) and (operation in {CONTROLS} or ({rows.is_wanted()}))"
        " order by reference.seq"
    )


def _select(origin_ns: int, table: str, source: str, order: str, others: dict[str, str]) -> str:
    """Return a table's columns from a source: times since the part's beginning, new numbers where it joins them."""
    columns = [column.name for column in schemas.table(table).columns]
    expressions = {name: f'{table}."{name}"' for name in columns}
    for name in TIMES.get(table, ("time_ns",)):
        if name in columns:
            expressions[name] = f'{table}."{name}" - {origin_ns}'
    for name in ("process", "use", "file"):
        if name in columns and f"new_{name} on" in source:
            expressions[name] = f"new_{name}.number"
    listed = ", ".join(f'{expression} as "{name}"' for name, expression in (expressions | others).items())
    return f"select {listed} from {source} order by {order}"


def _renumbered(table: str, *names: str, kind: str = "left join") -> str:
    """Return the joins that give some columns of a table their new numbers."""
    return "".join(f" {kind} new_{name} on new_{name}.was = {table}.{name}" for name in names)
