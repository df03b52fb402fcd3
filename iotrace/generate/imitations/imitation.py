"""Settings of all imitations: processes, numbers within their bounds, and a program."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from iotrace.option import COUNT, RATIO, check, option


def assumed_count(default: int, description: str, most: int, least: int = 1) -> Any:
    """Return a whole number that is assumed, as a field of an imitation."""
    return option(default, f"{description} (assumed)", COUNT, least=least, most=most)


def assumed_number(default: float, description: str, most: float, least: float = 0.0) -> Any:
    """Return a number that is assumed, as a field of an imitation."""
    return option(default, f"{description} (assumed)", RATIO, least=least, most=most)


@dataclass(frozen=True)
class Imitation(ABC):
    """An application by the structure that the paper names; raises UsageError for numbers out of their bounds."""

    processes: int = option(
        8, "processes, each on a node (8 nodes of an SP-2: Uysal et al. 1997)", COUNT, least=1, most=1 << 10
    )

    def __post_init__(self) -> None:
        check(self)

    @abstractmethod
    def program(self, seed: int = 1) -> pa.Table:
        """Return table program; the seed draws what is drawn by lot."""
