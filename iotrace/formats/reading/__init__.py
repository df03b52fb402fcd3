"""What the families of block and of parallel traces share: from files to bytes, batches, and a native table.

A format hands over `batches`; `run` checks, numbers and counts them, and each family says what its rows are.
"""
