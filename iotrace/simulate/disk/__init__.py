"""A disk that turns (Biswas, Ramakrishnan and Towsley 1993, 3.2): drives as data, and how true the model is."""

from __future__ import annotations

from iotrace.simulate.disk.description import Description, DriveFileError, Overhead, Seek, Zone
from iotrace.simulate.disk.drives import drive, names, read

__all__ = [
    "Description",
    "DriveFileError",
    "Overhead",
    "Seek",
    "Zone",
    "drive",
    "names",
    "read",
]
