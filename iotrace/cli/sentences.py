"""The first sentence of each command's help; docs/generate writes it."""

SENTENCES = {
    "demo": "Report on the trace that comes with iotrace.",
    "record": "Record the system calls of a command, or of running processes, and ingest them.",
    "top": (
        "Show the files, processes and calls with most time, bytes, page cache misses and "
        "latency, once a second."
    ),
    "ingest": "Turn a raw trace into a store of Parquet tables.",
    "formats": "List the trace formats that can be read.",
    "report": "Write an HTML page about a trace; of several traces, one page each and an index.",
    "info": (
        "Show what a trace holds, what was skipped, warnings, and how many paths agree with the kernel's."
    ),
    "jobs": (
        "List the jobs of Darshan's logs: I/O share of the run, bytes, bandwidth, and what decides the time."
    ),
    "catalogue": (
        "List the stores in a folder and its subfolders: kind of trace, bytes, headline, "
        "worst finding and knee."
    ),
    "time": (
        "Show where the time goes: storage, waiting or no recorded call; by call, file, "
        "directory, program and process."
    ),
    "advice": (
        "Say what to change, most at stake first: what was found where, what to do, how "
        "to check it, how sure it is."
    ),
    "compare": "Compare traces before and after a change.",
    "characterize": "Print a workload's statistics.",
    "patterns": "Name the parallel access pattern of each file.",
    "curve": (
        "Compute the miss ratios of LRU caches of every size, exactly in one pass, or estimated (--sample)."
    ),
    "memory": (
        "Predict the pages that Linux reads from the device if a container or machine had "
        "more or less memory."
    ),
    "merge-curves": (
        "Merge the states of consecutive slices, exactly: the curve is that of one pass over all records."
    ),
    "sql": "Query a trace, or several, in SQL.",
    "views": (
        "Write the views of stores as SQL, or as a DuckDB database: for DuckDB's own "
        "programs, DBeaver, Metabase, dbt."
    ),
    "schema": "Describe the tables, views and their columns.",
    "attribute": "Compute caches that are partitioned by file attributes, at every size.",
    "nonvolatile": "Compute caches with limited non-volatile memory.",
    "write-cache": "Simulate the write cache of a disk controller.",
    "cluster": "Simulate the local and global caches of a cluster.",
    "parallel": "Simulate parallel processes on a parallel file system.",
    "disk": "List and show the drives that can be simulated.",
    "paper": "Reproduce a paper's tables and figures for your traces.",
    "generate": "Make a synthetic trace.",
    "export": (
        "Write a trace as text that can be ingested again, as a profile or timeline, or "
        "as tables (CSV, JSON, Parquet)."
    ),
    "cache": (
        "Show what is kept in the user's cache: stores of raw traces, answers and "
        "catalogues, with their sizes."
    ),
}
