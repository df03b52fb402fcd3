"""``iotrace top``: the files, processes and calls with most time, bytes, misses and latency, while they run."""

from iotrace.cli.inputs import progress_bar
from iotrace.cli.options import top as options
from iotrace.cli.options.groups import grouped
from iotrace.cli.recording import place_of, say_what_was_recorded

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace top                           the whole system, until q or Ctrl-C
 iotrace top -p 1234 --by calls        a process, with what it starts
 iotrace top --container web --sort bytes
 iotrace top --once -f json            totals of a second
 iotrace top --record -o now.iotrace   keep the recording for iotrace report

Keys: t time, b bytes, m misses, l latency, c calls; f files, p processes, s calls, Tab the next table; q quit.

Without a terminal it prints tables, one after the other.
""",
}


@grouped
def top(*, what: options.Watched, shown: options.Shown, keeping: options.Recording) -> None:
    """Show the files, processes and calls with most time, bytes, page cache misses and latency, once a second.

    Totals count the calls that returned in the interval; for files and processes only calls on storage, as in iotrace
    time. Misses are pages that came into the page cache: by reads, read-ahead and first writes. It needs BPF programs:
    root, or CAP_BPF and CAP_PERFMON.
    """
    from iotrace.cli.live.show import shower
    from iotrace.ingest import caller, capture
    from iotrace.ingest.contents import Contents
    from iotrace.ingest.live import Watch
    from iotrace.ingest.subjects import UNLIMITED, Limits

    caller.become(what.as_root)
    capture.refuse_without("iotrace top")
    subject = what.running()
    watch = Watch(shown.seconds, shower(shown, subject))
    limits = Limits(shown.seconds) if shown.once else UNLIMITED
    if not keeping.record:
        capture.capture(subject, None, Contents(), limits, watch=watch)
        return
    from iotrace.ingest import record as recorder
    from iotrace.ingest.backends import Backend

    settings = recorder.RecordingSettings(
        recorder.Recorder(Backend.BPF), replace=keeping.force, limits=limits, watch=watch
    )
    with progress_bar("Reading the trace") as progress:
        store = recorder.record_attached(
            subject, place_of(None, subject, keeping.output), settings, progress=progress
        )
    say_what_was_recorded(store, recorder.log_place(store.folder, settings.recorder), settings.kept)
