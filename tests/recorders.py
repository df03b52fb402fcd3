"""What can record here, for tests that record."""

import pytest

from iotrace.errors import UsageError
from iotrace.ingest import capture, tracing


def reason_to_skip() -> str | None:
    try:
        tracing.find_strace()
    except UsageError as error:
        return str(error)
    return None


REASON = reason_to_skip()
NO_BPF = capture.refusal()
needs_strace = pytest.mark.skipif(REASON is not None, reason=str(REASON))
needs_bpf = pytest.mark.skipif(NO_BPF is not None, reason=f"BPF programs cannot record here: {NO_BPF}")
BACKENDS = [pytest.param("strace", marks=needs_strace), pytest.param("bpf", marks=needs_bpf)]
SUFFIXES = {"strace": ".strace.zst", "bpf": ".iorec"}
"""What the name of a recording ends with."""
on_both_backends = pytest.mark.parametrize("backend", BACKENDS)
