"""The disks of Biswas et al. (1993) as data: what is published of each, and what was invented for it."""

from dataclasses import dataclass

from iotrace.files.library import Library
from iotrace.generate.vms.load import Load, together
from iotrace.generate.vms.parameters import Parameters


@dataclass(frozen=True)
class Preset:
    """A disk of the paper, or several behind one controller."""

    name: str
    description: str
    load: Load
    """Of all its disks."""
    parameters: Parameters
    disks: tuple[Load, ...]
    """The load of each disk, one device each."""
    assumed: tuple[str, ...] = ()
    """The fields of the load that are not published."""
    busy_percent_rated: float | None = None
    """Table 3.1's busy share, which is from the number of requests and the drive's rated capability."""
    busy_percent_served: float | None = None
    """The busy share by the counts of table 3.1 and the mean service times without write cache of table 4.4."""


LIBRARY = Library("iotrace.generate.vms", "presets", "--like: {name!r} is not one of {known}")
names = LIBRARY.names


def preset(name: str) -> Preset:
    """Return a preset; raises UsageError for a name that is none."""
    stated = LIBRARY.read(name, dict)
    members = [preset(member) for member in stated.get("disks", ())]
    assumed = stated.get("assumed", {})
    if members:
        disks = tuple(member.load for member in members)
        assumed = dict.fromkeys(field for member in members for field in member.assumed)
    else:
        disks = (Load(**stated["published"], **assumed, **stated["disk"]),)
    busy = stated.get("busy_percent", {})
    return Preset(
        name,
        stated["description"],
        together(disks),
        preset(stated["parameters_of"]).parameters
        if "parameters_of" in stated
        else Parameters(**stated["invented"]),
        disks,
        tuple(assumed),
        busy.get("rated"),
        busy.get("served"),
    )
