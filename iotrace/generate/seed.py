"""What is drawn by lot in a generated trace."""

from __future__ import annotations

from dataclasses import dataclass

from iotrace.option import COUNT, check, option


@dataclass(frozen=True)
class Seed:
    """The start of the random numbers."""

    seed: int = option(1, "The same seed makes the same trace.", COUNT, least=0)

    def __post_init__(self) -> None:
        check(self)
