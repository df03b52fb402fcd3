"""Work in parts that run at the same time: on threads, in processes, or on the machines of a cluster."""

from iotrace.workers.executor import Executor, Workers
from iotrace.workers.map_merge import map_merge
from iotrace.workers.spec import WorkerSpec, parsed

__all__ = ["Executor", "WorkerSpec", "Workers", "map_merge", "parsed"]
