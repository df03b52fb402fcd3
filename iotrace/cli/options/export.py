"""Forms to which a store can be exported."""

from enum import StrEnum
from typing import Annotated

import typer

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
        " writes by process; or the tables as files.",
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
