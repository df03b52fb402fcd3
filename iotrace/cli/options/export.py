"""Forms to which a store can be exported."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer

from iotrace.analysis.grouping import Weight
from iotrace.cli.options.groups import Group, declared
from iotrace.option.rules import Rules


class Target(StrEnum):
    """Forms to which a store can be exported."""

    STRACE = "strace"
    ULTRIX = "ultrix"
    VMS_IO = "vms-io"
    MSR_CAMBRIDGE = "msr-cambridge"
    FIO_IOLOG = "fio-iolog"
    DISKSIM = "disksim"
    BLKPARSE = "blkparse"
    ORACLE_GENERAL = "oracle-general"
    LCS = "lcs"
    UMD_ASCII = "umd-ascii"
    PATTERN = "pattern"
    SPEEDSCOPE = "speedscope"
    FOLDED = "folded"
    PERFETTO = "perfetto"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


TargetOption = Annotated[
    Target,
    typer.Option(
        "--to",
        "--as",
        "--format",
        "-f",
        help="A log of strace or the ULTRIX text, of calls; requests to disks as text of VMS, MSR Cambridge, fio,"
        " DiskSim or blkparse; requests for keys or blocks as libCacheSim's records; UMD text or a pattern of reads and"
        " writes by process; a profile for speedscope or flame graphs (folded), or the timeline for Perfetto; or the"
        " tables as files.",
    ),
]
TableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--table",
        help="With --to csv, json or parquet: only this table (repeatable).",
        show_default=False,
    ),
    Rules(needs=(f"--to {Target.CSV} or {Target.JSON} or {Target.PARQUET}",)),
]


@dataclass(frozen=True)
class Profile(Group):
    """The profile that is written."""

    by: Weight = declared(
        Weight.TIME,
        "what is added up: the time, bytes or number of calls.",
        needs=[f"--to {Target.SPEEDSCOPE} or {Target.FOLDED}"],
    )
    stacks: bool = declared(
        False,
        "the functions that called or waited, of recordings with --stacks and logs of strace -k.",
        needs=[f"--to {Target.SPEEDSCOPE} or {Target.FOLDED}"],
    )
