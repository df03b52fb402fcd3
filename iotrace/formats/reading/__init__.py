"""Code that block and parallel traces share: from files to bytes, batches, and a native table.

A format hands over `batches`; `run` numbers and counts them; each family says which make sense and what its rows are.
"""
