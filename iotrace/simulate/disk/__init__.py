"""Disk mechanics (Biswas, Ramakrishnan and Towsley 1993, 3.2): drives as data, and the accuracy of the model."""

from iotrace.simulate.disk.description import (
    Buffer,
    Bus,
    Description,
    DriveFileError,
    Overhead,
    Seek,
    WriteDisconnect,
    Zone,
)
from iotrace.simulate.disk.drives import drive, names, read
from iotrace.simulate.disk.measured import Measured, read_measured
from iotrace.simulate.disk.overview import overview, seek_table, zone_table
from iotrace.simulate.disk.validation import agreement, replayed

__all__ = [
    "Buffer", "Bus", "Description", "DriveFileError", "Measured", "Overhead", "Seek", "WriteDisconnect",
    "Zone", "agreement", "drive", "names", "overview", "read", "read_measured", "replayed", "seek_table",
    "zone_table",
]  # fmt: skip
