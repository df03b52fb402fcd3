"""Whether strace is here and may trace, for tests that record."""

import pytest

from iotrace.errors import UsageError
from iotrace.ingest import tracing


def reason_to_skip() -> str | None:
    try:
        tracing.find_strace()
    except UsageError as error:
        return str(error)
    return None


REASON = reason_to_skip()
needs_strace = pytest.mark.skipif(REASON is not None, reason=str(REASON))
