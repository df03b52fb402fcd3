"""One mutant after another: make it, read it, ask three commands about it, judge, and keep what shows a defect.

Inputs other than traces are not ingested: three of the commands that read them run on them directly.
"""

import itertools
import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from iotrace import formats
from tests.fuzz import failing_reads, invariants
from tests.fuzz.child import Ended, Limits, Place, run
from tests.fuzz.corpus import Sample
from tests.fuzz.mutations import mutated
from tests.fuzz.outcomes import Judgement, Outcome, judge, kind, worst
from tests.fuzz.shapes import Files, Shaped, as_it_is, shaped

MADE = "made."
"""How the names of outputs begin."""
STORE = f"{MADE}iotrace"
NAMES = (
    "trace",
    "trace.csv",
    "trace.txt",
    "trace.bin",
    "a b.log",
    "trace[1].gz",
    "-trace",
    "tr\N{LATIN SMALL LETTER A WITH DIAERESIS}ce",
)
SECOND: Sequence[tuple[str, ...]] = (
    ("characterize",),
    ("characterize", "--all"),
    ("curve",),
    ("curve", "--sizes", "64K,1M", "--policy", "lru,arc,opt"),
)
"""The second command; the first is always info."""
THIRD: Mapping[str, Sequence[tuple[str, ...]]] = {
    "syscall": (("attribute",), ("nonvolatile",), ("patterns",), ("cluster",), ("parallel",)),
    "disk_io": (
        ("write-cache",),
        ("write-cache", "--disk", "ra82", "--write-cache", "1M"),
        ("curve", "--block", "512"),
    ),
    "key_io": (
        ("curve", "--unit", "bytes"),
        ("curve", "--ttl", "eager"),
        ("curve", "--by", "tenant"),
        ("curve", "--unit", "prefixes"),
    ),
    "parallel_io": (("patterns",), ("cluster",), ("cluster", "--count-only"), ("parallel",)),
    "darshan_job": (("jobs",), ("time",), ("sql", "from darshan_posix")),
}
"""The third command: a simulator that fits the family, or SQL."""
SQL = ("sql", 'select count(*), sum(length), max("offset") from reference')


@dataclass(frozen=True)
class Mutant:
    """What is needed to make a mutant again."""

    seed: int
    format: str
    number: int

    @property
    def name(self) -> str:
        """A name for a folder."""
        return f"{self.format}-{self.seed}-{self.number}"

    def draw(self) -> random.Random:
        """Return the generator of all that is random in it."""
        return random.Random(f"{self.seed} {self.format} {self.number}")


@dataclass
class Score:
    """The outcomes of a format's mutants."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    defects: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    slowest_seconds: float = 0.0
    peak_bytes: int = 0

    def add(self, judgement: Judgement, ended: Sequence[Ended]) -> None:
        """Count a mutant."""
        self.outcomes[judgement.outcome] += 1
        if judgement.outcome is Outcome.DEFECT:
            self.defects[kind(judgement.why)] += 1
        self.seconds += sum(one.seconds for one in ended)
        self.slowest_seconds = max(self.slowest_seconds, *(one.seconds for one in ended))
        self.peak_bytes = max(self.peak_bytes, *(one.peak_bytes for one in ended))


@dataclass(frozen=True)
class Campaign:
    """The samples, the limits, a scratch folder, and the folder that defects go to."""

    samples: Mapping[str, Sequence[Sample]]
    limits: Limits
    scratch: Path
    kept: Path
    only_reads: bool = False
    """Whether the commands after ingest are left out, which is four times as fast."""

    def run(self, mutant: Mutant, score: Score) -> Judgement:
        """Run one mutant, count it, and keep it where it shows a defect."""
        folder = self.scratch / "mutant"
        shutil.rmtree(folder, ignore_errors=True)
        place = Place.below(folder)
        draw = mutant.draw()
        sample = draw.choice(self.samples[mutant.format])
        files, ways = self._damaged(draw, sample)
        name, work = draw.choice(NAMES), place.work
        trace = as_it_is(files, work) if sample.commands else shaped(draw, files, name, work)
        original = folder / "original"
        shutil.copytree(place.work, original)
        failing = failing_reads.chosen(draw, place.work / trace.words[0])
        if sample.commands:
            chosen = draw.sample(sample.commands, min(3, len(sample.commands)))
            results = [self._judged(words, place, None, failing) for words in chosen]
        else:
            results = list(self._commands(draw, sample, trace, place, failing))
        judgement = worst([one for _, one in results])
        score.add(judgement, [one for one, _ in results])
        if judgement.outcome is Outcome.DEFECT:
            self._keep(mutant, original, trace, ways, results)
        return judgement

    def _damaged(self, draw: random.Random, sample: Sample) -> tuple[Files, list[str]]:
        others = [one.content for several in self.samples.values() for one in several[:1]]
        ways: list[str] = []
        files = {}
        only = draw.choice(list(sample.files)) if sample.commands else None
        for name, content in sample.files.items():
            if name == only or (only is None and (len(sample.files) == 1 or draw.random() < 0.5)):
                content, here = mutated(draw, content, others)
                ways += here
            files[name] = content
        return files, ways

    def _commands(
        self,
        draw: random.Random,
        sample: Sample,
        trace: Shaped,
        place: Place,
        failing: Mapping[str, str],
    ) -> Iterator[tuple[Ended, Judgement]]:
        options = sample.options
        if not options and draw.random() < 0.5:
            options = ("--trace-format", sample.format)
        words = ("ingest", "-o", STORE, *options, "--", *trace.words)
        read, judgement = self._judged(words, place, trace, failing)
        if failing and judgement.outcome is Outcome.OK:
            judgement = Judgement(Outcome.DEFECT, "a read of the trace fails, and nothing is said")
        yield read, judgement
        store = place.work / STORE
        if not store.exists():
            return
        check = run(("check", STORE), place, self.limits, None, partial(invariants.report, store))
        message = check.stdout.decode("utf-8", "backslashreplace").splitlines()
        if check.status != 0:
            yield check, judge(check, self.limits)
        elif message:
            yield check, Judgement(Outcome.DEFECT, f"store: {message[0]}")
        for words in [] if self.only_reads else _questions(draw, _family(store)):
            yield self._judged(words, place, None, {})

    def _judged(
        self, words: Sequence[str], place: Place, trace: Shaped | None, failing: Mapping[str, str]
    ) -> tuple[Ended, Judgement]:
        before = _listing(place)
        ended = run(words, place, self.limits, trace.given if trace else None, variables=failing)
        judgement = judge(ended, self.limits)
        if judgement.outcome is not Outcome.DEFECT:
            left = _listing(place) - before - {f"work/{name}" for name in words if name.startswith(MADE)}
            if left:
                judgement = Judgement(Outcome.DEFECT, f"leaves {', '.join(sorted(left))}")
        return ended, judgement

    def _keep(
        self,
        mutant: Mutant,
        original: Path,
        trace: Shaped,
        ways: Sequence[str],
        results: Sequence[tuple[Ended, Judgement]],
    ) -> None:
        target = self.kept / mutant.name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(original, target / "work")
        if trace.given:
            shutil.copyfile(trace.given, target / "standard-input")
        again = f"--seed {mutant.seed} --formats {mutant.format} --mutant {mutant.number}"
        about = {
            "again": f"python -m tests.fuzz {again}{' --failing-reads' * failing_reads.is_loaded()}",
            "shape": trace.shape,
            "ways": list(ways),
            "commands": [
                {
                    "words": ["iotrace", *ended.words],
                    "outcome": judgement.outcome.name.lower(),
                    "why": judgement.why,
                    "status": ended.status,
                    "seconds": round(ended.seconds, 2),
                    "stderr": ended.stderr[-3000:].decode("utf-8", "backslashreplace"),
                }
                for ended, judgement in results
            ],
        }
        (target / "about.json").write_text(
            json.dumps(about, indent=1, ensure_ascii=False) + "\n", "utf-8", "backslashreplace"
        )


def _questions(draw: random.Random, family: str) -> list[tuple[str, ...]]:
    third = SQL if draw.random() < 0.1 else draw.choice(THIRD[family])
    return [
        ("info", STORE),
        (*(second := draw.choice(SECOND))[:1], STORE, *second[1:]),
        (third[0], STORE, *third[1:]),
    ]


def _family(store: Path) -> str:
    name = json.loads((store / "manifest.json").read_text("utf-8"))["format"]
    return formats.named(name).family.name


def _listing(place: Place) -> set[str]:
    """Return the files in the folders of a command, without its cache."""
    return {
        f"{folder.name}/{path.name}" for folder in (place.work, place.temporary) for path in folder.iterdir()
    }


def mutants(seed: int, names: Sequence[str], seconds: float, most: int | None = None) -> Iterator[Mutant]:
    """Give mutants of each format in turn, `most` of each at most, until the time is over."""
    until = time.monotonic() + seconds
    for number in itertools.count() if most is None else range(most):
        for name in names:
            if time.monotonic() >= until:
                return
            yield Mutant(seed, name, number)
