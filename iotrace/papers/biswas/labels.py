"""Names of the metrics on the page, and which of them it writes without decimals."""

LABELS = {
    "space_mb": "MB",
    "surfaces": "surfaces",
    "tracks_per_surface": "tracks a surface",
    "blocks_per_track": "blocks a track",
    "rpm": "rpm",
    "reads": "reads",
    "mean_read_kbytes": "mean read KB",
    "writes": "writes",
    "mean_write_kbytes": "mean write KB",
    "trace_hours": "hours",
    "busy": "busy %",
    "disk_busy": "disk busy %",
    "w_wc": "Wwc %",
    "r_wc": "Rwc %",
    "io_stall": "stalls %",
    "piggyback_success": "piggyback success %",
    "kbytes_per_purge": "KB a purge",
    "kbytes_per_piggyback": "KB a piggyback",
    "read_service_ms": "read service ms",
    "write_service_ms": "write service ms",
    "read_queue_ms": "read queue ms",
    "read_queue_behind_writes_ms": "behind writes ms",
    "total_ios": "total I/Os",
}
"""The headings of metrics on the page."""
WHOLE = {
    "surfaces",
    "tracks_per_surface",
    "blocks_per_track",
    "rpm",
    "reads",
    "writes",
    "trace_hours",
    "total_ios",
}
"""Metrics that are printed without decimals."""
