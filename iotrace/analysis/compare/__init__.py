"""What changed between two traces, or two sets of repeated ones, and what of it is noise."""

from iotrace.analysis.compare.compare import Comparison, Row, compare

__all__ = ["Comparison", "Row", "compare"]
