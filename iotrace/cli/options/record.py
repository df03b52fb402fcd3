"""Options on the calls that ``iotrace record`` records, for how long, and what it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.cli.options.groups import RARE, Group
from iotrace.cli.output import Format, written_option
from iotrace.ingest.backends import Backend
from iotrace.option.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from iotrace.ingest.contents import Contents
    from iotrace.ingest.disks import Device
    from iotrace.ingest.subjects import Limits, Running

LEAST_BYTES = 1 << 20
"""Of --max-size: a block of a recording, which is the least that is kept, may have this size."""
PidOption = Annotated[
    list[int] | None,
    typer.Option(
        "--pid",
        "-p",
        help="Trace this running process instead, with what it starts; repeatable.",
        metavar="PID",
    ),
]
CgroupOption = Annotated[
    str | None,
    typer.Option(
        "--cgroup",
        help="Record the processes of this cgroup until Ctrl-C; in version 2 also those that join later.",
        metavar="PATH",
    ),
    Rules(conflicts={"--pid": ""}),
]
ContainerOption = Annotated[
    str | None,
    typer.Option("--container", help="Record the processes of this container, by ID or name.", metavar="ID"),
    Rules(conflicts={"--pid": "", "--cgroup": ""}),
]
SystemOption = Annotated[
    bool,
    typer.Option("--system", help="Record all processes but iotrace itself."),
    Rules(
        needs=("--seconds or --max-size or --rotate",),
        conflicts={"--pid": "", "--cgroup": "", "--container": ""},
    ),
]
SecondsOption = Annotated[
    float | None,
    typer.Option(
        "--seconds",
        help="End the recording after N seconds; the command runs on, and the status is 0.",
        min=0.001,
        metavar="N",
    ),
]
MaxSizeOption = Annotated[
    str | None,
    typer.Option("--max-size", help="Keep only the end of a longer recording, 1M at least.", metavar="SIZE"),
]
RotateOption = Annotated[
    str | None,
    typer.Option(
        "--rotate",
        help="Begin a new recording after each TIME, as 1h, until Ctrl-C. With --block, each is appended to the store;"
        " else --output is a folder that gets a store for each.",
        metavar="TIME",
        rich_help_panel=RARE,
    ),
    Rules(
        conflicts={
            "--force": "stores are added",
            "--format": "the recording has no end of its own",
            **dict.fromkeys(
                ("--off-cpu", "--stacks", "--kernel"), "these are not divided between recordings"
            ),
            "--backend strace": "",
        },
    ),
]
StoreOption = Annotated[
    Path | None,
    written_option(
        "--output",
        "-o",
        help="The store to write [COMMAND.iotrace, COMMAND-PID.iotrace].",
        metavar="STORE",
    ),
]
FormOption = Annotated[
    Format | None,
    typer.Option(
        "--format",
        "-f",
        help="Print the output of iotrace info in this format, after the command's own output.",
        show_default=False,
    ),
]
BackendOption = Annotated[
    Backend,
    typer.Option(
        "--backend",
        help="bpf: BPF programs, under 1 µs a call; as root, or with CAP_BPF and CAP_PERFMON."
        " strace: needs no rights, some 30 µs a call. auto: bpf if it is possible here.",
    ),
]
OffCpuOption = Annotated[
    bool,
    typer.Option(
        "--off-cpu",
        help="With bpf, also record when threads have no processor: blocked, or waiting for one.",
    ),
]
StacksOption = Annotated[
    bool,
    typer.Option(
        "--stacks",
        help="With bpf: --off-cpu with the functions in which threads are blocked, by frame pointers.",
        rich_help_panel=RARE,
    ),
]
KernelOption = Annotated[
    bool,
    typer.Option(
        "--kernel",
        help="With bpf, also record what happens below the calls: --off-cpu, page cache, disks, io_uring, memory.",
    ),
]
BlockOption = Annotated[
    bool,
    typer.Option(
        "--block", help="With bpf: instead of calls, the requests to disks, of COMMAND or until Ctrl-C."
    ),
    Rules(
        conflicts=dict.fromkeys(
            (
                "--pid",
                "--cgroup",
                "--container",
                "--system",
                "--off-cpu",
                "--stacks",
                "--kernel",
                "--redact",
                "--all-waits",
                "--no-arguments",
                "--backend strace",
            ),
            "",
        )
    ),
]
DeviceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--device",
        help="With --block: only those to this disk or partition, such as /dev/sda1 or sda; repeatable.",
        metavar="DEV",
        show_default=False,
    ),
    Rules(needs=("--block",)),
]
SampleFilesOption = Annotated[
    str | None,
    typer.Option(
        "--sample-files",
        help="With bpf: record the calls on this share of the files only, as 1%, chosen by a hash of device and inode.",
        metavar="RATE",
        rich_help_panel=RARE,
    ),
    Rules(
        conflicts={
            **dict.fromkeys(("--off-cpu", "--stacks", "--kernel"), "these are of all files"),
            "--block": "requests to disks name no files",
            "--backend strace": "",
        }
    ),
]
NoArgumentsOption = Annotated[
    bool,
    typer.Option("--no-arguments", help="Leave out the arguments of programs, which may hold secrets."),
]
RedactOption = Annotated[
    list[str] | None,
    typer.Option(
        "--redact",
        help="Replace names of files and folders that match, in all paths and arguments; repeatable."
        " The same name becomes the same redacted-N. * is any text, ? one character.",
        metavar="GLOB",
        show_default=False,
    ),
]
AllWaitsOption = Annotated[
    bool,
    typer.Option(
        "--all-waits",
        help="With strace, also record futex and calls that send and receive, at more cost; bpf always does.",
    ),
]

AsRootOption = Annotated[
    bool,
    typer.Option("--as-root", help="Under sudo: record as root, not under the name of its caller."),
]


@dataclass(frozen=True)
class UnderCalls(Group):
    """Options on what is recorded besides calls, or instead of them."""

    off_cpu: OffCpuOption = False
    stacks: StacksOption = False
    kernel: KernelOption = False
    block: BlockOption = False
    device: DeviceOption = None
    sample_files: SampleFilesOption = None

    def words(self) -> tuple[str, ...]:
        """Return the options of iotrace-capture that record it.

        Raises UsageError for a device that has no requests, and for a share of the files that is none.
        """
        from iotrace.ingest import disks, sampled

        if self.block:
            return disks.words(self._devices())
        if self.sample_files is not None:
            return sampled.words(self.sample_files)
        stacks = ("--stacks",) if self.stacks else ()
        return (*stacks, "--kernel") if self.kernel else stacks or (("--off-cpu",) if self.off_cpu else ())

    def disks(self, command: Sequence[str] | None) -> Running | None:
        """Return the disks to record where there is no command, None if calls are recorded."""
        from iotrace.ingest.subjects import Running

        return Running(is_system=True, devices=self._devices()) if self.block and not command else None

    def _devices(self) -> tuple[Device, ...]:
        from iotrace.ingest.disks import device

        return tuple(map(device, self.device or ()))


@dataclass(frozen=True)
class Recorded(Group):
    """Options on what is recorded instead of a command, and for how long."""

    pid: PidOption = None
    cgroup: CgroupOption = None
    container: ContainerOption = None
    system: SystemOption = False
    seconds: SecondsOption = None
    max_size: MaxSizeOption = None
    rotate: RotateOption = None
    as_root: AsRootOption = False

    def running(self) -> Running | None:
        """Return the running processes to record, None if a command is."""
        from iotrace.ingest import subjects

        return subjects.running(self.pid, self.cgroup, self.container, self.system)

    def rotation_s(self) -> float | None:
        """Return the seconds after which a new recording begins; raises UsageError for less than one."""
        from iotrace.errors import UsageError
        from iotrace.store.part.time_spec import length_ns

        seconds = None if self.rotate is None else length_ns(self.rotate) / 1e9
        if seconds is not None and seconds < 1:
            raise UsageError(f"--rotate {self.rotate}: is less than 1 s")
        return seconds

    def limits(self) -> Limits:
        """Return the limits of the recording; raises UsageError for a size that is too small."""
        from iotrace import units
        from iotrace.errors import UsageError
        from iotrace.ingest.subjects import Limits

        max_bytes = None if self.max_size is None else units.size_bytes(self.max_size)
        if max_bytes is not None and max_bytes < LEAST_BYTES:
            raise UsageError(f"--max-size {self.max_size}: is less than {units.size(LEAST_BYTES)}")
        return Limits(self.seconds, max_bytes)


@dataclass(frozen=True)
class Kept(Group):
    """Options on what a recording keeps."""

    all_waits: AllWaitsOption = False
    no_arguments: NoArgumentsOption = False
    redact: RedactOption = None

    def contents(self) -> Contents:
        """Return what is kept of a log; raises UsageError for a glob that is not for one name."""
        from iotrace.ingest.contents import Contents

        return Contents(not self.no_arguments, tuple(self.redact or ()))
