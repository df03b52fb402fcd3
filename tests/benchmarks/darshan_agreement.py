"""Which counters of Darshan's logs are those that PyDarshan reads, as a table for docs/concepts/darshan.md.

    python tests/benchmarks/darshan_agreement.py FOLDER [--python PROGRAM]

PROGRAM is a Python that has the package darshan, this one unless given. Logs before format 3.00 have one kind of
record, and darshan-util 3 refuses them. The counters that PyDarshan misreads, and why, are those of
`tests/formats/test_real_darshan_logs.py`.
"""

import argparse
import json
import math
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path += [str(HERE.parent / name) for name in ("formats", "cli", "")]

from test_darshan_logs import records_of  # noqa: E402
from test_real_darshan_logs import PYDARSHAN, misread  # noqa: E402


def row(path: Path, python: str) -> str:
    """Return the line of a log."""
    try:
        records, about = records_of(path.read_bytes())
    except ValueError as error:
        return f"| `{path.name}` | | refused: {error} | | |"
    found = Counter(module for module, *_ in records)
    modules = ", ".join(f"{name} {count:,}" for name, count in found.items())
    first = f"| `{path.name}` | {about['format']} | {modules} |"
    done = subprocess.run([python, "-c", PYDARSHAN, path], capture_output=True, text=True, check=False)
    if done.returncode:
        return f"{first} | PyDarshan cannot read it |"
    compared, other = agreement(records, about["byte_order"], json.loads(done.stdout)["records"])
    said = "all" if not other else ", ".join(f"{count:,} of {name}" for name, count in other.items())
    return f"{first} {compared:,} | {said} |"


def agreement(
    records: list[Any], byte_order: str, theirs: dict[str, list[Any]]
) -> tuple[int, dict[str, int]]:
    """Return how many counters were compared, and how many of each that differ, or that PyDarshan misreads."""
    ours: dict[str, list[Any]] = {}
    for record in records:
        ours.setdefault(record[0], []).append(record)
    compared, other = 0, Counter[str]()
    for module, of_module in theirs.items():
        for record, (_, _, counters, real) in zip(ours.get(module, []), of_module, strict=True):
            _, version, _, _, found = record
            values = counters | {key: float.fromhex(value) for key, value in real.items()}
            wrong = set(misread(module, version, byte_order))
            for key in found:
                if found[key] == values[key] or math.isnan(values[key]):
                    compared += 1
                else:
                    other[f"{key} (misread by PyDarshan)" if key in wrong else key] += 1
    return compared, dict(other)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--python", default=sys.executable, metavar="PROGRAM")
    given = parser.parse_args()
    print(
        "| log | format | records by module | counters equal to PyDarshan's | the others |\n|---|---|---|--:|---|"
    )
    for path in sorted(given.folder.rglob("*.darshan*")):
        if path.suffix != ".zst":
            print(row(path, given.python))


if __name__ == "__main__":
    main()
