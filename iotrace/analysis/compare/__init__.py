"""What changed between two traces, or two sets of repeated ones, and what of it is noise."""

from iotrace.analysis.compare.compare import Comparison, MetricRow, compare

__all__ = ["Comparison", "MetricRow", "compare"]
