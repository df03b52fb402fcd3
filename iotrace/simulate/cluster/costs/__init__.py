"""Costs of requests on the cluster of Vilayannur et al., by two models.

Model (a), `tables`: the printed times. Model (b), `Components`: what each part of the machine takes, from which
`stages` make the time of every row; the simulation of clusters serves those stages on its resources. Both return
nanoseconds for a row, a size in bytes, and a number of I/O daemons.
"""

from iotrace.simulate.cluster.costs.components import Components, components, names
from iotrace.simulate.cluster.costs.rows import IODS, KB, SIZES_KB, CostRow
from iotrace.simulate.cluster.costs.stages import Resource, Stage, duration_ns, stages
from iotrace.simulate.cluster.costs.tables import (
    Extrapolated,
    printed,
    required_by_table,
    required_hit_ratio,
    time_ns,
)

__all__ = [
    "IODS",
    "KB",
    "SIZES_KB",
    "Components",
    "CostRow",
    "Extrapolated",
    "Resource",
    "Stage",
    "components",
    "duration_ns",
    "names",
    "printed",
    "required_by_table",
    "required_hit_ratio",
    "stages",
    "time_ns",
]  # fmt: skip
