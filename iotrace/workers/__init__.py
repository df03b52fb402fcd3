"""Work in parts that run at the same time: on threads, in processes, or on the machines of a cluster."""

from iotrace.workers.map_merge import Executor, map_merge
from iotrace.workers.wanted import Wanted, Workers, parsed

__all__ = ["Executor", "Wanted", "Workers", "map_merge", "parsed"]
