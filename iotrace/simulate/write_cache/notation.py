"""Settings in words: what ``--sweep`` varies, and how its values are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from iotrace.errors import UsageError
from iotrace.simulate.write_cache.settings import Settings
from iotrace.units import percentage, size_bytes, whole


@dataclass(frozen=True)
class Knob:
    """One thing that can be varied: its field of `Settings`, and how a value is read."""

    field: str
    read: Callable[[str], Any]


def _ratio(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a number") from None


KNOBS: Mapping[str, Knob] = {
    "read-cache": Knob("read_cache_bytes", size_bytes),
    "write-cache": Knob("write_cache_bytes", size_bytes),
    "single": Knob("single_cache_bytes", size_bytes),
    "sharing": Knob("sharing", str.strip),
    "purge": Knob("purge", str.strip),
    "hilim": Knob("high_percent", percentage),
    "lolim": Knob("low_percent", percentage),
    "interval": Knob("interval", whole),
    "low-share": Knob("low_share", _ratio),
    "unit": Knob("unit", str.strip),
    "piggyback": Knob("piggyback", str.strip),
    "victim": Knob("victim", str.strip),
    "write-effect": Knob("write_effect", str.strip),
    "admission": Knob("admission", str.strip),
    "forced": Knob("forced", str.strip),
    "queue": Knob("queue", str.strip),
}
"""What can be varied, by the name of its option."""


def varied(settings: Settings, sweeps: Sequence[str]) -> list[Settings]:
    """Return settings with every combination of values, the first sweep varying slowest.

    A sweep is written ``write-cache=125K,250K,1M``. Raises UsageError for one that makes no sense.
    """
    axes = [_axis(sweep) for sweep in sweeps]
    fields = [field for field, _ in axes]
    if len(set(fields)) < len(fields):
        raise UsageError("--sweep: each setting is swept once")
    return [
        replace(settings, **dict(zip(fields, values, strict=True)))
        for values in product(*(values for _, values in axes))
    ]


def _axis(sweep: str) -> tuple[str, list[Any]]:
    name, equals, values = sweep.partition("=")
    knob = KNOBS.get(name.strip())
    if knob is None or not equals:
        raise UsageError(f"--sweep: {sweep!r} is not NAME=VALUE,... with one of {', '.join(KNOBS)}")
    try:
        return knob.field, [knob.read(value) for value in values.split(",")]
    except UsageError as error:
        raise UsageError(f"--sweep {name.strip()}: {error}") from None


def comparison(settings: Settings) -> list[Settings]:
    """Return the policies that the paper compares, with the caches and thresholds given.

    No write cache; 125 KB written as soon as possible; one threshold; two; and two with free and full piggybacking
    (tables 4.1, 4.4 and A3).
    """
    plain = replace(settings, purge="two-thresholds", piggyback="none")
    return [
        replace(plain, write_cache_bytes=0),
        replace(plain, write_cache_bytes=125 * 1024, purge="asap"),
        replace(plain, purge="one-threshold"),
        plain,
        replace(plain, piggyback="free"),
        replace(plain, piggyback="full"),
    ]
