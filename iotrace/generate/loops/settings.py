"""How large loop nests are."""

from __future__ import annotations

from dataclasses import dataclass

from iotrace.option import COUNT, option


@dataclass(frozen=True)
class Size:
    """Parameter n of loop nests."""

    n: int | None = option(None, "n, the rows and columns of arrays.", COUNT, name="size")
