"""Option ``--budget``, which the simulating commands share."""

from typing import Annotated

import typer

from iotrace.analysis.block_budget import BlockBudget
from iotrace.cli.options.groups import RARE

BudgetOption = Annotated[
    int,
    typer.Option(
        "--budget",
        rich_help_panel=RARE,
        min=0,
        metavar="BLOCKS",
        help="Most blocks of a trace, beyond 64 a request.",
    ),
]


def block_budget(blocks: int, block_bytes: int) -> BlockBudget:
    """Return a budget that names the options with which a user can meet or raise it."""
    return BlockBudget(
        blocks, block_bytes, "choose larger blocks (--block), or raise it with --budget BLOCKS"
    )
