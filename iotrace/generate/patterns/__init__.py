"""Parallel access patterns after Kotz and Ellis (1991, section 3.2): what each process reads or writes, in order."""
