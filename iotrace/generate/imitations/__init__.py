"""Imitations of the six applications whose traces Vilayannur et al. used (figures 12 and 13; the UMD traces).

The traces themselves are not public. What these make has the structure that the paper's sentence on each application
names, and nothing else of it: sizes, counts, and the order of accesses are assumed, and every parameter says so. They
show what a simulation does with such a structure; they never decide what the paper found of the applications.
"""

from iotrace.generate.imitations.databases import DB2, Titan
from iotrace.generate.imitations.imitation import Imitation
from iotrace.generate.imitations.matrices import LU, Cholesky
from iotrace.generate.imitations.scans import Mining, Pgrep

IMITATIONS: dict[str, type[Imitation]] = {
    "lu": LU,
    "cholesky": Cholesky,
    "titan": Titan,
    "mining": Mining,
    "pgrep": Pgrep,
    "db2": DB2,
}
"""By the names that users give, in the paper's order."""

__all__ = ["DB2", "IMITATIONS", "LU", "Cholesky", "Imitation", "Mining", "Pgrep", "Titan"]
