"""``iotrace jobs``: a row for each job of Darshan's logs."""

from typing import Annotated

import typer

from iotrace.cli.options.groups import grouped
from iotrace.cli.options.jobs import JobOptions, open_jobs
from iotrace.cli.output import Output
from iotrace.files.remote import Place

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace jobs logs/                              a folder of logs, and the folders in it
 iotrace jobs *.darshan --sort bytes_written --top 20
 iotrace jobs logs/ --where "io_share > 0.3 and ranks >= 64"
 iotrace jobs logs.tar --format csv -o jobs.csv
 iotrace jobs jobs.iotrace --where "uid = 1000"   a store that iotrace ingest made
 iotrace report logs/ --job 4471                  the page of one
"""
}


@grouped
def jobs(
    logs: Annotated[
        list[Place],
        typer.Argument(help="Darshan's logs, folders or archives of them, or a store.", readable=False),
    ],
    *,
    options: JobOptions,
    output: Output,
) -> None:
    """List the jobs of Darshan's logs: I/O share of the run, bytes, bandwidth, and what decides the time."""
    from iotrace.analysis.jobs import jobs

    store = open_jobs(logs, options.worker_spec)
    output.emit(options.chosen(jobs(store, options.merge_jobs), output.is_table), "Jobs")
