"""What a store can be exported to."""

from enum import StrEnum
from typing import Annotated

import typer


class Target(StrEnum):
    """What a store can be exported to."""

    ULTRIX = "ultrix"
    VMS_IO = "vms-io"
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
        help="The ULTRIX text of calls, the VMS text of requests to disks, UMD text or a pattern of reads and"
        " writes by process, or the tables as files.",
    ),
]
