"""Traces of keys, which simulations of caches of file blocks refuse."""

from iotrace.errors import IotraceError
from iotrace.store.store import Store


def refuse_objects(store: Store, simulated: str) -> None:
    """Raise IotraceError for a trace of keys, where `simulated` caches or programs are of files."""
    if store.family == "key_io":
        raise IotraceError(
            f"{store.name}: is a trace of requests for objects, and {simulated} of files: iotrace curve simulates"
            " caches of objects"
        )
