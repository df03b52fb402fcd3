"""The part of a running system that is recorded: processes, a cgroup, or all."""

from dataclasses import dataclass
from pathlib import Path

from iotrace.errors import UsageError
from iotrace.ingest.cgroups import Cgroup, cgroup_of, container_of
from iotrace.ingest.disks import Device
from iotrace.ingest.tracing import named


@dataclass(frozen=True)
class Limits:
    """Where a recording ends, or loses what is oldest."""

    seconds: float | None = None
    max_bytes: int | None = None

    def words(self) -> list[str]:
        """Return the options of ``iotrace-capture``."""
        seconds = [] if self.seconds is None else ["--seconds", str(self.seconds)]
        return seconds + ([] if self.max_bytes is None else ["--max-bytes", str(self.max_bytes)])


UNLIMITED = Limits()


@dataclass(frozen=True)
class Running:
    """Processes that run before the recording, and what they start."""

    pids: tuple[int, ...] = ()
    cgroup: Cgroup | None = None
    """The cgroup whose processes these are; with BPF programs also those that come into it."""
    is_system: bool = False
    devices: tuple[Device, ...] | None = None
    """The disks whose requests are recorded, none for all disks; None if calls are recorded."""

    @property
    def by_cgroup(self) -> bool:
        """Whether the kernel finds the processes by their cgroup; only version 2 has that."""
        return self.cgroup is not None and self.cgroup.is_v2

    def words(self) -> list[str]:
        """Return the options of ``iotrace-capture``."""
        if self.is_system:
            return ["--system"]
        if self.cgroup is not None and self.by_cgroup:
            return ["--cgroup", str(self.cgroup.folder)]
        return [word for pid in self.pids for word in ("--pid", str(pid))]

    def __str__(self) -> str:
        """Return how a sentence calls them."""
        if self.devices is not None:
            return ", ".join(device.name for device in self.devices) or "the disks"
        if self.is_system:
            return "the system"
        return named(self.pids) if self.cgroup is None else f"cgroup {self.cgroup.folder}"

    def attached_to(self) -> list[int]:
        """Return the processes for the manifest; none of a cgroup or the system, which may have very many."""
        return [] if self.is_system or self.cgroup is not None else list(self.pids)


def running(
    pids: list[int] | None, cgroup: str | None, container: str | None, system: bool
) -> Running | None:
    """Return what is to be recorded, None if a command is; raises UsageError for a cgroup or container not found."""
    if system:
        return Running(is_system=True)
    if cgroup is not None or container is not None:
        group = cgroup_of(cgroup) if cgroup is not None else container_of(container or "")
        return Running(group.processes(), group)
    return Running(tuple(pids)) if pids else None


def store_name(subject: Running) -> str:
    """Return the name of a store that is given none; raises UsageError where there is no such process."""
    if subject.devices is not None:
        return subject.devices[0].name.replace("!", "-") if subject.devices else "disks"
    if subject.is_system:
        return "system"
    if subject.cgroup is not None:
        return subject.cgroup.folder.name or "cgroup"
    return _name_of(subject.pids[0])


def _name_of(pid: int) -> str:
    """Return the name of a process's program with its number."""
    try:
        program = Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        raise UsageError(f"there is no process {pid}") from None
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in program).strip(".")
    return f"{plain or 'process'}-{pid}"
