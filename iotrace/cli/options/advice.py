"""The options of ``iotrace advice``."""

from collections.abc import Collection
from dataclasses import dataclass

from iotrace.cli.options.groups import Group, declared
from iotrace.errors import UsageError


@dataclass(frozen=True)
class RuleFilter(Group):
    """Which advice is given, and how it is shown."""

    rule: str | None = declared(
        None, "Only these rules: a list of names. Default: all for the kind of trace.", show_default=False
    )
    everything: bool = declared(
        False, "Also what has less at stake than 1 % of the trace's time and bytes.", "--all"
    )
    sql: bool = declared(False, "Print the SQL of the evidence instead, for iotrace sql.")
    listing: bool = declared(
        False, "List all rules: what they look for, and from which numbers on.", "--list"
    )

    def names(self, known: Collection[str]) -> list[str]:
        """Return the rules that are named; raises UsageError for unknown ones."""
        names = [] if self.rule is None else [word.strip() for word in self.rule.split(",")]
        if unknown := [name for name in names if name not in known]:
            raise UsageError(
                f"--rule: {', '.join(unknown) or 'nothing'} is none of the rules {', '.join(known)}"
            )
        return names
