"""The report's section on files that several processes access: their parallel access patterns."""

import pyarrow as pa

from iotrace.analysis.patterns import study
from iotrace.errors import IotraceError
from iotrace.store.store import Store


def table(store: Store) -> pa.Table:
    """Return result patterns of what several processes access, most accesses first; without rows where nothing is."""
    try:
        found = study.patterns_alone(store, study.Options(shared_only=True))
    except IotraceError:
        return study.patterns([])
    return found.sort_by([("accesses", "descending")])
