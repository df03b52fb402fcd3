"""The trace formats: one module each, and the registry, in which each has one line."""

import difflib
import re
from collections.abc import Sequence
from pathlib import Path

from iotrace.errors import IotraceError, UsageError
from iotrace.files.of_trace import files_of
from iotrace.formats import (
    biosnoop,
    blkparse,
    blktrace,
    block_events,
    charisma,
    columns,
    darshan,
    darshan_dxt,
    delimited,
    dftracer,
    disksim_validate,
    docker_registry,
    fio_iolog,
    hp_srt,
    iorec,
    key_records,
    key_traces,
    opensnoop,
    oracle_general,
    pattern,
    perf,
    prompt_blocks,
    recorder,
    recorder_parquet,
    recorder_text,
    strace,
    ultrix,
    umd_ascii,
    umd_binary,
    unrecognised,
    vms_io,
    vscsi,
)
from iotrace.formats.containers import unreadable
from iotrace.formats.format import Format, ReadsAhead, Run
from iotrace.formats.parallel_io.members import heads_of_archive, is_archive
from iotrace.formats.reading.files import first_bytes, listed
from iotrace.formats.standard_input import PATH as STANDARD_INPUT
from iotrace.formats.standard_input import first_bytes_of_standard_input

FORMATS: tuple[Format, ...] = (
    strace.FORMAT,
    ultrix.FORMAT,
    iorec.FORMAT,
    perf.FORMAT,
    perf.FTRACE,
    opensnoop.FORMAT,
    vms_io.FORMAT,
    pattern.FORMAT,
    darshan.FORMAT,
    darshan.COUNTERS,
    darshan_dxt.FORMAT,
    dftracer.FORMAT,
    recorder.FORMAT,
    recorder_text.FORMAT,
    recorder_parquet.FORMAT,
    charisma.FORMAT,
    umd_ascii.FORMAT,
    umd_binary.FORMAT,
    *umd_binary.FORCED,
    blktrace.FORMAT,
    blkparse.FORMAT,
    block_events.FORMAT,
    block_events.OF_NVME,
    iorec.BLOCK,
    fio_iolog.FORMAT,
    biosnoop.FORMAT,
    hp_srt.FORMAT,
    vscsi.FORMAT,
    delimited.MSR_CAMBRIDGE,
    delimited.SYSTOR17,
    delimited.ALIBABA,
    delimited.TENCENT,
    delimited.SPC,
    delimited.FIU,
    disksim_validate.FORMAT,
    delimited.DISKSIM,
    delimited.MQSIM,
    key_records.LCS,
    prompt_blocks.FORMAT,
    docker_registry.FORMAT,
    *key_traces.RECOGNISED,
    oracle_general.FORMAT,
    oracle_general.BLOCKS,
    *key_traces.NAMED,
    *key_records.STREAMS,
    columns.FORMAT,
)
"""Every format that iotrace reads, in the order in which they are tried."""


MARKED = (
    darshan.FORMAT,
    darshan_dxt.FORMAT,
    dftracer.FORMAT,
    recorder.FORMAT,
    recorder_text.FORMAT,
    charisma.FORMAT,
    pattern.FORMAT,
)
"""Parallel formats that a file's beginning shows beyond doubt."""
LAST_RESORT = strace.FORMAT
"""The format of a trace that none recognises."""
LOOKED_INTO = 64
"""How many files of a folder are looked into."""


def named(name: str) -> Format:
    """Return the format of that name, or with what ``csv:``, ``prompt-blocks:`` or ``nvme-events:`` says of it.

    Raises UsageError for an unknown one.
    """
    if name.startswith(columns.PREFIX):
        return columns.columns_format(name.removeprefix(columns.PREFIX))
    if name.startswith(prompt_blocks.PREFIX):
        return prompt_blocks.of_tokens(name.removeprefix(prompt_blocks.PREFIX))
    if name.startswith(block_events.PREFIX):
        return block_events.of_blocks(name.removeprefix(block_events.PREFIX))
    for form in FORMATS:
        if form.name == name:
            return form
    names = [form.name for form in FORMATS]
    near = difflib.get_close_matches(name, names, 3) or [known for known in names if name in known]
    hint = f"the nearest: {', '.join(near)}; " if near else ""
    raise UsageError(f"{name}: no such format; {hint}iotrace formats lists all {len(names)}")


def source(paths: Sequence[Path], name: str | None = None) -> Format:
    """Return the format of a trace: the one named, or the first that recognises its first bytes, else strace's.

    In a folder one recognised file is enough; so it is in a tar archive, for the formats of parallel traces. strace
    logs have no magic number, so their reader decides: a log without a single system call is refused. Standard
    input is recognised as files are; a named pipe, which can be read only once, is not. Raises IotraceError for a file
    that holds something to be unpacked or converted first.
    """
    _refuse_folder_without_files(paths)
    heads = heads_of(paths)
    if len(heads) == 1 and (why := unreadable(heads[0])):
        raise IotraceError(f"{paths[0]}: {why}")
    if name is not None:
        return _outside_archives(named(name), paths, heads)
    for form in FORMATS:
        if any(form.recognises(head) for head in heads):
            if form.family.has_ranks:
                _refuse_mixed(form, paths)
            return _outside_archives(form, paths, heads)
    inside = [inner for head in heads for inner in heads_of_archive(head)]
    for form in FORMATS:
        if form.family.has_ranks and any(form.recognises(head) for head in inside):
            return form
    _refuse_folder_without_logs(paths)
    return LAST_RESORT


def _outside_archives(form: Format, paths: Sequence[Path], heads: Sequence[bytes]) -> Format:
    """Return a format; raises IotraceError where it reads no archives and a trace is one, which would pass for text."""
    if not form.family.has_archives and any(map(is_archive, heads)):
        raise IotraceError(f"{paths[0]}: is a tar archive, of a trace of format {form.name}: unpack it first")
    return form


def _refuse_folder_without_files(paths: Sequence[Path]) -> None:
    if paths[0] == STANDARD_INPUT or not all(path.is_dir() for path in paths) or files_of(paths):
        return
    folders = sorted(entry for path in paths for entry in path.iterdir() if entry.is_dir())
    if folders:
        raise IotraceError(f"{paths[0]}: has only folders ({listed(folders)}): name the one with the trace")
    raise IotraceError(f"{paths[0]}: is an empty folder: name a trace, or the folder with its files")


LOG_OF_THREAD = re.compile(r".*\.[0-9]+(\.(gz|zst|xz|bz2))?", re.DOTALL)
"""The names that ``strace -ff`` gives, FILE.PID, which may be compressed."""


def _refuse_folder_without_logs(paths: Sequence[Path]) -> None:
    if len(paths) != 1 or not paths[0].is_dir():
        return
    files = files_of(paths)
    if not any(LOG_OF_THREAD.fullmatch(path.name) for path in files):
        raise IotraceError(
            f"{paths[0]}: no file in this folder is a trace that is known by its content, or a log named FILE.PID of"
            f" strace -ff ({listed(files)}): name a file to read it alone"
        )


def _refuse_mixed(form: Format, paths: Sequence[Path]) -> None:
    """Raise IotraceError where files of a parallel trace are of another parallel format than the first."""
    for path in files_of(paths):
        if not path.is_file():
            continue
        head = first_bytes(path)
        if form.recognises(head):
            continue
        other = next((marked for marked in MARKED if marked.recognises(head)), None)
        if other is not None:
            raise IotraceError(
                f"{path}: is a {other.name} trace among files of format {form.name}: ingest each format alone"
            )


def heads_of(paths: Sequence[Path]) -> list[bytes]:
    """Return the first bytes, decompressed, of the files by which a trace's format is recognised."""
    if paths[0] == STANDARD_INPUT:
        return [first_bytes_of_standard_input()]
    return [first_bytes(path) for path in files_of(paths[:1])[:LOOKED_INTO] if path.is_file()]


def unrecognised_sentence(paths: Sequence[Path], heads: Sequence[bytes]) -> str:
    """Say why no format reads a trace that begins so."""
    return unrecognised.sentence(paths, heads, FORMATS)


__all__ = [
    "FORMATS",
    "LAST_RESORT",
    "Format",
    "ReadsAhead",
    "Run",
    "heads_of",
    "named",
    "source",
    "unrecognised_sentence",
]
