"""The output of ``iotrace demo``."""

from typing import TYPE_CHECKING

from iotrace.cli.terminal import visible

if TYPE_CHECKING:
    from iotrace.reports.report.data import Evidence


def print_evidence(evidence: "Evidence") -> None:
    """Print the verdict, and the numbers that say most, for reading."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    numbers = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    numbers.add_column(justify="right", style="bold")
    numbers.add_column()
    for row in evidence.numbers.to_pylist():
        numbers.add_row(Text(visible(row["shown"])), Text(visible(row["quantity"])))
    console.print()
    for sentence in evidence.verdict:
        console.print(Text(visible(sentence)))
    console.print()
    console.print(numbers)
    console.print()
