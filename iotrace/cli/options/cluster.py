"""Options of ``iotrace cluster``, beyond the settings of clusters."""

from pathlib import Path
from typing import Annotated

import typer

from iotrace.files.remote import Place
from iotrace.option.rules import Rules
from iotrace.simulate.cluster.settings import By

TracesArgument = Annotated[
    list[Place],
    typer.Argument(
        metavar="TRACE...",
        help="Stores, raw traces (- for standard input), or Parquet files of programs; several run together.",
        readable=False,
        show_default=False,
    ),
]
BypassOption = Annotated[
    Path | None,
    typer.Option("--bypass", help="Bypass bits, CSV or Parquet: adds a row.", show_default=False),
]
MetadataOption = Annotated[
    bool,
    typer.Option("--metadata/--no-metadata", help="A trace's opens and closes go to the metadata server."),
]
ByOption = Annotated[
    By | None,
    typer.Option("--by", help="The counts of each of these instead of totals.", show_default=False),
]
AdviceOption = Annotated[
    bool,
    typer.Option(
        "--advice",
        help="What should go through the global cache, and what that saves."
        " csv, json and parquet include its bypass bits.",
    ),
    Rules(
        conflicts=dict.fromkeys(
            ["--sweep", "--discipline", "--by", "--bypass", "--count-only"], "it simulates what it needs"
        )
    ),
]
