"""A disk that turns (Biswas, Ramakrishnan and Towsley 1993, 3.2): drives as data, and how true the model is."""

from __future__ import annotations

from iotrace.simulate.disk.description import Buffer, Bus, Description, DriveFileError, Overhead, Seek, Zone
from iotrace.simulate.disk.drives import drive, names, read

__all__ = [
    "Buffer",
    "Bus",
    "Description",
    "DriveFileError",
    "Overhead",
    "Seek",
    "Zone",
    "drive",
    "names",
    "read",
]
