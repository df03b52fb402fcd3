"""Mutate samples of every format and of other inputs, run commands on them, and count the outcomes.

    python -m tests.fuzz --seconds 1800 --seed 7
    python -m tests.fuzz --seed 7 --formats strace --mutant 123       one again

Needs nothing but the package; with IOTRACE_TRACES set, real traces are mutated too.
Exits with 1 where there was a defect.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from iotrace import formats
from tests.fuzz import child, failing_reads
from tests.fuzz.campaign import Campaign, Mutant, Score, mutants
from tests.fuzz.corpus import samples
from tests.fuzz.inputs import inputs
from tests.fuzz.outcomes import Outcome


def main(words: Sequence[str]) -> int:
    """Run a campaign; return the exit status."""
    given = _parser().parse_args(words)
    if given.failing_reads and not failing_reads.is_loaded():
        failing_reads.start_again(Path(tempfile.mkdtemp(prefix="fuzz-library-")))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    child.preload()
    corpus = samples() | inputs()
    names = given.formats.split(",") if given.formats else [name for name in corpus if corpus[name]]
    scores = {name: Score() for name in names}
    scratch = Path(
        tempfile.mkdtemp(prefix="fuzz-")
    )  # no TemporaryDirectory: forks would remove it at their end
    driver = os.getpid()
    try:
        campaign = Campaign(corpus, child.Limits(), scratch, given.keep, given.only_reads)
        if given.mutant is not None:
            chosen = iter([Mutant(given.seed, name, given.mutant) for name in names])
        else:
            chosen = mutants(given.seed, names, given.seconds, given.mutants)
        for mutant in chosen:
            judgement = campaign.run(mutant, scores[mutant.format])
            if judgement.outcome is Outcome.DEFECT:
                print(f"{mutant.name}: {judgement.why}", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    finally:
        if os.getpid() == driver:
            shutil.rmtree(scratch, ignore_errors=True)
    print(table(scores, given.seed), flush=True)
    run = sum(score.outcomes.total() for score in scores.values())
    if given.mutants and given.mutant is None and run < given.mutants * len(names):
        print(f"stopped before its end: {run} of {given.mutants * len(names)} mutants", flush=True)
    return int(any(score.defects for score in scores.values()))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on [60]")
    parser.add_argument(
        "--mutants", type=int, metavar="N", help="how many of each format, if the time allows it"
    )
    parser.add_argument("--seed", type=int, default=1, help="the seed; the same gives the same mutants [1]")
    parser.add_argument("--formats", default="", metavar="A,B", help="only these formats [all]")
    parser.add_argument("--mutant", type=int, metavar="N", help="only the mutant of this number")
    parser.add_argument("--only-reads", action="store_true", help="no commands after ingest")
    parser.add_argument(
        "--failing-reads",
        action="store_true",
        help="have reads fail behind some byte of a quarter of the files, as on a disk with a bad block",
    )
    parser.add_argument(
        "--keep",
        type=Path,
        default=Path("build/fuzz"),
        metavar="FOLDER",
        help="where mutants that show a defect go, with the commands [build/fuzz]",
    )
    return parser


def table(scores: Mapping[str, Score], seed: int) -> str:
    """Return the outcomes of the mutants, a line for each format."""
    lines = [
        f"{'format':18}{'mutants':>8}{'ok':>7}{'warned':>8}{'refused':>8}{'defect':>7}{'max s':>7}{'max MB':>8}"
    ]
    for name, score in scores.items():
        counts = [score.outcomes[outcome] for outcome in Outcome]
        lines.append(
            f"{name:18}{sum(counts):8}{counts[0]:7}{counts[1]:8}{counts[2]:8}{counts[3]:7}"
            f"{score.slowest_seconds:7.1f}{score.peak_bytes >> 20:8}"
        )
    totals = [sum(score.outcomes[outcome] for score in scores.values()) for outcome in Outcome]
    lines.append(
        f"{'all':18}{sum(totals):8}{totals[0]:7}{totals[1]:8}{totals[2]:8}{totals[3]:7}   seed {seed}"
    )
    for name, score in scores.items():
        lines += [f"{count:6} {name}: {why}" for why, count in score.defects.most_common()]
    unread = [form.name for form in formats.FORMATS if form.name not in scores]
    if unread:
        lines.append(f"not mutated: {', '.join(unread)}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
