"""What a selection asks of rows, as conditions in SQL."""

from __future__ import annotations

from dataclasses import dataclass

from iotrace.store.part.selection import Selection

NOT_CALLS = "('process_exited', 'process_killed', 'process_superseded', 'process_detached', 'records_lost')"
"""What table syscall has besides calls; see view system_call."""


@dataclass(frozen=True)
class Conditions:
    """The conditions of a selection on the rows of a store whose native table is given."""

    selection: Selection
    native: str

    def before(self, time_ns: str = "time_ns") -> str:
        """Return whether a row begins before the part."""
        since = self.selection.since_ns
        return "false" if since is None else f"coalesce({time_ns} < {since}, false)"

    def after(self, time_ns: str = "time_ns") -> str:
        """Return whether it begins after it."""
        until = self.selection.until_ns
        return (
            "false"
            if until is None
            else f"coalesce({time_ns} >= {until}, false) and not {self.before(time_ns)}"
        )

    def untimed(self, time_ns: str = "time_ns") -> str:
        """Return whether it has no time, where that matters."""
        return f"{time_ns} is null" if self.selection.is_of_times else "false"

    def in_time(self, time_ns: str = "time_ns") -> str:
        """Return whether it begins within it."""
        return f"not ({self.before(time_ns)} or {self.after(time_ns)} or {self.untimed(time_ns)})"

    @property
    def process(self) -> str:
        """The process of a row of the native table; requests to caches name none."""
        return "null::integer" if self.native == "key_io" else "process"

    @property
    def file(self) -> str:
        """The file of a row of the native table, other than system calls."""
        return "key::integer as file" if self.native == "key_io" else "file"

    def of_processes(self, process: str = "process") -> str:
        """Return whether it is of one of the processes."""
        return (
            f"coalesce({process} in (select process from chosen_process), false)"
            if self.selection.is_of_processes
            else "true"
        )

    def is_call(self) -> str:
        """Return whether a row of the native table is a call (or request)."""
        return f"call not in {NOT_CALLS}" if self.native == "syscall" else "true"

    def is_wanted(self) -> str:
        """Return the condition on references beside that on their time."""
        path = "reference.file in (select file from chosen_file)" if self.selection.paths else "true"
        where = f"(\n{self.selection.where}\n)" if self.selection.where is not None else "true"
        return f"{self.of_processes('reference.process')} and {path} and {where}"
