"""One grammar of ``--sweep``, and options declared once, for all simulators."""

import re
from dataclasses import replace

import pytest

from iotrace.errors import UsageError
from iotrace.generate.patterns.settings import Computation, Pattern
from iotrace.generate.patterns.settings import Settings as PatternSettings
from iotrace.option import check_rules, described, options
from iotrace.simulate.attribute.settings import Settings as Attribute
from iotrace.simulate.cluster.cases import compared
from iotrace.simulate.cluster.settings import NAMES
from iotrace.simulate.cluster.settings import Settings as Cluster
from iotrace.simulate.nonvolatile.settings import Settings as Nonvolatile
from iotrace.simulate.parallel_fs.settings import Settings as FileSystem
from iotrace.simulate.parallel_fs.settings import varied
from iotrace.simulate.sweep import varied as varied_of_any
from iotrace.simulate.write_cache.settings import Settings as WriteCache


def test_a_time_swept_keeps_the_kind_of_computation() -> None:
    made = PatternSettings(Pattern.GW, computation=Computation.CONSTANT, compute_mean_ns=1_000_000)
    found = varied(FileSystem(pattern=made), ["compute=none,1ms:3ms:1ms,exponential:9ms"])
    patterns = [one.pattern for one in found if one.pattern is not None]
    assert [(one.computation, one.compute_mean_ns) for one in patterns] == [
        (Computation.NONE, 0),
        *((Computation.CONSTANT, ms * 1_000_000) for ms in (1, 2, 3)),
        (Computation.EXPONENTIAL, 9_000_000),
    ]
    none = replace(made, computation=Computation.NONE, compute_mean_ns=0)
    (one,) = varied(FileSystem(pattern=none), ["compute=1ms"])
    assert one.pattern is not None and one.pattern.computation is Computation.EXPONENTIAL


def test_blocks_of_a_sweep_are_those_of_the_pattern() -> None:
    found = varied(FileSystem(pattern=PatternSettings(Pattern.GW)), ["block=512,4K"])
    assert [(one.block_bytes, one.pattern and one.pattern.block_bytes) for one in found] == [
        (512, 512),
        (4096, 4096),
    ]
    assert [one.swept for one in found] == ["block=512", "block=4K"]


def test_flags_and_words_of_other_values_are_swept() -> None:
    found = varied_of_any(FileSystem(), ["files-exist=all,while-writing=wait,write"])
    assert [(one.files_exist, one.writes_while_writing) for one in found] == [
        (False, False),
        (False, True),
        (True, False),
        (True, True),
    ]


def test_disciplines_are_compared_once_in_each_place() -> None:
    names = [(one.discipline, one.threshold) for one in compared(Cluster())]
    assert [name for name, _ in names if name != "run-time"] == [name for name in NAMES if name != "run-time"]
    assert [threshold for name, threshold in names if name == "run-time"] == [3, 20]
    found = compared(Cluster(), ["discipline=local,run-time", "nodes=1:3:1"])
    assert [(one.nodes, one.discipline) for one in found[:3]] == [
        (1, "local"),
        (1, "run-time"),
        (1, "run-time"),
    ]
    assert [one.swept for one in found[::3]] == ["nodes=1", "nodes=2", "nodes=3"]
    (own,) = compared(Cluster(), has_bypass=True)
    assert own.discipline == "bypass"


@pytest.mark.parametrize(
    ("sweep", "why"),
    [
        ("local=1:inf", "has no end"),
        ("nodes=0", "nodes: 0 is not from 1 to 65,536"),
        ("network=token-ring", "'token-ring' is not one of hub, switch"),
        ("nodes=all", "all words"),
    ],
)
def test_sweeps_without_sense_are_refused(sweep: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        varied_of_any(Cluster(), [sweep])


def test_what_has_no_effect_is_refused_and_empty() -> None:
    without = FileSystem(buffers=0)
    assert described(without)["policy"] is None and described(FileSystem())["policy"] == "WriteBack"
    check_rules([without, FileSystem()], {"policy"})
    with pytest.raises(UsageError, match="--policy cannot be combined with --buffers 0"):
        check_rules([without], {"policy"})


def test_what_changes_nothing_counts_for_no_rule() -> None:
    single = WriteCache(single_cache_bytes=1 << 20, write_cache_bytes=0)
    assert described(single)["write_cache_bytes"] is None and described(single)["purge"] == "two-thresholds"
    check_rules([single], {"purge"})
    with pytest.raises(UsageError, match="--purge cannot be combined with --write-cache 0"):
        check_rules([WriteCache(write_cache_bytes=0)], {"purge"})


def test_rules_name_options_and_values_that_are_not_their_defaults() -> None:
    for kind in (Attribute, Cluster, FileSystem, Nonvolatile, WriteCache, PatternSettings):
        by_name = {f"--{one.name}": one for one in options(kind)}
        for one in by_name.values():
            for words in (*one.rules.needs, *one.rules.conflicts):
                for name, value in re.findall(r"(--[\w-]+)(?: (?!or )([\w-]+))?", words):
                    if value and name in by_name:
                        other = by_name[name]
                        assert other.read(value) != other.default, (one.name, words)


def test_values_are_read_as_they_are_written() -> None:
    for settings in (Cluster(), FileSystem(buffers=80, block_bytes=1024)):
        for one in options(type(settings)):
            value = getattr(settings, one.field)
            if one.changes is None:
                assert one.read(one.typed(value)) == value, one.name
