"""What a trace of a VMS disk is asked for with."""

from __future__ import annotations

from dataclasses import MISSING, dataclass

from iotrace.errors import UsageError
from iotrace.option import COUNT, RATIO, WORD, option

LARGEST_SCALE = 1000


@dataclass(frozen=True)
class Settings:
    """The load that the trace matches, and how much of it."""

    like: str = option(
        MISSING, "The load to match, of table 3.1 of Biswas et al. 1993: off-day, air-rsv, sci-off.", WORD
    )
    requests: int | None = option(None, "So many requests, at the published rate.", COUNT)
    scale: float | None = option(None, "This part of the requests, in this part of the time.", RATIO)

    def __post_init__(self) -> None:
        if self.requests is not None and self.scale is not None:
            raise UsageError("--requests and --scale both say how much; give one")
        if self.scale is not None and not 0 < self.scale <= LARGEST_SCALE:
            raise UsageError(f"--scale is a number above 0, at most {LARGEST_SCALE}, not {self.scale:g}")
