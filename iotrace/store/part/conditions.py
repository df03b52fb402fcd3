"""The conditions of a selection, in SQL."""

from __future__ import annotations

from dataclasses import dataclass

from iotrace.store.part.selection import Selection


@dataclass(frozen=True)
class Conditions:
    """The conditions of a selection on the rows of a store, and on those of its native table."""

    selection: Selection

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

    def of_processes(self, process: str = "process") -> str:
        """Return whether it is of one of the processes."""
        return (
            f"coalesce({process} in (select process from chosen_process), false)"
            if self.selection.is_of_processes
            else "true"
        )

    def is_wanted(self) -> str:
        """Return the condition on references beside that on their time."""
        path = "reference.file in (select file from chosen_file)" if self.selection.paths else "true"
        where = f"(\n{self.selection.where}\n)" if self.selection.where is not None else "true"
        return f"{self.of_processes('reference.process')} and {path} and {where}"
