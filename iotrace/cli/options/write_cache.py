"""Options of ``iotrace write-cache``, beyond the settings of controllers."""

from enum import StrEnum
from typing import Annotated

import typer

from iotrace.option.rules import Rules


class Search(StrEnum):
    """The settings that are searched."""

    THRESHOLDS = "thresholds"
    SPLIT = "split"


DevicesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--device",
        help="Only this disk of the trace, by its name (repeatable); otherwise all, each on a separate drive.",
        metavar="NAME",
        show_default=False,
    ),
]
SearchOption = Annotated[
    Search | None,
    typer.Option(
        "--search",
        help="The best fixed thresholds, or the best split between read and write cache; best first.",
        show_default=False,
    ),
    Rules(conflicts={"--sweep": ""}),
]
