"""``iotrace formats``: the trace formats that can be read."""

from __future__ import annotations

from iotrace.cli.output import Format, FormatOption, OutputOption


def formats(form: FormatOption = Format.TABLE, output: OutputOption = None) -> None:
    """List the trace formats that iotrace reads; all may be compressed with gzip, zstd, xz or bzip2."""
    import pyarrow as pa

    from iotrace.cli.output import emit
    from iotrace.formats import FORMATS

    rows = [
        {"format": one.name, "family": one.family, "endings": one.endings, "what": one.sentence}
        for one in FORMATS
    ]
    emit(pa.Table.from_pylist(rows), form, output, "Formats")
