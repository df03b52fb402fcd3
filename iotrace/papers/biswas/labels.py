"""Names of the metrics on the page: the headings of their columns."""

from functools import cache

from iotrace.reports.pages.schemas import headings


@cache
def labels() -> dict[str, str]:
    """Return what the page calls each metric."""
    return headings("printed_and_ours")
