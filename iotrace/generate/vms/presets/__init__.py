"""The three environments of table 3.1, as data: what is published of each, and what was invented for it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files

from iotrace.errors import UsageError
from iotrace.generate.vms.load import Load
from iotrace.generate.vms.parameters import Parameters


@dataclass(frozen=True)
class Preset:
    """An environment of the paper."""

    name: str
    sentence: str
    load: Load
    parameters: Parameters
    busy_percent_rated: float
    """Table 3.1's busy share, which is from the number of requests and the drive's rated capability."""
    busy_percent_served: float
    """The busy share by the counts of table 3.1 and the mean service times without write cache of table 4.4."""


def names() -> tuple[str, ...]:
    """Return the names of the presets."""
    return tuple(
        sorted(
            one.name.removesuffix(".toml") for one in files(__name__).iterdir() if one.name.endswith(".toml")
        )
    )


def preset(name: str) -> Preset:
    """Return a preset; raises UsageError for a name that is none."""
    if name not in names():
        raise UsageError(f"--like: {name!r} is not one of {', '.join(names())}")
    told = tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text("utf-8"))
    return Preset(
        name,
        told["sentence"],
        Load(**told["published"], **told["disk"]),
        Parameters(**told["invented"]),
        told["busy_percent"]["rated"],
        told["busy_percent"]["served"],
    )
