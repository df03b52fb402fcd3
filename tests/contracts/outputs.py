"""The outputs that scripts may rely on, made anew and as they are frozen.

python -P tests/contracts/outputs.py [NAME...]      freezes some, or all, of them
"""

import json
import math
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "cli"))
from program import Run

HERE = Path(__file__).parent
LOG = HERE.parents[1] / "iotrace" / "demo" / "demo.strace.zst"


@cache
def commands() -> dict[str, dict[str, str]]:
    """Return the commands that make inputs, and those whose output is frozen, by name."""
    return tomllib.loads((HERE / "commands.toml").read_text("utf-8"))


class Inputs:
    """The inputs of the commands, each made when it is first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copy(LOG, folder)
        self.made = {"log": LOG.name}

    def words(self, command: str) -> list[str]:
        """Return a command's words, its inputs made."""
        for name, how in commands()["inputs"].items():
            if "{" + name + "}" in command and name not in self.made:
                words = how.format(**self.made).split()
                self._run(words)
                self.made[name] = words[words.index("-o") + 1]
        return command.format(**self.made).split()

    def output(self, name: str) -> Any:
        """Return what a command prints, as parsed JSON."""
        return json.loads(self._run(self.words(commands()["outputs"][name])))

    def _run(self, words: list[str]) -> bytes:
        done = Run(self.folder / "cache")(*words, folder=self.folder)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout


def shapes() -> dict[str, list[str]]:
    """Return every table's columns: name, type, nullable or not, unit and description."""
    from iotrace import queries, schemas

    described = {f"table {name}": schemas.schema(name) for name in schemas.names()}
    described |= {f"result {name}": queries.table_schema(name) for name in queries.results()}
    described |= {f"statistic {name}": queries.query(name).schema for name in queries.names()}
    return {
        name: [
            f"{field.name} {field.type}{'' if field.nullable else ' not null'} "
            + " ".join(f"{key.decode()}={value.decode()}" for key, value in sorted(field.metadata.items()))
            for field in schema
        ]
        for name, schema in described.items()
    }


def frozen(name: str) -> Any:
    """Return an output as it was frozen."""
    return json.loads(_golden(name).read_text("utf-8"))


def freeze(name: str, output: Any) -> None:
    """Keep an output."""
    _golden(name).write_text(in_lines(output) + "\n", "utf-8")


def in_lines(value: Any, indent: str = "") -> str:
    """Return JSON with a line for each item of a list, and for each row, so that a review shows what changed."""
    deeper = indent + " "
    if isinstance(value, list) and value:
        items = [deeper + in_lines(item, deeper) for item in value]
        return "\n".join(["[", ",\n".join(items), f"{indent}]"])
    if isinstance(value, dict) and any(isinstance(item, list | dict) for item in value.values()):
        members = [f"{deeper}{json.dumps(key)}: {in_lines(item, deeper)}" for key, item in value.items()]
        return "\n".join(["{", ",\n".join(members), f"{indent}}}"])
    return json.dumps(value, ensure_ascii=False)


def _golden(name: str) -> Path:
    return HERE / "golden" / f"{name}.json"


def differences(expected: Any, actual: Any, where: str = "") -> Iterator[str]:
    """Say where two parsed outputs differ."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in (*expected, *(key for key in actual if key not in expected)):
            missing = [side for side, of in (("expected", expected), ("actual", actual)) if key not in of]
            if missing:
                yield f"{where}.{key}: not in {missing[0]}"
            else:
                yield from differences(expected[key], actual[key], f"{where}.{key}")
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield f"{where}: {len(expected)} items, now {len(actual)}"
        for place, (old, new) in enumerate(zip(expected, actual, strict=False)):
            yield from differences(old, new, f"{where}[{place}]")
    elif not _is_same(expected, actual):
        yield f"{where}: {expected!r}, now {actual!r}"


def _is_same(expected: Any, actual: Any) -> bool:
    """Whether two values are the same, except for last digits, in which the logarithms of processors differ."""
    if isinstance(expected, float) and isinstance(actual, float):
        return math.isclose(expected, actual, rel_tol=1e-13) or (expected != expected and actual != actual)
    return type(expected) is type(actual) and bool(expected == actual)


def main(names: list[str]) -> None:
    """Freeze outputs."""
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(Path(folder))
        for name in names or [*commands()["outputs"], "shapes"]:
            freeze(name, shapes() if name == "shapes" else inputs.output(name))
            print(name, _golden(name).stat().st_size, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
