"""``iotrace write-cache``: what a disk controller with a write cache would make of a block trace."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iotrace import units
from iotrace.analysis.block_budget import Budget
from iotrace.cli.inputs import TraceArgument, TraceFormatOption, open_trace
from iotrace.cli.options.block_budget import BudgetOption
from iotrace.cli.options.settings import named_fields, takes
from iotrace.cli.output import ForceOption, Format, FormatOption, OutputOption, emit, refuse_to_overwrite
from iotrace.cli.terminal import warn_of
from iotrace.errors import UsageError
from iotrace.option import refuse_without_effect
from iotrace.simulate.sweep import HELP as SWEEP_HELP
from iotrace.simulate.sweep import swept_fields, varied
from iotrace.simulate.write_cache.comparison import comparison
from iotrace.simulate.write_cache.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace write-cache disk.iotrace --disk ra82 --write-cache 1M --read-cache 2M
                              the paper's policies side by side: none, asap, one threshold, two, piggybacking
 iotrace write-cache disk.iotrace --disk ra82 --unit cylinder --piggyback full --format json
                              one controller, all its metrics
 iotrace write-cache disk.iotrace --disk ra82 --sweep write-cache=125K,250K,500K,1M,2M --sweep unit=track,cylinder
 iotrace write-cache disk.iotrace --disk ra82 --single 2.5M --purge dynamic --unit cylinder --piggyback full
 iotrace write-cache disk.iotrace --disk ra82 --single 2.5M --search thresholds
 iotrace write-cache new.csv.gz --disk sata-7200 --time-scale busy=30% --fit scale

[b]Names[/b]: w_wc is disk writes over writes, r_wc disk reads over reads, io_stall what waited; all in percent.
"""
}


class Replay(StrEnum):
    """When requests come."""

    OPEN = "open"
    CLOSED = "closed"


class Fit(StrEnum):
    """What becomes of blocks beyond the disk's end."""

    WRAP = "wrap"
    SCALE = "scale"
    REJECT = "reject"


class Search(StrEnum):
    """What is searched for."""

    THRESHOLDS = "thresholds"
    SPLIT = "split"


POLICY = {"purge", "piggyback", "victim", "single_cache_bytes"}
"""One of these asks for a controller of its own; without, the paper's policies are compared."""

SHOWN = (
    "policy",
    "w_wc",
    "r_wc",
    "io_stall",
    "read_queue_ms",
    "read_service_ms",
    "write_service_ms",
    "piggyback_success",
    "kbytes_per_purge",
    "total_ios",
    "disk_busy",
    "dirty_at_end",
    "dirty_at_end_percent",
)


@takes(Settings)
def write_cache(
    context: typer.Context,
    trace: TraceArgument,
    disk: Annotated[
        str,
        typer.Option(
            "--disk", "-d", help="A drive: ra81, ra82, ra90, rz26, hp-97560, ... or a file NAME.toml."
        ),
    ] = "sata-7200",
    *,
    settings: Settings,
    device: Annotated[
        list[str] | None,
        typer.Option(
            "--device",
            help="Only this disk of the trace, by its name (repeatable); otherwise all, each a drive of its own.",
            metavar="NAME",
            show_default=False,
        ),
    ] = None,
    head_switch: Annotated[
        float | None,
        typer.Option(
            "--head-switch",
            help="Milliseconds instead of the drive's; 0 is the paper's upper bound for cylinders.",
            metavar="MS",
            show_default=False,
        ),
    ] = None,
    replay: Annotated[
        Replay,
        typer.Option("--replay", help="Requests come at their times, or each after the last one's answer."),
    ] = Replay.OPEN,
    time_scale: Annotated[
        str,
        typer.Option(
            "--time-scale",
            help="Multiply the times, or busy=30%: so that the disk is so busy without a write cache.",
            metavar="X|busy=P%",
        ),
    ] = "1",
    fit: Annotated[
        Fit, typer.Option("--fit", help="What becomes of block numbers beyond the disk's end.")
    ] = Fit.WRAP,
    sweep: Annotated[
        list[str] | None,
        typer.Option(
            "--sweep",
            metavar="NAME=VALUE,...",
            show_default=False,
            help=SWEEP_HELP,
        ),
    ] = None,
    search: Annotated[
        Search | None,
        typer.Option(
            "--search",
            help="The best fixed thresholds, or the best split between read and write cache; best first.",
            show_default=False,
        ),
    ] = None,
    budget: BudgetOption = Budget.WRITE_CACHE.value,
    trace_format: TraceFormatOption = None,
    form: FormatOption = Format.TABLE,
    output: OutputOption = None,
    force: ForceOption = False,
) -> None:
    """Simulate a disk controller's write cache: what reaches the disk, how long requests take and wait."""
    refuse_to_overwrite(output, force)
    from iotrace.simulate.write_cache import devices
    from iotrace.simulate.write_cache.requests import Requests
    from iotrace.simulate.write_cache.search import search as searched
    from iotrace.simulate.write_cache.settings import Settings
    from iotrace.simulate.write_cache.simulation import simulate

    scale, busy = _time_scale(time_scale)
    if head_switch is not None and head_switch < 0:
        raise UsageError(f"--head-switch takes 0 ms or more, not {head_switch:g}")
    if sweep and search:
        raise UsageError("--sweep and --search do not go together")
    named = named_fields(context, Settings) | swept_fields(Settings, sweep or [])
    all_settings = (
        varied(settings, sweep or [], warn_of) if named & POLICY or sweep or search else comparison(settings)
    )
    if search is Search.SPLIT:
        named -= {"read_cache_bytes", "write_cache_bytes"}
    refuse_without_effect(named, all_settings)
    store = open_trace(trace, form=trace_format)
    requests = Requests(store, None if device is None else devices.chosen(store, device), budget)
    if "sharing" in named and len(requests.survey.devices) == 1:
        raise UsageError("--sharing has no effect on a trace of one disk")

    def run(several: Any) -> pa.Table:
        return simulate(
            requests,
            disk,
            several,
            replay=replay.value,
            time_scale=scale,
            busy_percent=busy,
            fit=fit.value,
            head_switch_ms=head_switch,
        )

    rows = run(all_settings) if search is None else searched(search.value, settings, run)
    _warn_of_refitted(rows)
    if form is Format.TABLE:
        emit(_for_reading(rows), form, output, note=_note(rows, device or []))
    else:
        emit(rows, form, output)


def _time_scale(text: str) -> tuple[float, float | None]:
    """Return the scale, and the busy share in percent that it is chosen for."""

    name, equals, value = text.partition("=")
    if equals and name.strip() == "busy":
        return 1.0, units.percentage(value)
    try:
        return float(text), None
    except ValueError:
        raise UsageError(f"--time-scale: {text!r} is neither a number nor busy=P%") from None


def _for_reading(rows: pa.Table) -> pa.Table:
    """Return the columns that the paper has, after the settings in which the rows differ."""
    import pyarrow as pa

    words = [_in_words(row) for row in rows.to_pylist()]
    differing = [name for name in words[0] if len({one[name] for one in words}) > 1]
    policies = [", ".join(filter(None, (one[name] for name in differing or one))) for one in words]
    return rows.add_column(0, "policy", pa.array(policies)).select(SHOWN)


def _in_words(row: dict[str, Any]) -> dict[str, str]:
    """Return a row's settings in words, by what they are about; empty where there is nothing to say."""
    from iotrace import units

    def size(name: str) -> str:
        held = row[f"{name}_cache_bytes"]
        return "" if held is None else f"{name} {units.size(held)}"

    limits = [f"{row[name]:g}" for name in ("high_percent", "low_percent") if row[name] is not None]
    return {
        "single": size("single"),
        "write": "no write cache" if row["write_cache_bytes"] == 0 else size("write"),
        "read": size("read"),
        "purge": f"{row['purge'] or ''} {'/'.join(limits)}".strip(),
        "interval": "" if row["interval"] is None else f"every {row['interval']:,}",
        "unit": row["unit"],
        "piggyback": "" if row["piggyback"] == "none" else f"{row['piggyback']} piggyback",
        "victim": "" if row["victim"] == "most-dirty" else row["victim"],
        "write_effect": "" if row["write_effect"] in ("purge", None) else f"write {row['write_effect']}",
        "admission": "" if row["admission"] == "blocks" else "whole writes",
        "forced": "" if row["forced"] == "cached" else "forced go through",
        "queue": "" if row["queue"] == "fifo" else row["queue"],
        "sharing": "" if row["sharing"] == "common" else row["sharing"],
    }


def _warn_of_refitted(rows: pa.Table) -> None:
    """Say how many requests are for blocks that the disk has not, before any number that they make doubtful."""
    first = rows.slice(0, 1).to_pylist()[0]
    if refitted := first["refitted_requests"]:
        how = {"wrap": "wrapped around it", "scale": "scaled down to it"}[first["fit"]]
        share = units.percent(100 * refitted / (first["reads"] + first["writes"]))
        warn_of(
            f"{refitted:,} requests ({share}) are for blocks beyond the end of {first['disk']} and were {how}, so that"
            " seeks and hits are not the trace's: choose a larger --disk"
        )


def _note(rows: pa.Table, chosen_devices: list[str]) -> str:
    """Say what was simulated, and what was done to the trace for it."""
    import json

    first = rows.slice(0, 1).to_pylist()[0]
    tally = json.loads(rows.schema.metadata[b"tally"])
    count = "" if first["disks"] == 1 else f"{first['disks']} of "
    only = f" (of the trace, {', '.join(chosen_devices)})" if chosen_devices else ""
    said = [
        f"{count}{first['disk']}{only}; {first['reads']:,} reads, {first['writes']:,} writes; {first['replay']} replay"
        + (f", times multiplied by {first['time_scale']:.4g}" if first["time_scale"] != 1 else "")
        + "."
    ]
    for name, words in (
        ("unsorted", "requests came out of order and were sorted by time"),
        ("without_blocks", "requests without blocks were left out"),
        ("unknown", "requests that are neither read nor write were left out"),
    ):
        if tally[name]:
            said.append(f"{tally[name]:,} {words}.")
    said.extend(_dirty_at_end(rows))
    warnings = dict.fromkeys(filter(None, rows["warning"].to_pylist()))
    said.extend(f"Warning: {warning}." for warning in warnings)
    said.append(
        "w_wc, r_wc, io_stall, piggyback_success and disk_busy in percent; --format json has all metrics."
    )
    return "\n".join(said)


def _dirty_at_end(rows: pa.Table) -> list[str]:
    """Say how much was never written because the trace ended; nothing where all was."""
    from iotrace import units

    shares = {row["dirty_at_end"]: row["dirty_at_end_percent"] for row in rows.to_pylist()}
    most = max(shares)
    if not most:
        return []
    least = "" if len(shares) == 1 else f"{units.count(min(shares))} to "
    share = "" if shares[most] is None else f", {units.percent(shares[most])} of the blocks written"
    return [
        f"Not written when the trace ended, and not in w_wc: {least}{units.count(most)} dirty blocks of 512 bytes"
        f"{share} (dirty_at_end)."
    ]
