"""The stores that ``iotrace ingest`` writes: one, one for each job, or one that is there with a further partition."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from iotrace.cli.inputs import progress_bar
from iotrace.cli.options.append import AppendOptions
from iotrace.cli.options.ingest import IngestOptions
from iotrace.cli.output import Format
from iotrace.cli.tables.store import say_what_was_read
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import IotraceError
from iotrace.files.remote import Place


def write_stores(
    files: Sequence[Place], output: Place | None, force: bool, options: IngestOptions, form: Format | None
) -> None:
    """Write a store of a trace, or one for each job, of which one that cannot be read does not end the others."""
    from iotrace.ingest import pipeline

    stores, failed = options.stores(files, output), list[str]()
    for path, trace in stores.items():
        try:
            with progress_bar(f"Reading {trace[0]}") as progress:
                arguments = options.arguments()
                store = pipeline.ingest(
                    trace, path, replace=force, progress=progress, say=warn_of, **arguments
                )
            say_what_was_read(store, form, options.max_skipped)
        except IotraceError as error:
            if len(stores) == 1:
                raise
            warn_of(str(error))
            failed.append(str(path))
    if failed:
        raise IotraceError(
            f"{len(failed):,} of {len(stores):,} jobs could not be read in full, or not at all: {failed[0]}"
        )


def append(
    path: Path,
    files: Sequence[Place],
    appending: AppendOptions,
    options: IngestOptions,
    form: Format | None,
) -> None:
    """Append a trace to a store, if one is given; then drop the rows of its oldest partitions, if that is asked for."""
    from iotrace.analysis.kept_partitions import keep
    from iotrace.ingest import append
    from iotrace.store import appended
    from iotrace.store.skipped import BY_FILE

    if files:
        with progress_bar(f"Reading {files[0]}") as progress:
            append.append(
                path,
                files,
                appending.partition,
                keep,
                progress=progress,
                say=warn_of,
                **options.arguments(),
            )
    if appending.drop_before is not None:
        print(f"iotrace: {append.drop_before(path, appending.drop_before)}", file=sys.stderr)
    store = append.opened(path)
    last = (
        appended.entries(store)[-1] if files else {"damage": [], "counts": {"skipped_lines": 0, "parsed": 0}}
    )
    say_what_was_read(store, form, options.max_skipped, {**store.manifest, BY_FILE: {}, **last})
