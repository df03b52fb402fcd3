"""The SQL that chooses the rows of a part of a store, table by table."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa

from iotrace import schemas
from iotrace.libraries import duckdb
from iotrace.store.expressions import REFERENCES
from iotrace.store.selection import Globs, Selection
from iotrace.store.store import Store

NOT_CALLS = "('process_exited', 'process_killed', 'process_superseded', 'process_detached')"
"""What table syscall has besides calls; see view system_call."""
CONTROLS = "('truncate', 'delete', 'sync')"
"""What drops or writes blocks of caches, whoever does it."""
ENDED = "least(time_ns::hugeint + coalesce({length}, 0), 9223372036854775807)"
TIMES_OF_DISKS = ("time_ns", "queued_ns", "allocated_ns", "inserted_ns", "issued_ns", "completed_ns")
COUNTS = ("all_calls", "kept", "before", "after", "untimed", "of_others", "elsewhere", "under_way")


@dataclass
class Choice:
    """The rows of a store that a selection chooses, as tables on a connection."""

    store: Store
    selection: Selection
    connection: duckdb.DuckDBPyConnection
    origin_ns: int = field(init=False, default=0)
    """What is taken off all times: the beginning of the part, to the resolution of the trace's clock."""

    @property
    def native(self) -> str:
        """The native table of the store; one of a store without it is empty."""
        return self.store.family

    def counts(self) -> dict[str, int]:
        """Return how many calls (or requests) there are, are chosen, and are left out for each reason."""
        since, until = self.selection.since_ns, self.selection.until_ns
        length = "latency_ns" if self.native == "disk_io" else "duration_ns"
        under_way = (
            "false" if since is None else f"time_ns < {since} and {ENDED.format(length=length)} > {since}"
        )
        row = self.connection.execute(
            "select count(*), count(*) filter (seq in (select seq from kept_call)),"
            f" count(*) filter ({self._before()}), count(*) filter ({self._after()}), count(*) filter ({self._untimed()}),"
            f" count(*) filter ({self._in_time()} and not {self._of_processes()}),"
            f" count(*) filter ({self._in_time()} and {self._of_processes()} and seq not in (select seq from kept_call)),"
            f" count(*) filter (({under_way}) and {self._of_processes()}) from {self.native} where {self._is_call()}"
        ).fetchone()
        ((references, kept),) = self.connection.execute(
            "select (select count(*) from reference), (select count(*) from kept_reference)"
        ).fetchall()
        return dict(zip(COUNTS, row or (), strict=True)) | {"all_references": references, "references": kept}

    def end_sql(self) -> str:
        """Return the query for when the last of what is chosen ends."""
        length = "latency_ns" if self.native == "disk_io" else "duration_ns"
        return (
            f"select max({ENDED.format(length='length_ns')})::bigint from (select time_ns, duration_ns as length_ns"
            f" from reference join kept_reference using (seq) union all select time_ns, {length} from {self.native}"
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

    def statements(self) -> dict[str, str]:
        """Return for each table of the part the statement whose rows it has."""
        made = {
            "reference": self._select(
                "reference",
                "reference join kept_reference using (seq)"
                + _renumbered("reference", "process", "use", "file"),
                "reference.seq",
                seq="row_number() over (order by reference.seq) - 1",
            ),
            "file": self._select(
                "file",
                "file"
                + _renumbered("file", "file", kind="join")
                + " left join new_file as object on object.was = file.of_file",
                "new_file.number",
                of_file="object.number",
            ),
            "process": self._select(
                "process",
                "process"
                + _renumbered("process", "process", kind="join")
                + " left join new_process as forked on forked.was = process.parent",
                "new_process.number",
                parent="forked.number",
                times=("started_ns", "ended_ns"),
            ),
            "use": self._select(
                "use",
                "use"
                + _renumbered("use", "use", kind="join")
                + _renumbered("use", "process", "file")
                + " left join moved on moved.use = use.use",
                "close_ns nulls last, new_use.number",
                times=("open_ns", "close_ns"),
                references="coalesce(moved.requests, 0)",
                bytes_read="coalesce(moved.bytes_read, 0)",
                bytes_written="coalesce(moved.bytes_written, 0)",
            ),
            "mapping": self._select(
                "mapping",
                "kept_mapping as mapping" + _renumbered("mapping", "process", "file"),
                'time_ns, file, "offset"',
            ),
            "syscall": self._select(
                "syscall",
                "syscall join kept_call using (seq)" + _renumbered("syscall", "process"),
                "seq_return, seq",
            ),
            "call_file": self._select(
                "call_file",
                "call_file join kept_call on kept_call.seq = call_seq" + _renumbered("call_file", "file"),
                "call_seq",
            ),
            "disk_io": self._select(
                "disk_io",
                "disk_io join kept_call using (seq)" + _renumbered("disk_io", "process"),
                "seq",
                times=TIMES_OF_DISKS,
            ),
            "parallel_io": self._select(
                "parallel_io",
                "parallel_io join kept_call using (seq)" + _renumbered("parallel_io", "process", "file"),
                "seq",
            ),
            "inherited_descriptor": "from inherited_descriptor where call_seq in (select seq from kept_call) order by call_seq",
            "disagreement": "from disagreement where call_seq in (select seq from kept_call) order by call_seq",
            "known_file": "from known_file where path in (select path from file join kept_file using (file)) order by path",
        }
        intervals = self._select(
            "part_interval",
            "interval as part_interval" + _renumbered("part_interval", "process"),
            "part_interval.process nulls first, part_interval.start_ns, part_interval.end_ns, part_interval.class",
            times=("start_ns", "end_ns"),
        )
        return {name: made[name] for name in self.store.tables if name in made} | {"part_interval": intervals}

    def warmed_sql(self) -> str:
        """Return the statement for the references of caches: those before the part, too."""
        columns = ", ".join(
            f'reference."{column.name}"'
            for column in schemas.table("reference").columns
            if column.name != "seq"
        )
        too_late = f"{self._after('reference.time_ns')} or {self._untimed('reference.time_ns')}"
        return (
            f"select row_number() over (order by reference.seq) - 1 as seq, {columns} from {REFERENCES}"
            f" where not ({too_late}) and (operation in {CONTROLS} or ({self._is_wanted()})) order by reference.seq"
        )

    def _select(
        self, table: str, source: str, order: str, times: tuple[str, ...] = ("time_ns",), **others: str
    ) -> str:
        columns = [column.name for column in schemas.table(table).columns]
        expressions = {name: f'{table}."{name}"' for name in columns}
        expressions |= {name: f'{table}."{name}" - {self.origin_ns}' for name in times if name in columns}
        for name in ("process", "use", "file"):
            if f"new_{name} on" in source:
                expressions[name] = f"new_{name}.number"
        expressions |= others
        listed = ", ".join(f'{expression} as "{name}"' for name, expression in expressions.items())
        return f"select {listed} from {source} order by {order}"

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
        if self.selection.paths and self.native == "syscall":
            names = self.connection.execute(
                "select path from syscall union select path2 from syscall"
            ).fetchall()
            fitting = [name for (name,) in names if of_path.match(name)]
        else:
            fitting = []
        self.connection.register("fitting", pa.table({"name": pa.array(fitting, pa.string())}))
        self.connection.execute("create temp table chosen_name as from fitting")

    def _choose_references(self) -> None:
        self.connection.execute(
            "create temp table kept_reference as select reference.seq, call_seq, reference.process, use, reference.file,"
            f" operation, length from {REFERENCES} where {self._in_time('reference.time_ns')} and {self._is_wanted()}"
        )

    def _is_wanted(self) -> str:
        """Return the condition on references beside that on their time."""
        path = "reference.file in (select file from chosen_file)" if self.selection.paths else "true"
        where = f"(\n{self.selection.where}\n)" if self.selection.where is not None else "true"
        return f"{self._of_processes('reference.process')} and {path} and {where}"

    def _choose_calls(self) -> None:
        conditions = [self._in_time(), self._of_processes()]
        made_references = "seq in (select call_seq from kept_reference)"
        if self.selection.where is not None or (self.selection.paths and self.native == "disk_io"):
            conditions.append(made_references)
        elif self.selection.paths and self.native == "parallel_io":
            conditions.append("file in (select file from chosen_file)")
        elif self.selection.paths:
            conditions.append(
                "(seq in (select call_seq from call_file where file in (select file from chosen_file))"
                " or path in (select name from chosen_name) or path2 in (select name from chosen_name))"
            )
        self.connection.execute(
            f"create temp table kept_call as select seq, process from {self.native} where {' and '.join(conditions)}"
        )

    def _choose_uses(self) -> None:
        """Make tables kept_use and kept_mapping; a use is kept where it is opened, or has references."""
        on_files = "file in (select file from chosen_file)" if self.selection.paths else "true"
        on_files = "false" if self.selection.where is not None else on_files
        is_disk = "true" if self.native == "disk_io" else "false"
        self.connection.execute(
            f"create temp table kept_use as select use, process, file from use where {is_disk}"
            " or use in (select use from kept_reference) or"
            f" ({self._in_time('coalesce(open_ns, 0)')} and {self._of_processes()} and {on_files})"
        )
        self.connection.execute(
            f"create temp table kept_mapping as from mapping where {self._in_time()} and {self._of_processes()} and {on_files}"
        )
        self.connection.execute(
            "create temp table moved as select use, count(*) filter (operation in ('read', 'write') and length > 0)"
            " as requests, sum(length) filter (operation = 'read') as bytes_read,"
            " sum(length) filter (operation = 'write') as bytes_written from kept_reference where use is not null group by use"
        )

    def _choose_intervals(self) -> None:
        """Make table interval: what the chosen threads do within the part, calls that began before it included."""
        since, until = self.selection.since_ns or 0, self.end_ns()
        self.connection.execute(
            "create temp table interval (process integer, class varchar, start_ns bigint, end_ns bigint)"
        )
        if until is None:
            return
        self.connection.execute(f"insert into interval values (null, 'part', {since}, {until})")
        if self.selection.is_of_processes:
            self.connection.execute(f"insert into interval values (null, 'others', {since}, {until})")
        if self.native != "syscall":
            return
        self.connection.execute(f"create temp table busy as from thread_event where {self._of_processes()}")
        self.connection.execute(
            "insert into interval select process, class, greatest(start_ns, $1), least(end_ns, $2) from ("
            "select min(process) as process, 'thread' as class, min(start_ns) as start_ns, max(end_ns) as end_ns"
            " from busy group by first, thread union all"
            " select min(process) over (partition by first), class, start_ns, end_ns from busy"
            ") where class is not null and (class = 'thread' or end_ns > start_ns) and start_ns < $2 and end_ns >= $1",
            [since, until],
        )

    def end_ns(self) -> int | None:
        """Return the end of the part; None without times."""
        whole_ns: int | None = self.store.manifest["counts"]["duration_ns"]
        if whole_ns is None or self.store.manifest["times"]["base"] == "none":
            return None
        until_ns = self.selection.until_ns
        return whole_ns if until_ns is None else min(until_ns, whole_ns)

    def _number(self) -> None:
        """Make tables that give what is kept new numbers, in the order of the former ones."""
        is_disk = "true" if self.native == "disk_io" else "false"
        self.connection.execute(
            "create temp table kept_process as select process from kept_reference union select process from kept_call"
            " union select process from kept_mapping union select process from interval where process is not null"
        )
        of_calls = (
            " union select file from call_file where call_seq in (select seq from kept_call)"
            if self.native == "syscall"
            else f" union select file from {self.native} where seq in (select seq from kept_call)"
        )
        self.connection.execute(
            f"create temp table touched_file as select file from file where {is_disk} union select file from kept_reference"
            f" union select file from kept_use union select file from kept_mapping{of_calls}"
        )
        self.connection.execute(
            "create temp table kept_file as from touched_file where file is not null union select of_file from file"
            " where of_file is not null and file in (select file from touched_file)"
        )
        for name in ("process", "use", "file"):
            self.connection.execute(
                f"create temp table new_{name} as select {name} as was, row_number() over (order by {name}) - 1 as number"
                f" from kept_{name} where {name} is not null"
            )

    def _register(self, name: str, numbers: list[int]) -> None:
        column = name.partition("_")[2]
        self.connection.register(f"{name}_rows", pa.table({column: pa.array(numbers, pa.int32())}))
        self.connection.execute(f"create temp table {name} as from {name}_rows")

    def _before(self, time_ns: str = "time_ns") -> str:
        since = self.selection.since_ns
        return "false" if since is None else f"coalesce({time_ns} < {since}, false)"

    def _after(self, time_ns: str = "time_ns") -> str:
        until = self.selection.until_ns
        return (
            "false"
            if until is None
            else f"coalesce({time_ns} >= {until}, false) and not {self._before(time_ns)}"
        )

    def _untimed(self, time_ns: str = "time_ns") -> str:
        return f"{time_ns} is null" if self.selection.is_of_times else "false"

    def _in_time(self, time_ns: str = "time_ns") -> str:
        return f"not ({self._before(time_ns)} or {self._after(time_ns)} or {self._untimed(time_ns)})"

    def _of_processes(self, process: str = "process") -> str:
        return (
            f"coalesce({process} in (select process from chosen_process), false)"
            if self.selection.is_of_processes
            else "true"
        )

    def _is_call(self) -> str:
        return f"call not in {NOT_CALLS}" if self.native == "syscall" else "true"


def _renumbered(table: str, *names: str, kind: str = "left join") -> str:
    """Return the joins that give some columns of a table their new numbers."""
    return "".join(f" {kind} new_{name} on new_{name}.was = {table}.{name}" for name in names)
