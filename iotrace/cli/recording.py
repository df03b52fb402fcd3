"""The messages of ``iotrace record``: the output file, the counts, the slowdown by tracing, the next commands."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace import units
from iotrace.cli import partly_read
from iotrace.cli.inputs import warn
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import UsageError

if TYPE_CHECKING:
    from iotrace.ingest.contents import Contents
    from iotrace.ingest.record import Recorder, RecordingSettings
    from iotrace.ingest.subjects import Running
    from iotrace.store.store import Store


def place_of(
    command: Sequence[str] | None, subject: Running | None, output: Path | None, *, is_folder: bool = False
) -> Path:
    """Return the store, or the folder of stores, to write; raises UsageError for options that do not go together."""
    from iotrace.ingest.subjects import store_name
    from iotrace.store.folder import SUFFIX

    if bool(command) == bool(subject):
        raise UsageError(
            "give either a command to trace, after --, or what runs already: --pid, --cgroup, --container, --system"
            " or --block"
        )
    if output is None:
        name = store_name(subject) if subject else Path((command or [""])[0]).name
        output = Path(name if is_folder else f"{name}{SUFFIX}")
    if output.name in ("", ".."):
        raise UsageError(f"{output}: is not a name for a store; give -o STORE")
    return output


def say_unfinished(output: Path) -> None:
    """Say which logs earlier runs left that were killed."""
    from iotrace.ingest import record as recorder

    for partial in recorder.unfinished_logs(output):
        warn_of(
            f"{partial}: is the log of a run that was killed; ingest it with:"
            f" {recorder.how_to_ingest(partial)}"
        )


def say_how(recorder: Recorder, subject: Running | None) -> None:
    """Say why strace records, where that was not asked for, and which processes of a cgroup are recorded."""
    from iotrace.ingest.capture import how_to_allow

    if recorder.reason is not None:
        print(
            f"iotrace: recording with strace, some 30 µs a call; BPF programs cannot record here, as"
            f" {recorder.reason}{how_to_allow(recorder.reason)}",
            file=sys.stderr,
        )
    _say_by_processes(recorder, subject)


def _say_by_processes(recorder: Recorder, subject: Running | None) -> None:
    """Say that processes which come into a cgroup later are not recorded, where that is so."""
    if subject is not None and subject.cgroup is not None and not (recorder.is_bpf and subject.by_cgroup):
        why = "strace knows no cgroups" if subject.by_cgroup else "BPF programs know those of version 2 only"
        processes = units.plural(len(subject.pids), "process that is", "processes that are")
        print(
            f"iotrace: recording the {processes} in {subject} now, with what they start, as {why}",
            file=sys.stderr,
        )


def record_rotated(subject: Running | None, store: Path, settings: RecordingSettings, seconds: float) -> int:
    """Record until Ctrl-C, add a recording to a store or folder of stores after each time; return the status."""
    from iotrace.analysis.kept_partitions import keep
    from iotrace.ingest import rotated

    if subject is None:
        raise UsageError("--rotate records until Ctrl-C or for --seconds, and takes no command")

    def say(sentence: str) -> None:
        print(f"iotrace: {sentence}", file=sys.stderr)

    path = shlex.quote(str(store))
    if settings.is_of_disks:
        rotated.record_disks(subject, store, settings, seconds, keep, say)
        say(f"next: iotrace catalogue {path}, or iotrace report {path}")
    else:
        say_unfinished(store / rotated.LOG)
        rotated.record_calls(subject, store, settings, seconds, say)
        say(f"next: iotrace catalogue {path}")
    return 0


def say_what_was_recorded(store: Store, log: Path, kept: Contents) -> None:
    """Say what is in a store just recorded, what is not, how far tracing slowed it down, and what to do next."""
    from iotrace.analysis.verdict import unseen_sentences
    from iotrace.store.info import counted
    from iotrace.store.manifest import RECORDING, WAITS

    warn(store.manifest)
    if store.family.has_disks:
        _say_requests(store, log)
        return
    print(f"{store.path}: {counted(store, ('calls', 'references', 'files', 'processes'))}", file=sys.stderr)
    with store.queried() as connection:
        for sentence in unseen_sentences(connection):
            warn_of(sentence)
    print(f"iotrace: the recording is kept as {log}", file=sys.stderr)
    print(f"iotrace: {what_is_kept(kept)}", file=sys.stderr)
    if recording := store.manifest.get(RECORDING):
        print(f"iotrace: {cost_of(recording)}", file=sys.stderr)
    elif left_out := store.manifest[WAITS]:
        print(
            f"iotrace: threads may also wait in calls that are not recorded ({', '.join(left_out)}), as they would slow"
            " programs down further; --all-waits records them",
            file=sys.stderr,
        )
    if message := slowed_down(store):
        print(f"iotrace: {message}", file=sys.stderr)
    path = shlex.quote(str(store.path))
    print(f"iotrace: next: iotrace report {path}, or iotrace advice {path}", file=sys.stderr)
    partly_read.note(log, store.manifest)


def _say_requests(store: Store, log: Path) -> None:
    """Say how many requests to disks were recorded and lost, how large the recording is, and what to do next."""
    from iotrace.store.manifest import RECORDING

    counts, recording = store.manifest["counts"], store.manifest[RECORDING]
    requests = units.plural(counts["requests"], "request", "requests")
    print(f"{store.path}: {requests} to {units.plural(counts['files'], 'disk', 'disks')}", file=sys.stderr)
    size = units.size(recording["stored_bytes"])
    print(f"iotrace: the recording is kept as {log} ({size})", file=sys.stderr)
    print(
        "iotrace: the recording and the store hold times, places and lengths of requests, and names of the programs"
        " that made them; not what was read or written, or names of files",
        file=sys.stderr,
    )
    before, after = recording["requests_begun_before"], recording["requests_unfinished"]
    if before or after:
        print(
            f"iotrace: not recorded, as they were under way on any disk: {units.plural(before, 'request', 'requests')}"
            f" that began before the recording, and {after:,} not complete at its end",
            file=sys.stderr,
        )
    print(f"iotrace: {cost_of(recording)}", file=sys.stderr)
    path = shlex.quote(str(store.path))
    print(f"iotrace: next: iotrace report {path}, or iotrace curve {path}", file=sys.stderr)
    partly_read.note(log, store.manifest)


def cost_of(recording: Mapping[str, Any]) -> str:
    """Say what BPF programs recorded and lost, what that cost, and how large an hour of it is."""
    added_ns, recorded_ns = recording["added_ns"], recording["recorded_ns"]
    lost = sum(recording[f"lost_{what}"] for what in ("calls", "lives", "processes", "events"))
    parts = [
        f"{units.plural(recording['records'], 'record', 'records')}, {units.count(lost) if lost else 'none'} lost"
    ]
    if dropped := recording["dropped_calls"] + recording["dropped_events"]:
        parts.append(
            f"{units.count(dropped)} of these were dropped, as the recording was larger than --max-size"
        )
    if met := recording["met_processes"]:
        processes = units.plural(met, "process", "processes")
        parts.append(f"{processes} came during the recording, so that descriptors from before are not known")
    if added_ns is not None:
        parts.append(f"BPF programs add about {units.duration(added_ns)} to a call here")
    parts.append(f"the recorder took {units.duration(recording['recorder_ns'])} of a processor")
    if recorded_ns >= LEAST_NS:
        parts.append(f"an hour like this is {units.size(recording['stored_bytes'] * HOUR_NS // recorded_ns)}")
    return "; ".join(parts)


LEAST_NS = 1_000_000_000
"""Of a shorter recording it is not said how large an hour would be."""
HOUR_NS = 3600 * 1_000_000_000


def what_is_kept(kept: Contents) -> str:
    """Say what the log and the store hold."""
    arguments = (
        "arguments of programs (--no-arguments leaves these out)" if kept.arguments else "names of programs"
    )
    redacted = " Names that match --redact are replaced." if kept.redact else ""
    return (
        f"the log and the store hold paths, targets of links, addresses of sockets and {arguments};"
        f" not the environment, and not what was read, written, sent or received.{redacted}"
    )


def slowed_down(store: Store) -> str | None:
    """Say how far strace slowed down what it traced; None where that was not measured."""
    overhead = store.manifest.get("tracing_overhead")
    if overhead is None:
        return None
    counts = store.manifest["counts"]
    traced_ns, calls, run_ns = overhead["traced_ns"], counts["calls"], counts["duration_ns"]
    others = (
        f", {units.duration(overhead['others_ns'])} to any other"
        if 10 * overhead["others_ns"] >= traced_ns
        else ""
    )
    added_ns, these = traced_ns * calls, units.plural(calls, "call", "calls")
    in_all = f": {units.duration(added_ns)} to {these}, more where other programs run"
    if run_ns is not None and added_ns > run_ns:
        # strace is one thread, and cannot take longer than the run
        in_all = f"; to {these} within {units.duration(run_ns)} it added less on average" if run_ns else ""
    return (
        f"strace adds about {units.duration(traced_ns)} to a call in the log{others}, as a loop on this machine"
        f" shows{in_all}"
    )
