"""The views of the counters of Darshan's modules, one SQL file each, made of the engine's lists of counters."""

import re

from iotrace.engine import native

FOLDER = "queries/counters"
PREFIXES = {"MPI-IO": "MPIIO", "BG/Q": "BGQ"}
"""How the names of a module's counters begin, where that is not the module's name."""
WITHOUT = ("NULL", "DXT_POSIX", "DXT_MPIIO", "HEATMAP", "APMPI", "APXC")
"""Modules without such a view: of accesses, of bins (view heat_map), and of hundreds of counters of MPI and routers."""
BOUNDS = {
    "0_100": "0 to 100 bytes",
    "100_1K": "101 bytes to 1 KB",
    "1K_10K": "over 1 to 10 KB",
    "10K_100K": "over 10 to 100 KB",
    "100K_1M": "over 100 KB to 1 MB",
    "1M_4M": "over 1 to 4 MB",
    "4M_10M": "over 4 to 10 MB",
    "10M_100M": "over 10 to 100 MB",
    "100M_1G": "over 100 MB to 1 GB",
    "1G_PLUS": "over 1 GB",
}
"""Darshan's classes of sizes; K, M and G are powers of 1024."""
ORDINALS = {"1": "most", "2": "second most", "3": "third most", "4": "fourth most"}
KNOWN = {
    "OPENS": ("calls", "Opens."),
    "READS": ("calls", "Reads."),
    "WRITES": ("calls", "Writes."),
    "SEEKS": ("calls", "Seeks."),
    "STATS": ("calls", "Calls of stat."),
    "MMAPS": ("calls", "Mappings."),
    "FSYNCS": ("calls", "Calls of fsync."),
    "FDSYNCS": ("calls", "Calls of fdatasync."),
    "FLUSHES": ("calls", "Flushes."),
    "INDEP_OPENS": ("calls", "Opens that a rank made for itself."),
    "COLL_OPENS": ("calls", "Collective opens."),
    "INDEP_READS": ("calls", "Reads that a rank made for itself."),
    "INDEP_WRITES": ("calls", "Writes that a rank made for itself."),
    "COLL_READS": ("calls", "Collective reads."),
    "COLL_WRITES": ("calls", "Collective writes."),
    "SPLIT_READS": ("calls", "Split collective reads."),
    "SPLIT_WRITES": ("calls", "Split collective writes."),
    "NB_READS": ("calls", "Reads that do not block."),
    "NB_WRITES": ("calls", "Writes that do not block."),
    "BYTES_READ": ("bytes", "What reads moved."),
    "BYTES_WRITTEN": ("bytes", "What writes moved."),
    "MAX_BYTE_READ": ("bytes", "The largest offset that was read."),
    "MAX_BYTE_WRITTEN": ("bytes", "The largest offset that was written."),
    "CONSEC_READS": ("calls", "Reads that begin right after the last byte of the one before."),
    "CONSEC_WRITES": ("calls", "Writes that begin right after the last byte of the one before."),
    "SEQ_READS": (
        "calls",
        "Reads that begin after the last byte of the one before, consecutive ones among them.",
    ),
    "SEQ_WRITES": (
        "calls",
        "Writes that begin after the last byte of the one before, consecutive ones among them.",
    ),
    "RW_SWITCHES": ("calls", "Changes between reading and writing."),
    "FILE_NOT_ALIGNED": ("calls", "Accesses that do not begin at a multiple of the file's alignment."),
    "FILE_ALIGNMENT": ("bytes", "The file's alignment: the file system's block, or Lustre's stripe."),
    "MEM_NOT_ALIGNED": ("calls", "Accesses whose memory is not aligned."),
    "MEM_ALIGNMENT": ("bytes", "The alignment of memory."),
    "FASTEST_RANK": ("identifier", "The rank with the least time; of a record of all ranks."),
    "SLOWEST_RANK": ("identifier", "The rank with the most time; of a record of all ranks."),
    "FASTEST_RANK_BYTES": ("bytes", "The bytes of the rank with the least time."),
    "SLOWEST_RANK_BYTES": ("bytes", "The bytes of the rank with the most time."),
    "F_READ_TIME": ("s", "Time in reads; over all ranks in a record of all."),
    "F_WRITE_TIME": ("s", "Time in writes; over all ranks in a record of all."),
    "F_META_TIME": ("s", "Time in opens, closes, seeks and the like; over all ranks in a record of all."),
    "F_MAX_READ_TIME": ("s", "The longest read."),
    "F_MAX_WRITE_TIME": ("s", "The longest write."),
    "F_FASTEST_RANK_TIME": ("s", "The time of the rank with the least."),
    "F_SLOWEST_RANK_TIME": ("s", "The time of the rank with the most."),
    "F_VARIANCE_RANK_TIME": ("s2", "The variance of the ranks' time."),
    "F_VARIANCE_RANK_BYTES": ("bytes2", "The variance of the ranks' bytes."),
}


def views() -> dict[str, str]:
    """Return the modules that have a view, by its name."""
    modules = [module for module, _ in native.darshan_counters() if module not in WITHOUT]
    return {f"darshan_{re.sub('[-/]', '', module.lower())}": module for module in modules}


def text(module: str) -> str:
    """Return the SQL file of a module's view."""
    prefix = PREFIXES.get(module, module)
    counters = list(dict(native.darshan_counters())[module])
    if module == "LUSTRE":
        counters += [(f"LUSTRE_COMP1_{name}", False) for name in ("STRIPE_SIZE", "STRIPE_COUNT")]
    lines, columns = [], []
    for name, is_real in counters:
        short = name.removeprefix(f"{prefix}_")
        unit, description = _described(short, name)
        lines.append(f"{short.lower()}  {'double' if is_real else 'int64'}?  [{unit}]  {description}")
        columns.append(f"max({_value(short, is_real)}) filter (counter = '{name}') as \"{short.lower()}\"")
    of_file = (
        "A record is of a file" if module not in ("BG/Q",) else "A record is of the machine, and of no file"
    )
    head = [
        f"Counters of module {module}",
        "",
        f"One row per record of module {module} in a log of Darshan, with a column for each of its counters. {of_file}",
        "and of a rank, or of all ranks. What the record's version does not have, and what was not observed, is null.",
        "",
        "Source: darshan-util.",
        "Family: darshan_job, parallel_io",
        "",
        "Columns:",
        "  record  int64  [identifier]  As in table darshan_record.",
        "  job  int32  [identifier]  The log.",
        "  file  int32?  [identifier]  The file.",
        "  rank  int64  [identifier]  The rank; -1 for all of them together.",
        *(f"  {line}" for line in lines),
    ]
    body = ",\n       ".join(
        [
            "select record, any_value(job) as job, any_value(file) as file, any_value(rank) as rank",
            *columns,
        ]
    )
    header = "".join(f"-- {line}\n" if line else "--\n" for line in head)
    return f"{header}\n{body}\nfrom darshan_counter\nwhere module = '{module}'\ngroup by record\n"


def _value(short: str, is_real: bool) -> str:
    """Return a counter's value as SQL: null where it was not observed, and for a time that never was."""
    if not is_real:
        return "nullif(value, -1)"
    return (
        "if(seconds > 0, seconds, null)" if short.endswith("TIMESTAMP") else "if(seconds >= 0, seconds, null)"
    )


def _described(short: str, name: str) -> tuple[str, str]:
    if short in KNOWN:
        return KNOWN[short]
    if match := re.fullmatch(r"(SIZE|EXTENT)_(READ|WRITE)_(AGG_)?(\w+)", short):
        kind, direction, is_whole, bounds = match.groups()
        what = "Reads" if direction == "READ" else "Writes"
        of = " in all" if is_whole else " as extents" if kind == "EXTENT" else ""
        return "calls", f"{what} of {BOUNDS[bounds]}{of}."
    if match := re.fullmatch(r"(ACCESS|STRIDE)([1-4])_(ACCESS|STRIDE|COUNT)", short):
        kind, number, what = match.groups()
        if what == "COUNT":
            return "calls", f"How often column {kind.lower()}{number}_{kind.lower()} occurs, at least."
        noun = "size of accesses" if kind == "ACCESS" else "distance between accesses"
        return "bytes", f"The {ORDINALS[number]} common {noun}."
    if match := re.fullmatch(r"F_(\w+)_(START|END)_TIMESTAMP", short):
        what, end = match[1].lower(), "first" if match[2] == "START" else "last"
        moment = "began" if match[2] == "START" else "ended"
        return "s", f"When the {end} {what} {moment}, since the job's start; null if there was none."
    if short.endswith("TIMESTAMP"):
        return "s", f"Darshan's time stamp {name}, since the job's start; null if there was none."
    return ("s" if short.startswith("F_") else "number"), f"Darshan's counter {name}."


def section() -> str:
    """Return what the page of statistics says of these views."""
    rows = "".join(
        f"| `{view}` | {module} | {len(dict(native.darshan_counters())[module])} |\n"
        for view, module in views().items()
    )
    return (
        "## Counters of Darshan's modules\n\n"
        "A view for each module has a row for each record, with columns `record`, `job`, `file`, `rank`, and one for\n"
        "each counter: Darshan's name in lower case without the module's, as in `f_read_time` of `POSIX_F_READ_TIME`.\n"
        "`iotrace schema VIEW` describes them. What a version of the record does not have, what was not observed\n"
        "(-1), and time stamps of what never happened (0) are null. The counters of modules APMPI and APXC are in\n"
        "table `darshan_counter` only.\n\n"
        f"| view | module | counters |\n|---|---|--:|\n{rows}"
    )
