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
        False, "Also changes that would save less than 1 % of the trace's time and bytes.", "--all"
    )
    card: int | None = declared(
        None,
        "Show the card of the piece of advice with this number: evidence, what to do, how to check it.",
        metavar="NUMBER",
        min=1,
        show_default=False,
    )
    verbose: bool = declared(
        False, "Show all cards.", "--verbose", "-v", conflicts={"--card": "both choose the cards"}
    )
    sql: bool = declared(False, "Print the SQL of the evidence instead, for iotrace sql.")
    listing: bool = declared(False, "List all rules: what they look for, and their thresholds.", "--list")

    def cards(self, count: int) -> range | None:
        """Return the places of the cards that are asked for, of `count`; None for the short list.

        Raises UsageError for a card that is not there.
        """
        if self.card is not None:
            if self.card > count:
                there = (
                    "there is none" if not count else f"there are {count}" if count > 1 else "there is one"
                )
                raise UsageError(f"--card {self.card}: {there} for this trace")
            return range(self.card - 1, self.card)
        return range(count) if self.verbose or self.rule is not None else None

    def names(self, known: Collection[str]) -> list[str]:
        """Return the rules that are named; raises UsageError for unknown ones."""
        names = [] if self.rule is None else [word.strip() for word in self.rule.split(",")]
        if unknown := [name for name in names if name not in known]:
            raise UsageError(
                f"--rule: {', '.join(unknown) or 'nothing'} is none of the rules {', '.join(known)}"
            )
        return names
