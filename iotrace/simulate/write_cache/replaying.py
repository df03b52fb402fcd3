"""How a block trace is replayed: on which drive, when requests come, and where their blocks lie."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from iotrace import units
from iotrace.engine import native
from iotrace.errors import UsageError
from iotrace.option import NAME, RATIO, Kind, check, option, word_of

REPLAYS = tuple(native.write_cache_words()["replay"])
"""Requests come at the trace's times, or each after the last one has completed."""
Fit = Literal["wrap", "scale", "reject"]
"""How blocks beyond the disk's end are mapped."""
Scale = tuple[float, float | None]
"""By what times are multiplied, and the busy share in percent for which it is chosen instead."""


def _scale(text: str) -> Scale:
    name, equals, value = text.partition("=")
    if equals and name.strip() == "busy":
        return 1.0, units.percentage(value)
    try:
        return float(text), None
    except ValueError:
        raise UsageError(f"{text!r} is neither a number nor busy=P%") from None


def _typed_scale(value: Scale | float) -> str:
    scale, busy_percent = value if isinstance(value, tuple) else (value, None)
    return RATIO.typed(scale) if busy_percent is None else f"busy={busy_percent:g}%"


def _scaled(value: Scale, others: Mapping[str, Any]) -> dict[str, Any]:
    return {"time_scale": value[0], "busy_percent": value[1]}


@dataclass(frozen=True)
class Replaying:
    """The drive and the replay (see `simulation.simulate`)."""

    drive: str = option(
        "sata-7200",
        "A drive: ra81, ra82, ra90, rz26, hp-97560, ... or a file NAME.toml.",
        NAME,
        name="disk",
        also=("-d",),
    )
    head_switch_ms: float | None = option(
        None,
        "Head switch time instead of the drive's; 0 is the paper's upper bound for cylinders.",
        Kind("MS", units.ratio, RATIO.typed),
        name="head-switch",
        least=0,
        rare=True,
    )
    replay: str = option(
        "open",
        "Requests at the trace's times (open), or each after the last has completed (closed).",
        word_of(REPLAYS),
        rare=True,
    )
    time_scale: float = option(
        1.0,
        "Multiply the times; or busy=30%: so that the disk is 30 % busy without a write cache.",
        Kind("X|busy=P%", _scale, _typed_scale, is_number=False),
        changes=_scaled,
    )
    busy_percent: float | None = None
    fit: Fit = option("wrap", "How to map block numbers beyond the disk's end.", rare=True)

    def __post_init__(self) -> None:
        check(self)
