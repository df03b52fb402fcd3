"""Settings on their way into the engine: invalid ones are a ValueError, never a crash."""

import json
from typing import Any

import pytest

from iotrace.engine import native
from iotrace.option import options
from iotrace.simulate.disk import drive
from iotrace.simulate.write_cache.settings import Settings, for_engine

WRONG: list[dict[str, Any]] = [
    {"victim": "youngest"},
    {"victim": None},
    {"purge": "sometimes"},
    {"high_percent": "most"},
    {"interval": -1},
    {"memories": {"separate": {"read": 2**32, "write": 1}}},
    {"memories": {}},
    {"disks": "one"},
    {"surplus": 1},
]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_wrong_settings_of_a_write_cache_are_refused(wrong: dict[str, Any]) -> None:
    given = for_engine(Settings(), 1, "open")
    native.WriteCacheSimulator(drive("ra82").native, json.dumps([given]))
    with pytest.raises(ValueError, match=r"^\[0\]"):
        native.WriteCacheSimulator(drive("ra82").native, json.dumps([given | wrong]))


@pytest.mark.parametrize("field", [*for_engine(Settings(), 1, "open")])
def test_no_setting_of_a_write_cache_may_be_left_out(field: str) -> None:
    given = for_engine(Settings(), 1, "open")
    del given[field]
    with pytest.raises(ValueError, match=f"missing field `{field}`"):
        native.WriteCacheSimulator(drive("ra82").native, json.dumps([given]))


def test_an_option_has_the_words_of_the_engine() -> None:
    words = native.write_cache_words()
    by_field = {one.field: list(one.words) for one in options(Settings)}
    assert by_field["purge"] == words["purge"] and by_field["sharing"] == words["sharing"]
    assert by_field["victim"] == words["victim"] and by_field["queue"] == words["queue"]
    assert by_field["write_effect"] == ["purge", "update", "allocate"]


@pytest.mark.parametrize("policy", ["never", {"periodic": "soon"}, {"copy-back": 1}, "periodic"], ids=str)
def test_wrong_write_policies_are_refused(policy: object) -> None:
    memory = {"volatile_blocks": 1, "nonvolatile_blocks": 0}
    with pytest.raises(ValueError, match=r"^\[0\]"):
        native.nonvolatile_simulator("{}", json.dumps([{"memory": memory, "write_policy": policy}]))


@pytest.mark.parametrize("word", ["write_policy", "deletes", "syncs"])
def test_a_wrong_word_is_refused_with_the_words_there_are(word: str) -> None:
    with pytest.raises(ValueError, match=rf"{word}: unknown variant `never`, expected .*`$"):
        native.StackEngine(json.dumps({word: "never"}))
    for known in ("no-allocate", "data-overwrite") if word == "write_policy" else ("honour", "ignore"):
        native.StackEngine(json.dumps({word: known}))


def test_a_cache_is_refused_that_has_what_the_engine_does_not_know() -> None:
    with pytest.raises(ValueError, match="unknown field `block`"):
        native.StackEngine(json.dumps({"block": 4096}))


PARTITION = {
    "parts": [{"block_bytes": 4096, "quanta": 2, "weight": 1.0}],
    "quantum_bytes": 8192,
    "period_requests": 10,
    "fade": 0.5,
    "counts_writes": False,
}


@pytest.mark.parametrize("field", PARTITION)
def test_no_setting_of_an_adaptive_partition_may_be_left_out(field: str) -> None:
    native.adaptive_partitions("{}", json.dumps([PARTITION]))
    with pytest.raises(ValueError, match=f"missing field `{field}`"):
        native.adaptive_partitions(
            "{}", json.dumps([{name: value for name, value in PARTITION.items() if name != field}])
        )
