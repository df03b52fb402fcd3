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
        help="What to write. Calls: strace, ultrix. Requests to disks: vms-io to blkparse. Requests for keys or blocks:"
        " oracle-general, lcs (libCacheSim). Parallel programs: umd-ascii, pattern. Profiles: speedscope, folded (flame"
        " graphs). A timeline: perfetto. Tables: csv, json, parquet.",
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
        "add up the time, bytes or number of calls.",
        needs=[f"--to {Target.SPEEDSCOPE} or {Target.FOLDED}"],
    )
    stacks: bool = declared(
        False,
        "show the functions that made the calls or waited (recordings with --stacks, logs of strace -k).",
        needs=[f"--to {Target.SPEEDSCOPE} or {Target.FOLDED}"],
    )
