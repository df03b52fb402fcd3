"""The Python interface of the engine; the compiled module is ``iotrace.engine.native``."""

import os


def available_cores() -> int:
    """Return the number of cores that this process may use; on macOS, all cores of the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
