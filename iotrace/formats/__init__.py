"""The trace formats: one module each, and the registry, in which each has one line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from iotrace.errors import UsageError
from iotrace.formats import (
    alibaba,
    biosnoop,
    blkparse,
    blktrace,
    columns,
    disksim_ascii,
    disksim_validate,
    fio_iolog,
    fiu,
    hp_srt,
    mqsim,
    msr_cambridge,
    oracle_general,
    spc,
    strace,
    systor17,
    tencent,
    ultrix,
    vms_io,
    vscsi,
)
from iotrace.formats.disk_io.requests import files_of
from iotrace.formats.format import Format, Run

FORMATS: tuple[Format, ...] = (
    strace.FORMAT,
    ultrix.FORMAT,
    vms_io.FORMAT,
    blktrace.FORMAT,
    blkparse.FORMAT,
    fio_iolog.FORMAT,
    biosnoop.FORMAT,
    hp_srt.FORMAT,
    vscsi.FORMAT,
    msr_cambridge.FORMAT,
    systor17.FORMAT,
    alibaba.FORMAT,
    tencent.FORMAT,
    spc.FORMAT,
    fiu.FORMAT,
    disksim_validate.FORMAT,
    disksim_ascii.FORMAT,
    mqsim.FORMAT,
    oracle_general.FORMAT,
    columns.FORMAT,
)
"""Every format that iotrace reads, in the order in which they are tried."""


def named(name: str) -> Format:
    """Return the format of that name, or that ``csv:`` describes; raises UsageError for an unknown one."""
    if name.startswith(columns.PREFIX):
        return columns.columns_format(name.removeprefix(columns.PREFIX))
    for form in FORMATS:
        if form.name == name:
            return form
    raise UsageError(f"{name}: no such format; there are {', '.join(form.name for form in FORMATS)}")


def source(paths: Sequence[Path], name: str | None = None) -> Format:
    """Return the format of a trace: the one named, or the one that recognises the first bytes, else strace's.

    strace logs have no mark of their own, so that its reader judges: a log without a single system call is
    refused. What a pipe holds can be read only once, so that nothing is recognised there.
    """
    if name is not None:
        return named(name)
    from iotrace.engine import native

    first = next((path for path in files_of(paths[:1]) if path.is_file()), None)
    head = native.first_bytes(str(first), 65536) if first is not None else b""
    for form in FORMATS:
        if form.recognises(head):
            return form
    return strace.FORMAT


__all__ = ["FORMATS", "Format", "Run", "named", "source"]
