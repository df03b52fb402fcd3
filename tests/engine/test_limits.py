"""The largest values that the engine takes; Python asks for them, and none is written there again."""

from iotrace.engine import native


def test_traces() -> None:
    assert native.trace_limits() == {
        "time_ns": 1 << 62,
        "duration_ns": 30 * 366 * 86_400 * 10**9,
        "line_bytes": 64 << 20,
    }
    assert native.block_limits() == {"disk_blocks": 1 << 54, "request_blocks": 1 << 23}
    assert native.call_limits() == {"process": (1 << 31) - 1, "place": 1 << 62, "length": 1 << 44}
    assert native.object_limits() == {"size": 1 << 62}


def test_simulators() -> None:
    assert native.cache_limits() == {"blocks": (1 << 32) - 1, "block_bytes": (1 << 32) - 1}
    assert native.cluster_limits() == {
        "length": 1 << 36,
        "offset": 1 << 62,
        "threshold": 1 << 20,
        "frames": (1 << 32) - 2,
    }
    assert native.closed_loop_limits() == {"blocks": 1 << 20, "after_ns": 100 * 86_400 * 10**9}
    assert native.parallel_limits() == {
        "processes": 1 << 20,
        "files": 1 << 24,
        "disks": 1 << 20,
        "buffers": 1 << 24,
    }
