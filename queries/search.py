"""Tables, views and statistics found by words, as ``iotrace schema --search`` finds them."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from iotrace.queries import Query, cookbook

from iotrace import queries, schemas

MOST = 12
"""How many are found at most."""
_WEIGHTS = {
    "name": 6.0,
    "title": 4.0,
    "description": 2.0,
    "columns": 3.0,
    "column descriptions": 1.0,
    "questions": 3.0,
}
_OF_KIND = {queries.WIDE: 1.5, "table": 1.2, queries.BASE: 0.8, queries.COUNTERS: 0.4, "result": 0.5}
"""How much what is found counts by what it is, compared with a statistic."""
_MEANINGS = """
latency = duration response
slow = duration latency slowest longest
fast = duration latency
peak = maximum largest
read = bytes_read
written = write
size = bytes length
command = program
executable = program
folder = directory
filename = path
missing = exist failed error
nonexistent = exist failed error
fail = error failed
failure = error failed
date = timestamp
clock = timestamp wall
flush = sync
fsync = sync call
throughput = bytes load
bandwidth = bytes load
parallel = rank
mpi = rank parallel
hot = popular popularity skew
hottest = popular popularity skew
disk = device block
device = disk
object = key
queue = depth
request = reference
cpu = computing processor
container = cgroup
thread = process
idle = pause
lock = waiting
user = uid
average = mean
when = window time
long = duration latency
busiest = load busy
busy = load
hit = miss curve
straggler = slowest rank
"""
"""Words that people use, and those of the descriptions that mean nearly the same."""
_IGNORED = """
a an and any are as at be between by can cause could did do does each expect find for from get give go had has have how
i if in io is it list make many me most much my need of on one or our please see should show some take tell than that
the their them there these they this to use used was we were what where which who whose will with would you
"""
"""Words that most questions have, in any of their forms, and what every table here is about."""


@dataclass(frozen=True)
class Match:
    """A table, view or result that was found, and the columns that the words name."""

    name: str
    described: schemas.Table | Query
    columns: tuple[str, ...]


_SYNONYMS = dict(line.split(" = ") for line in _MEANINGS.strip().splitlines())


def search(text: str, known: Mapping[str, schemas.Table | Query]) -> list[Match]:
    """Return what is most like a question, by names, titles, sentences and columns, best first.

    A word counts more where fewer descriptions have it, and all of them more than a part. Words that none has do not
    count.
    """
    ignored = set(map(_stem, _IGNORED.split()))
    asked = list(dict.fromkeys(_words(text)))
    words = [word for word in asked if _stem(word) not in ignored] or asked
    counted = {name: _counted(described) for name, described in known.items()}
    scores = dict.fromkeys(known, 0.0)
    matched: Counter[str] = Counter()
    known_words = 0
    for word in words:
        others = _SYNONYMS.get(word, _SYNONYMS.get(word.rstrip("s"), ""))
        alike = {_stem(other) for other in (word, *others.split())}
        found = {name: _score(fields, _stem(word), alike) for name, fields in counted.items()}
        having = sum(score > 0 for score in found.values())
        known_words += having > 0
        for name, score in found.items():
            scores[name] += score * math.log((1 + len(known)) / (0.5 + having))
            matched[name] += score > 0
    for name, one in known.items():
        scores[name] *= _OF_KIND.get(_kind(one), 1.0) * (matched[name] / max(known_words, 1)) ** 2
    if text.strip() in known:
        scores[text.strip()] = math.inf
    names = sorted((name for name in known if scores[name]), key=lambda name: -scores[name])
    stems = {_stem(word) for word in words}
    return [
        Match(
            name,
            known[name],
            tuple(c.name for c in known[name].columns if stems & {_stem(part) for part in _words(c.name)}),
        )
        for name in names[:MOST]
    ]


KINDS = {"table": "table", "result": "result of a command"}
"""The kinds of what is described that is no query, as a person reads them."""


def kind(described: schemas.Table | Query) -> str:
    """Return whether it is a table, a view or a statistic, which SQL can name, or the result of a command."""
    if isinstance(described, Query):
        return "statistic" if described.subject in queries.SUBJECTS else "view"
    return KINDS[_kind(described)]


def _kind(described: schemas.Table | Query) -> str:
    if isinstance(described, Query):
        return described.subject
    return "table" if described.name in schemas.names() else "result"


def _score(fields: Mapping[str, frozenset[str]], stem: str, alike: set[str]) -> float:
    """Return how well a word fits; one that only means the same counts half."""
    weights = [
        _WEIGHTS[field] * (1.0 if stem in stems else 0.5)
        for field, stems in fields.items()
        if stem in stems or alike & stems
    ]
    return sum(weights)


def _counted(described: schemas.Table | Query) -> dict[str, frozenset[str]]:
    asked = (one.text for one in cookbook.questions() if re.search(rf"\b{described.name}\b", one.sql))
    texts = {
        "questions": " ".join(asked),
        "name": described.name,
        "title": described.title if isinstance(described, Query) else described.description.partition(".")[0],
        "description": described.description,
        "columns": " ".join(c.name for c in described.columns),
        "column descriptions": " ".join(c.description for c in described.columns),
    }
    return {field: frozenset(map(_stem, _words(text))) for field, text in texts.items()}


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


def _stem(word: str) -> str:
    """Return a word without the ending of a plural or of a verb."""
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e"), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return (word[: -len(ending)] + instead).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word
