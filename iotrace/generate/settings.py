"""What several kinds of generated traces are asked for with."""

from __future__ import annotations

from dataclasses import dataclass

from iotrace.errors import UsageError
from iotrace.option import COUNT, check, option, repeated


@dataclass(frozen=True)
class Seed:
    """The start of the random numbers."""

    seed: int = option(1, "The same seed makes the same trace.", COUNT, least=0)

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class NamedValues:
    """Those that are not as they are assumed, as texts NAME=VALUE; raises UsageError for other texts."""

    given: tuple[str, ...] = option((), "A parameter (repeatable).", repeated("NAME=VALUE"), name="set")

    def __post_init__(self) -> None:
        for text in self.given:
            if "=" not in text:
                raise UsageError(f"--set takes NAME=VALUE, not {text!r}")

    @property
    def texts(self) -> dict[str, str]:
        """The values by their names."""
        pairs = (text.partition("=") for text in self.given)
        return {name.strip().replace("-", "_"): value for name, _, value in pairs}
