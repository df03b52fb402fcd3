"""Traces of keys, which simulations of caches of file blocks refuse."""

from iotrace.errors import IotraceError
from iotrace.store.store import Store


def refuse_objects(store: Store, name: str, simulated: str) -> None:
    """Raise IotraceError for a trace of keys; `name` is what messages call it, `simulated` what is simulated."""
    if store.family == "key_io":
        raise IotraceError(
            f"{name}: is a trace of requests for objects, and {simulated} of files: iotrace curve simulates caches of"
            " objects"
        )
