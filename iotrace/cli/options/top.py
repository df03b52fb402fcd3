"""The options of ``iotrace top``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace.cli.options.groups import Group, declared
from iotrace.cli.options.record import AsRootOption
from iotrace.cli.output import output_path
from iotrace.ingest.live import By, Sort

if TYPE_CHECKING:
    from iotrace.ingest.subjects import Running


class Form(StrEnum):
    """The formats in which intervals can be written."""

    TABLE = "table"
    JSON = "json"


@dataclass(frozen=True)
class Watched(Group):
    """Options on what is watched."""

    pid: list[int] | None = declared(
        None,
        "Watch this process and the processes that it starts (repeatable).",
        "-p",
        metavar="PID",
        show_default=False,
    )
    cgroup: str | None = declared(
        None,
        "Watch the processes of this cgroup; with cgroups v2 also those that join later.",
        conflicts=["--pid"],
        metavar="PATH",
    )
    container: str | None = declared(
        None,
        "Watch the processes of this container, by ID or name.",
        conflicts=["--pid", "--cgroup"],
        metavar="ID",
    )
    system: bool = declared(
        False,
        "Watch all processes but iotrace itself (default).",
        "--system",
        conflicts=["--pid", "--cgroup", "--container"],
    )
    as_root: AsRootOption = False

    def running(self) -> Running:
        """Return what is watched; raises UsageError for a cgroup or container not found."""
        from iotrace.ingest import subjects

        named = subjects.running(self.pid, self.cgroup, self.container, False)
        return named or subjects.Running(is_system=True)


@dataclass(frozen=True)
class Shown(Group):
    """Options on what is shown."""

    by: By = declared(By.FILES, "The first table to show.")
    sort: Sort = declared(Sort.TIME, "Sort tables by this, largest first; latency is the 99th percentile.")
    seconds: float = declared(1.0, "The length of an interval.", min=0.1, metavar="N")
    once: bool = declared(False, "Print the totals of one interval and end.", "--once")
    form: Form = declared(Form.TABLE, "Format; json prints one line per interval.", "--format", "-f")


@dataclass(frozen=True)
class Recording(Group):
    """Options on the recording that is kept."""

    record: bool = declared(False, "Keep the recording, as iotrace record does.", "--record")
    output: Path | None = declared(
        None,
        "The store to write [system.iotrace, COMMAND-PID.iotrace].",
        "-o",
        needs=["--record"],
        parser=output_path,
        metavar="STORE",
        show_default=False,
    )
    force: bool = declared(
        False, "Replace a store and a recording that exist.", "--force", needs=["--record"]
    )
