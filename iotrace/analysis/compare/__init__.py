"""Changes between two traces, or two sets of repeated ones, and which of them are noise."""

from iotrace.analysis.compare.compare import Comparison, MetricRow, compare

__all__ = ["Comparison", "MetricRow", "compare"]
