"""The SQL that chooses the rows of a part of a store, table by table."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from iotrace.families import HAS_REFERENCE, Family
from iotrace.libraries import duckdb
from iotrace.store.expressions import REFERENCES
from iotrace.store.part.conditions import Conditions
from iotrace.store.part.selection import Globs, Selection
from iotrace.store.store import Store

ENDED = "least(time_ns::hugeint + coalesce({length}, 0), 9223372036854775807)"
COUNTS = ("all_calls", "kept", "before", "after", "untimed", "of_others", "elsewhere", "under_way")


@dataclass
class RowFilter:
    """The rows of a store that a selection chooses, as tables on a connection."""

    store: Store
    selection: Selection
    connection: duckdb.DuckDBPyConnection
    origin_ns: int = field(init=False, default=0)
    """The time that is subtracted from all times: the beginning of the part, to the resolution of the trace's clock."""

    @property
    def family(self) -> Family:
        """The family of the store; the native table of a store without it is empty."""
        return self.store.family

    @property
    def conditions(self) -> Conditions:
        """The conditions on rows."""
        return Conditions(self.selection)

    def counts(self) -> dict[str, int]:
        """Return how many calls (or requests) there are, are chosen, and are left out for each reason."""
        rows, since = self.conditions, self.selection.since_ns
        native = self.family.native
        under_way = (
            "false"
            if since is None
            else f"time_ns < {since} and {ENDED.format(length=native.length_ns)} > {since}"
        )
        of_processes = rows.of_processes(native.process)
        row = self.connection.execute(
            "select count(*), count(*) filter (seq in (select seq from kept_call)),"
            f" count(*) filter ({rows.before()}), count(*) filter ({rows.after()}), count(*) filter ({rows.untimed()}),"
            f" count(*) filter ({rows.in_time()} and not {of_processes}),"
            f" count(*) filter ({rows.in_time()} and {of_processes} and seq not in (select seq from kept_call)),"
            f" count(*) filter (({under_way}) and {of_processes}) from {self.family.name} where {native.is_event}"
        ).fetchone()
        ((references, kept),) = self.connection.execute(
            "select (select count(*) from reference), (select count(*) from kept_reference)"
        ).fetchall()
        return dict(zip(COUNTS, row or (), strict=True)) | {"all_references": references, "references": kept}

    def end_sql(self) -> str:
        """Return the query for when the last of what is chosen ends."""
        return (
            f"select max({ENDED.format(length='length_ns')})::bigint from (select time_ns, duration_ns as length_ns"
            f" from reference join kept_reference using (seq) union all select time_ns,"
            f" {self.family.native.length_ns} from {self.family.name}"
            " join kept_call using (seq))"
        )

    def choose(self, is_for_caches: bool = False) -> None:
        """Make the tables of what is chosen, for caches without what they do not need."""
        self._choose_processes()
        self._choose_files()
        self._choose_references()
        self._choose_calls()
        if is_for_caches:
            return
        self._choose_uses()
        self._choose_intervals()
        self._number()
        if self.selection.since_ns:
            ((resolution_ns,),) = self.connection.execute(
                "select coalesce(resolution_ns, 1) from clock"
            ).fetchall()
            self.origin_ns = self.selection.since_ns // resolution_ns * resolution_ns

    def _choose_processes(self) -> None:
        """Make table chosen_process: those that the selection names, or all."""
        rows = self.connection.execute("select process, pid, program from process").fetchall()
        of_program = Globs(self.selection.programs)
        chosen = [
            process
            for process, pid, program in rows
            if (not self.selection.processes or pid in self.selection.processes)
            and (not self.selection.programs or of_program.match(program))
        ]
        self._register("chosen_process", chosen)

    def _choose_files(self) -> None:
        """Make tables chosen_file and chosen_name: files and names in calls that the selection names."""
        of_path = Globs(self.selection.paths)
        files = (
            self.connection.execute("select file, path, path_last from file").fetchall()
            if self.selection.paths
            else []
        )
        named = [file for file, first, last in files if of_path.match(first) or of_path.match(last)]
        self.connection.register("named_file", pa.table({"file": pa.array(named, pa.int32())}))
        self.connection.execute(
            "create temp table chosen_file as select file from file where file in (select file from named_file)"
            " or of_file in (select file from named_file)"
        )
        if self.selection.paths and (names_sql := self.family.native.names_sql):
            names = self.connection.execute(names_sql).fetchall()
            fitting = [name for (name,) in names if of_path.match(name)]
        else:
            fitting = []
        self.connection.register("fitting", pa.table({"name": pa.array(fitting, pa.string())}))
        self.connection.execute("create temp table chosen_name as from fitting")

    def _choose_references(self) -> None:
        rows = self.conditions
        self.connection.execute(
            "create temp table kept_reference as select reference.seq, call_seq, reference.process, use,"
            f" reference.file, operation, length from {REFERENCES}"
            f" where {rows.in_time('reference.time_ns')} and {rows.is_wanted()}"
        )

    def _choose_calls(self) -> None:
        rows, native = self.conditions, self.family.native
        conditions = [rows.in_time(), rows.of_processes(native.process)]
        if self.selection.where is not None:
            conditions.append(HAS_REFERENCE)
        elif self.selection.paths:
            conditions.append(native.is_on_chosen_file)
        self.connection.execute(
            f"create temp table kept_call as select seq, {native.process} as process from {self.family.name}"
            f" where {' and '.join(conditions)}"
        )

    def _choose_uses(self) -> None:
        """Make tables kept_use and kept_mapping; a use is kept where it is opened, or has references."""
        rows = self.conditions
        on_files = "file in (select file from chosen_file)" if self.selection.paths else "true"
        on_files = "false" if self.selection.where is not None else on_files
        self.connection.execute(
            f"create temp table kept_use as select use, process, file from use where {self.family.has_disks}"
            " or use in (select use from kept_reference) or"
            f" ({rows.in_time('coalesce(open_ns, 0)')} and {rows.of_processes()} and {on_files})"
        )
        self.connection.execute(
            f"create temp table kept_mapping as from mapping where {rows.in_time()} and {rows.of_processes()}"
            f" and {on_files}"
        )
        self.connection.execute(
            "create temp table moved as select use, count(*) filter (operation in ('read', 'write') and length > 0)"
            " as requests, sum(length) filter (operation = 'read') as bytes_read,"
            " sum(length) filter (operation = 'write') as bytes_written from kept_reference"
            " where use is not null group by use"
        )

    def _choose_intervals(self) -> None:
        """Make table interval: what the chosen threads do within the part, calls that began before it included."""
        rows, since, until = self.conditions, self.selection.since_ns or 0, self.end_ns()
        self.connection.execute(
            "create temp table interval (process integer, class varchar, start_ns bigint, end_ns bigint)"
        )
        if until is None:
            return
        self.connection.execute(f"insert into interval values (null, 'part', {since}, {until})")
        if not self.family.answers("time"):
            return
        self.connection.execute(
            "create temp table busy as select first, min(process) over (partition by first) as process, thread, class,"
            f" start_ns, end_ns from thread_event where {rows.of_processes()}"
        )
        self.connection.execute(
            "insert into interval select process, class, greatest(start_ns, $1), least(end_ns, $2) from ("
            "select any_value(process) as process, 'thread' as class, min(start_ns) as start_ns, max(end_ns) as end_ns"
            " from busy group by first, thread union all"
            " select process, class, start_ns, end_ns from busy"
            ") where class is not null and (class = 'thread' or end_ns > start_ns) and start_ns < $2 and end_ns >= $1",
            [since, until],
        )
        if not self.selection.is_of_processes:
            self.connection.execute(
                "insert into interval select null, 'clock', greatest(min(start_ns), $1), least(max(end_ns), $2)"
                " from busy join process on process.process = busy.first group by job"
                " having min(start_ns) < $2 and max(end_ns) >= $1",
                [since, until],
            )

    def end_ns(self) -> int | None:
        """Return the end of the part; None without times."""
        whole_ns, until_ns = self.store.length_ns, self.selection.until_ns
        if whole_ns is None:
            return None
        return whole_ns if until_ns is None else min(until_ns, whole_ns)

    def _number(self) -> None:
        """Make tables that give what is kept new numbers, in the order of the former ones."""
        native = self.family.native
        self.connection.execute(
            "create temp table kept_process as select process from kept_reference union select process from kept_call"
            " union select process from kept_mapping union select process from interval where process is not null"
        )
        of_rows = native.files_sql or (
            f"select {native.file}::integer as file from {self.family.name} where seq in (select seq from kept_call)"
        )
        self.connection.execute(
            f"create temp table touched_file as select file from file where {self.family.has_disks}"
            " union select file from kept_reference union select file from kept_use"
            f" union select file from kept_mapping union {of_rows}"
        )
        self.connection.execute(
            "create temp table kept_file as from touched_file where file is not null union select of_file from file"
            " where of_file is not null and file in (select file from touched_file)"
        )
        for name in ("process", "use", "file"):
            self.connection.execute(
                f"create temp table new_{name} as"
                f" select {name} as was, row_number() over (order by {name}) - 1 as number from kept_{name}"
                f" where {name} is not null"
            )

    def _register(self, name: str, numbers: list[int]) -> None:
        column = name.partition("_")[2]
        self.connection.register(f"{name}_rows", pa.table({column: pa.array(numbers, pa.int32())}))
        self.connection.execute(f"create temp table {name} as from {name}_rows")
