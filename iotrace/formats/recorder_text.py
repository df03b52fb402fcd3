"""Recorder's traces as text (recorder2text): a file RANK.txt for each rank, in a folder ``_text``.

A line for each call: ``start end function level type ( argument argument ... )``, times in seconds since the program's
start. A file is an argument: its path, or in some versions a descriptor. The calls' results are not recorded: lengths
are those asked for, so that a short read moves the file pointer too far. Calls of POSIX and of C streams are kept, and
MPI_Barrier; those of MPI-IO and HDF5, which the same bytes pass too, are counted by type.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from iotrace.formats.parallel_io.format import parallel_format
from iotrace.formats.parallel_io.jobs import by_folder
from iotrace.formats.parallel_io.parsed_lines import ParsedLines

if TYPE_CHECKING:
    from iotrace.engine.native import CallRows

HEAD = re.compile(rb"^-?\d+\.\d+ \d+\.\d+ \w+ \d+ \d+ \([^\n]* \)$", re.MULTILINE)
RANK = re.compile(r"(\d+)$")


class RecorderSource(ParsedLines):
    """Lines of calls; the file's name is the rank."""

    def begin(self) -> None:
        """Take the rank from the file's name, or the next where it has none."""
        match = RANK.search(self.reading.path.name.split(".")[0])
        self.rank = int(match[1]) if match and len(match[1]) < 10 else getattr(self, "rank", -1) + 1

    def rows(self, block: bytes) -> CallRows:
        """Return what the engine reads of the next lines."""
        from iotrace.engine import native

        return native.recorder_lines(block, self.rank)


FORMAT = parallel_format(
    name="recorder-text",
    description="Recorder's text (recorder2text): RANK.txt with start, end, function and arguments of each call.",
    endings=".txt",
    recognises=lambda head: HEAD.search(head) is not None,
    source=lambda members, paths: RecorderSource(paths),
    jobs=by_folder,
    repeats=True,
)
