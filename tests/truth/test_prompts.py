"""Traces of prompts: tokens are counted where the tokens of every block are known, and not at all elsewhere."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from program import Done, Run
from property_tests import examples

from iotrace.formats.prompt_blocks import BlockSizes

TOKENS = 64
CACHE = ("--unit", "prefixes", "--sizes", "20", "--format", "json")
Prompts = list[tuple[int, list[int]]]
"""The tokens and the hashes of each prompt."""


def written(path: Path, prompts: Prompts) -> Path:
    lines = [
        {"timestamp": place, "input_length": tokens, "output_length": 1, "hash_ids": hashes}
        for place, (tokens, hashes) in enumerate(prompts)
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def drawn() -> Prompts:
    """Prompts of one to nine blocks that share their beginnings; the last block may have fewer tokens."""
    draw = random.Random(5)
    prompts = []
    for _ in range(400):
        root, blocks = draw.randrange(8), draw.randrange(1, 10)
        tokens = TOKENS * (blocks - 1) + draw.randrange(1, TOKENS + 1)
        prompts.append((tokens, [root * 100 + place for place in range(blocks)]))
    return prompts


def missed(prompts: Prompts, size: int) -> int:
    """The tokens that an LRU cache of prefixes misses, kept as a list: the slow twin."""
    cached: list[int] = []
    misses = 0
    for tokens, hashes in prompts:
        hits = next((place for place, key in enumerate(hashes) if key not in cached), len(hashes))
        misses += tokens - min(hits * TOKENS, tokens)
        cached = [*hashes, *(key for key in cached if key not in hashes)][:size]
    return misses


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return written(tmp_path / "prompts.jsonl", drawn())


def counted(done: Done) -> dict[str, Any]:
    """Return the only row."""
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    return dict(row)


def warnings(done: Done) -> list[str]:
    """Return the messages about tokens, a line each."""
    return [line for line in done.stderr.decode().splitlines() if "token" in line]


def test_tokens_are_those_of_a_list(run: Run, trace: Path) -> None:
    done = run("curve", trace, "--prompt-block", TOKENS, *CACHE)
    row, prompts = counted(done), drawn()
    assert (row["tokens"], row["token_misses"]) == (
        sum(tokens for tokens, _ in prompts),
        missed(prompts, 20),
    )
    assert warnings(done) == []
    tiers = run("curve", trace, "--prompt-block", TOKENS, "--tiers", "HBM=20:1us,computed=1ms", "-f", "json")
    assert [row["tokens"] for row in json.loads(tiers.stdout)] == [
        row["tokens"] - row["token_misses"],
        row["token_misses"],
    ]


def test_no_tokens_are_counted_where_blocks_of_512_do_not_fit(run: Run, trace: Path) -> None:
    """Prompts of one block fit any size; a count of their tokens alone would pass for that of all."""
    done = run("curve", trace, *CACHE)
    row, known = counted(done), counted(run("curve", trace, "--prompt-block", TOKENS, *CACHE))
    assert row == {**known, "tokens": None, "token_misses": None}
    several = sum(len(hashes) > 1 for _, hashes in drawn())
    assert warnings(done) == [
        f"iotrace: warning: {several} of 400 prompts have an input_length that does not fit their number of blocks of"
        " 512 tokens: tokens of blocks are not known, and are not counted; --prompt-block N says how many tokens a"
        " block has: 64 would fit all prompts"
    ]
    tiers = run("curve", trace, "--tiers", "HBM=20:1us,computed=1ms")
    assert "share of blocks" in tiers.stdout.decode() and "share of tokens" not in tiers.stdout.decode()


def test_prompts_that_fit_by_chance_are_not_counted_either(run: Run, tmp_path: Path) -> None:
    """Of blocks of 300 tokens: two blocks can have 550 tokens, as of 512, but not with 38 tokens in the last."""
    trace = written(tmp_path / "t.jsonl", [(550, [1, 2]), (10, [7]), (900, [1, 2, 3])])
    done = run("sql", trace, "select count(tokens) as known, count(*) as blocks from key_io", "-f", "json")
    assert counted(done) == {"known": 0, "blocks": 6}
    (warning,) = warnings(done)
    assert warning.endswith("300 to 449 would fit all prompts")
    told = run("sql", trace, "select sum(tokens) as known from key_io", "--prompt-block", 300, "-f", "json")
    assert counted(told) == {"known": 1460}


@pytest.mark.parametrize(
    ("prompts", "words", "said"),
    [
        ([(700, [1])], (), "700 or more would fit all prompts"),
        ([(700, [1]), (5, [1, 2])], (), "no number of tokens in a block fits all prompts"),
        ([(0, [1])], (), "no number of tokens in a block fits all prompts"),
        ([(100, [1, 2])], ("--prompt-block", 40), "50 to 99 would fit all prompts"),
    ],
)
def test_the_warning_says_what_would_fit(
    run: Run, tmp_path: Path, prompts: Prompts, words: tuple[object, ...], said: str
) -> None:
    done = run("curve", written(tmp_path / "t.jsonl", prompts), *CACHE, *words)
    assert counted(done)["tokens"] is None
    (warning,) = warnings(done)
    assert warning.endswith(said) and f"of {words[1] if words else 512} tokens" in warning


def test_prompts_without_a_length_have_unknown_tokens(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "t.jsonl"
    trace.write_text('{"hash_ids": [1], "input_length": 5}\n{"hash_ids": [1, 2]}\n')
    done = run("curve", trace, *CACHE)
    assert counted(done)["tokens"] is None
    assert warnings(done) == [
        "iotrace: warning: 1 of 2 prompts state no input_length: tokens of blocks are not known, and are not counted"
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--prompt-block", "0"), "a block has from 1 to 2,147,483,647 tokens, not 0"),
        (("--prompt-block", str(2**31)), "a block has from 1 to 2,147,483,647 tokens, not 2147483648"),
        (("--prompt-block", "64", "--columns", "key=1"), "--columns cannot be combined with --prompt-block"),
        (
            ("--prompt-block", "64", "--trace-format", "key-lines"),
            "give --prompt-block or --trace-format, not both",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(run: Run, trace: Path, words: tuple[str, ...], said: str) -> None:
    done = run("curve", trace, *words)
    assert done.returncode == 2 and said in done.stderr.decode()


def test_a_store_has_the_tokens_of_its_ingest(run: Run, trace: Path, tmp_path: Path) -> None:
    store = tmp_path / "prompts.iotrace"
    assert run("ingest", trace, "--prompt-block", TOKENS, "-o", store).returncode == 0
    assert b"prompt-blocks:64" in run("info", store).stdout
    row = counted(run("curve", store, *CACHE))
    assert row == counted(run("curve", store, "--prompt-block", TOKENS, *CACHE))
    assert row["token_misses"] == missed(drawn(), 20)
    done = run("curve", store, "--prompt-block", 32, *CACHE)
    assert done.returncode == 2
    assert "is a store: --prompt-block is for the iotrace ingest that makes it" in done.stderr.decode()


def test_a_trace_of_other_keys_has_no_prompts(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("1,a\n2,b\n")
    done = run("curve", tmp_path / "t.csv", "--prompt-block", 64)
    assert done.returncode == 1 and "is not in format prompt-blocks:64" in done.stderr.decode()


@examples(200)
@given(st.lists(st.tuples(st.integers(-3, 60), st.integers(1, 8)), min_size=1, max_size=4))
def test_bounds_are_those_of_trying_every_number(prompts: list[tuple[int, int]]) -> None:
    sizes = BlockSizes()
    for length, blocks in prompts:
        sizes.last_tokens(length, blocks, 512)
    fitting = [
        tokens
        for tokens in range(1, 100)
        if all(-(-length // tokens) == blocks for length, blocks in prompts)
    ]
    assert [tokens for tokens in range(1, 100) if sizes.least <= tokens <= sizes.most] == fitting
