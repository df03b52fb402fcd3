"""Work in parts that run at the same time: on threads, in processes, or on the machines of a cluster."""

from iotrace.workers.map_merge import Executor, map_merge
from iotrace.workers.spec import Workers, WorkerSpec, parsed

__all__ = ["Executor", "WorkerSpec", "Workers", "map_merge", "parsed"]
