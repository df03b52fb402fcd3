"""Parallel access patterns in traces: file by file, phase by phase, and how sure (Kotz and Ellis 1991)."""
