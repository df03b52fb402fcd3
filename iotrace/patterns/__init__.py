"""Parallel access patterns in traces: which it is, file by file and phase by phase, and how sure (Kotz and Ellis 1991)."""
