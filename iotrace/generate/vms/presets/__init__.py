"""The three environments of table 3.1, as data: what is published of each, and what was invented for it."""

from dataclasses import dataclass

from iotrace.files.library import Library
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


LIBRARY = Library("iotrace.generate.vms", "presets", "--like: {name!r} is not one of {known}")
names = LIBRARY.names


def preset(name: str) -> Preset:
    """Return a preset; raises UsageError for a name that is none."""
    stated = LIBRARY.read(name, dict)
    return Preset(
        name,
        stated["sentence"],
        Load(**stated["published"], **stated["disk"]),
        Parameters(**stated["invented"]),
        stated["busy_percent"]["rated"],
        stated["busy_percent"]["served"],
    )
