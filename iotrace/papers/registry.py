"""The papers that can be reproduced, one line each; all else about a paper is in its folder.

``iotrace.papers.NAME.reproduction.reproduce`` opens what is asked for and returns the work that makes tables and page.
"""

import importlib
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from iotrace.errors import UsageError
from iotrace.option import options
from iotrace.papers.options import Options

if TYPE_CHECKING:
    from iotrace.papers.reproduction import PaperRequest, Work


class Traces(Enum):
    """Whether a paper is about the user's traces."""

    NEEDED = "needed"
    TAKEN = "taken"
    NONE = "none"


@dataclass(frozen=True)
class Paper:
    """A paper: what it is about, whether it takes traces, and the options that it has, by their fields."""

    name: str
    about: str
    traces: Traces
    options: frozenset[str]

    def reproduce(self, request: "PaperRequest") -> "Work":
        """Return the work that answers; raises UsageError or IotraceError for invalid values."""
        self._refuse_traces(len(request.traces))
        work: Work = importlib.import_module(f"iotrace.papers.{self.name}.reproduction").reproduce(request)
        return work

    def _refuse_traces(self, count: int) -> None:
        if self.traces is Traces.NONE and count:
            raise UsageError(f"iotrace paper {self.name} takes no trace: its programs are made")
        if self.traces is Traces.NEEDED and not count:
            raise UsageError(f"iotrace paper {self.name} needs a trace, or several")


def _paper(name: str, about: str, traces: Traces, options: str) -> Paper:
    return Paper(name, about, traces, frozenset(options.split()))


_FOR_CHAPTERS = (
    "chapter figure regions keep_uncached deletes file_size runs page_bytes overhead_ms transfer_ms_per_kb"
)
# fmt: off
PAPERS = {paper.name: paper for paper in (
    _paper("richardson", "the dissertation of 1994, for traces of system calls", Traces.NEEDED,
           f"trace_format findings model like {_FOR_CHAPTERS}"),
    _paper("biswas", "the paper of 1993 on write caches, for block traces", Traces.NEEDED,
           "trace_format findings like disk fit replay time_scale"),
    _paper("kotz", "the paper of 1991 on parallel file systems, without a trace", Traces.NONE, "findings readings"),
    _paper("vilayannur", "the paper on caches of a cluster, with traces or without", Traces.TAKEN,
           "trace_format findings costs global_per_file readings"),
)}
# fmt: on


def refuse_options_of_others(name: str, given: Collection[str]) -> None:
    """Raise UsageError for the first option given, by its field, that other papers have and this one has not."""
    names = {option.field: option.name for option in options(Options)}
    for field in dict.fromkeys(field for paper in PAPERS.values() for field in paper.options):
        of = [paper.name for paper in PAPERS.values() if field in paper.options]
        if field in given and name not in of:
            *others, last = of
            known = f"{', '.join(others)} and {last}" if others else last
            raise UsageError(f"--{names.get(field, field.replace('_', '-'))} is for iotrace paper {known}")
