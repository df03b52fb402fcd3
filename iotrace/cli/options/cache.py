"""The options of a simulated cache and its disk, which several commands share."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iotrace import units
from iotrace.cli.options.device import Costs
from iotrace.cli.options.groups import RARE
from iotrace.errors import UsageError

if TYPE_CHECKING:
    from iotrace.analysis.curves.cache import Cache


class Deletes(StrEnum):
    """The effect of a truncation or deletion on the cache."""

    HONOUR = "honour"
    IGNORE = "ignore"


def _refuse_empty(condition: str | None) -> str | None:
    if condition is not None and not condition.strip():
        raise UsageError("--where is empty")
    return condition


BlockOption = Annotated[str, typer.Option("--block", "-b", help="The block's size: 128, 4K, 1M.")]
WhereOption = Annotated[
    str | None,
    typer.Option(
        "--where",
        help="Cache only requests that meet this SQL condition.",
        metavar="SQL",
        show_default=False,
        callback=_refuse_empty,
    ),
]
DeletesOption = Annotated[
    Deletes,
    typer.Option(
        "--deletes",
        rich_help_panel=RARE,
        help="Whether deleted blocks leave the cache.",
    ),
]
InodesOption = Annotated[
    int | None,
    typer.Option(
        "--inodes-per-block",
        rich_help_panel=RARE,
        min=1,
        help="How many inodes share a block.",
        show_default=False,
    ),
]


def cache(block: str, deletes: Deletes, inodes_per_block: int | None, costs: Costs, **others: Any) -> "Cache":
    """Return the cache that options describe; raises UsageError for an invalid one."""
    from iotrace.analysis.curves.cache import Cache

    disk = costs.chosen()
    return Cache(
        units.size_bytes(block),
        deletes=deletes.value,
        overhead_ms=disk.overhead_ms,
        transfer_ms_per_kb=disk.transfer_ms_per_kb,
        inodes_per_block=inodes_per_block,
        **others,
    )
