"""Which references headlines, rankings and caches speak of."""

from enum import StrEnum


class Population(StrEnum):
    """Data is what read and write calls move; metadata are inodes and directories; all has mapped programs, too.

    The values of parameter population of the statistics.
    """

    DATA = "data"
    METADATA = "metadata"
    ALL = "all"
