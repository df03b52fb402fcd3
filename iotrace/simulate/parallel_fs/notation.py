"""Settings in words: what ``--sweep`` varies, and how its values are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from iotrace.errors import UsageError
from iotrace.generate.patterns import Computation
from iotrace.simulate.parallel_fs.settings import POLICIES, Policy, Settings
from iotrace.simulate.parallel_fs.simulation import Case
from iotrace.simulate.parallel_fs.workloads import Made, Workload
from iotrace.units import blocks, size_bytes, time_ns, whole

OF_CACHES = ("policy", "replacement", "prefetch", "claim-order")
"""What can be varied of a cache alone."""
STEPS = 10
"""How many values a range without a step has."""
MOST_CASES = 100_000


def policy(text: str) -> Policy:
    """Read a write policy: ``WriteBack``, ``writeback``, ``write-back``, ``back``."""
    word = text.strip().lower().replace("-", "").removeprefix("write")
    for known in POLICIES:
        if word in (known.lower().removeprefix("write"), {"WriteThru": "through"}.get(known)):
            return known
    raise UsageError(f"{text.strip()!r} is no write policy: {', '.join(POLICIES)}")


def drive(text: str) -> str | None:
    """Read what kind of disk: ``constant``, or a drive's name."""
    return None if text.strip() == "constant" else text.strip()


@dataclass(frozen=True)
class Knob:
    """One thing that can be varied: the field, of the file system or of the pattern, and how a value is read."""

    field: str
    read: Callable[[str], Any]
    is_of_pattern: bool = False
    write: Callable[[float], str] | None = None
    """How a number between the ends of a range is written; None: the values are words."""


def _number(value: float) -> str:
    return f"{round(value)}"


def _time(value: float) -> str:
    return f"{round(value)}ns"


def _fraction(value: float) -> str:
    return f"{value:.17g}"


KNOBS: Mapping[str, Knob] = {
    "buffers": Knob("buffers", whole, write=_number),
    "policy": Knob("policy", policy),
    "disks": Knob("disks", whole, write=_number),
    "block": Knob("block_bytes", size_bytes, write=_number),
    "stripe": Knob("stripe_blocks", whole, write=_number),
    "service": Knob("service_ns", time_ns, write=_time),
    "disk": Knob("drive", drive),
    "first-disk": Knob("first_disk", str.strip),
    "replacement": Knob("replacement", str.strip),
    "prefetch": Knob("prefetch", str.strip),
    "overheads": Knob("overheads", str.strip),
    "jitter": Knob("jitter_ns", time_ns, write=_time),
    "claim-order": Knob("claim_order", str.strip),
    "processes": Knob("processes", whole, is_of_pattern=True, write=_number),
    "record": Knob("record_blocks", blocks, is_of_pattern=True, write=_fraction),
    "blocks-per-process": Knob("blocks_per_process", whole, is_of_pattern=True, write=_number),
    "file-blocks": Knob("file_blocks", whole, is_of_pattern=True, write=_number),
    "portion": Knob("portion_blocks", whole, is_of_pattern=True, write=_number),
    "gap": Knob("gap_blocks", whole, is_of_pattern=True, write=_number),
    "compute": Knob("compute_mean_ns", time_ns, is_of_pattern=True, write=_time),  # of the kind that there is
    "burst": Knob("burst", whole, is_of_pattern=True, write=_number),
}
"""What can be varied, by the name of its option."""


def axes(sweeps: Sequence[str]) -> dict[str, list[Any]]:
    """Read sweeps: ``buffers=20:200,policy=all`` is two of them, ``buffers=20,40,80`` one; a name's values, by name.

    ``20:200`` is ten values from the one to the other, fewer where whole numbers leave no room; ``20:200:60`` goes in
    steps; ``policy=all`` is every policy. Raises UsageError for what makes no sense.
    """
    texts: dict[str, list[str]] = {}
    name = ""
    for word in (word for sweep in sweeps for word in sweep.split(",")):
        before, equals, value = word.partition("=")
        if equals:
            name = before.strip()
            if name not in KNOBS:
                raise UsageError(f"--sweep: {name!r} is none of {', '.join(KNOBS)}")
            if name in texts:
                raise UsageError(f"--sweep: {name} is swept twice")
            texts[name] = []
            word = value
        elif not name:
            raise UsageError(f"--sweep: {word!r} is not NAME=VALUE,...")
        texts[name].append(word)
    return {name: _values(name, words) for name, words in texts.items()}


def _values(name: str, words: Sequence[str]) -> list[Any]:
    knob = KNOBS[name]
    try:
        found = [value for word in words for value in _expanded(name, knob, word)]
    except UsageError as error:
        raise UsageError(f"--sweep {name}: {error}") from None
    return list(dict.fromkeys(found))


def _expanded(name: str, knob: Knob, word: str) -> list[Any]:
    if word.strip() == "all" and name == "policy":
        return list(POLICIES)
    if ":" not in word or knob.write is None:
        return [knob.read(word)]
    ends = word.split(":")
    if len(ends) > 3:
        raise UsageError(f"{word!r} is not FROM:TO or FROM:TO:STEP")
    first, last, *step = (knob.read(end) for end in ends)
    if last < first or (step and step[0] <= 0):
        raise UsageError(f"{word!r} does not go upwards")
    if step:
        count = math.floor((last - first) / step[0] + 1e-9) + 1
        if count > MOST_CASES:
            raise UsageError(f"{word!r} is {count:,} values, more than {MOST_CASES:,}")
        numbers = [first + place * step[0] for place in range(count)]
    else:
        numbers = [first + place * (last - first) / (STEPS - 1) for place in range(STEPS)]
    return [knob.read(knob.write(number)) for number in numbers]


def varied(
    workload: Workload, settings: Settings, sweeps: Sequence[str], per_process: int | None
) -> list[Case]:
    """Return every combination of the values swept, the first name varying slowest.

    With ``per_process`` the cache has so many buffers for each process, however many there are. Raises UsageError for
    a sweep that makes no sense, or of a pattern's parameter where a trace runs.
    """
    swept = axes(sweeps)
    if math.prod(len(values) for values in swept.values()) > MOST_CASES:
        raise UsageError(f"--sweep: more than {MOST_CASES:,} combinations")
    if "service" in swept and (settings.drive is not None or any(swept.get("disk", []))):
        raise UsageError("--sweep service: a drive takes what it takes")
    of_caches = [one for one in OF_CACHES if one in swept]
    if of_caches and not settings.buffers and "buffers" not in swept:
        raise UsageError(f"--sweep {of_caches[0]} has no effect without a cache")
    cases = []
    made: dict[tuple[Any, ...], Workload] = {}
    for values in product(*swept.values()):
        chosen = dict(zip(swept, values, strict=True))
        of_pattern = {KNOBS[name].field: value for name, value in chosen.items() if KNOBS[name].is_of_pattern}
        if "block" in chosen:
            of_pattern["block_bytes"] = chosen["block"]
        of_system = {
            KNOBS[name].field: value for name, value in chosen.items() if not KNOBS[name].is_of_pattern
        }
        key = tuple(of_pattern.values())
        if key not in made:
            made[key] = _remade(workload, of_pattern)
        if per_process is not None and "buffers" not in of_system:
            of_system["buffers"] = per_process * sum(made[key].processes)
        label = ", ".join(f"{name}={_written(KNOBS[name], value)}" for name, value in chosen.items())
        cases.append(Case(made[key], replace(settings, **of_system), label or None))
    return cases


def _written(knob: Knob, value: Any) -> str:
    if knob.read is time_ns:
        return f"{value / 1e6:g}ms"
    return "constant" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _remade(workload: Workload, changes: dict[str, Any]) -> Workload:
    if isinstance(workload, Made):
        changes = dict(changes)
        if (mean_ns := changes.get("compute_mean_ns")) is not None:
            kind = workload.settings.computation
            usual = Computation.EXPONENTIAL if kind is Computation.NONE else kind
            changes["computation"] = usual if mean_ns else Computation.NONE
        burst = changes.pop("burst", workload.burst)
        return (
            Made(replace(workload.settings, **changes), burst)
            if changes or burst != workload.burst
            else workload
        )
    own = [name for name, knob in KNOBS.items() if knob.is_of_pattern and knob.field in changes]
    if own:
        raise UsageError(f"--sweep {own[0]}: a trace does what it did; patterns have this option")
    return workload
