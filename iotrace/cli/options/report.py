"""The options of ``iotrace report``."""

from dataclasses import dataclass

from iotrace.cli.options.groups import Group, declared


@dataclass(frozen=True)
class Content(Group):
    """The content of a report."""

    paper: bool = declared(
        False, "Also compare a trace of calls with papers: their values, caches and machines.", "--paper"
    )
