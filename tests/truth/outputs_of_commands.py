"""What each command is given besides its output, and every option that names one, found in the command line itself."""

import random
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from darshan_logs import fixed, log
from program import LOG, Run

from iotrace.cli import application
from iotrace.cli.help import is_output

WORDS = {
    "demo": "",
    "record": "-- true",
    "top": "--record --once --seconds 0.1",
    "ingest": "INPUT",
    "formats": "",
    "report": "INPUT",
    "info": "INPUT",
    "jobs": "DARSHAN",
    "memory": "INPUT",
    "time": "INPUT",
    "advice": "INPUT",
    "compare": "INPUT STORE",
    "characterize": "INPUT totals",
    "patterns": "PARALLEL",
    "curve": "INPUT",
    "merge-curves": "STATE",
    "sql": "INPUT 'from file'",
    "views": "STORE",
    "schema": "",
    "catalogue": "FLEET",
    "cache": "",
    "attribute": "INPUT",
    "nonvolatile": "INPUT",
    "write-cache": "REQUESTS --disk ra82",
    "cluster": "INPUT",
    "parallel": "PARALLEL",
    "paper": "kotz",
    "export": "INPUT --to csv",
    "disk list": "",
    "disk show": "ra82",
    "disk validate": "VALIDATE --disk ra82",
    "generate vms": "--like off-day",
    "generate parallel": "lw",
    "generate micro": "",
    "generate nests": "tomcatv",
    "generate imitation": "lu",
}
"""What each command is given besides its output; a new command needs a line here."""
INTO_FOLDERS = ("ingest", "record", "top", "export")
"""What writes folders, which replace no file."""


STATE = ["curve", "b.iotrace", "--state", "--deletes", "ignore", "--syncs", "ignore", "-o"]
VALIDATE = "R Hit 100 8 70.000000 930.000000\nW Hit 200 16 70.000000 930.000000\n"
REQUESTS = "128166372003061629,hm,1,Read,0,4096,100\n128166372013061629,hm,1,Write,4096,4096,100\n"


def made(run: Run, folder: Path) -> dict[str, Path]:
    """Make what commands are given, by the words for it."""
    names = {"INPUT": "a.strace", "STORE": "b.iotrace", "STATE": "a.state", "PARALLEL": "lw.pattern"}
    places = {word: folder / name for word, name in names.items()}
    shutil.copyfile(LOG, places["INPUT"])
    ways = (["ingest", LOG, "-o"], STATE, ["generate", "parallel", "lw", "--processes", "2", "-o"])
    for word, way in zip(("STORE", "STATE", "PARALLEL"), ways, strict=True):
        done = run(*way, places[word], folder=folder)
        assert done.returncode == 0, done.stderr
    places |= {"VALIDATE": folder / "validate.trace", "REQUESTS": folder / "msr.csv"}
    places["DARSHAN"] = folder / "a.darshan"
    places["FLEET"] = folder / "fleet"
    shutil.copytree(places["STORE"], places["FLEET"] / "b.iotrace")
    places["DARSHAN"].write_bytes(log({"STDIO": fixed("STDIO", 2, "<", 2, random.Random(1))}))
    places["VALIDATE"].write_text(VALIDATE)
    places["REQUESTS"].write_text(REQUESTS)
    return places


@dataclass(frozen=True)
class Written:
    """An option that names what a command writes."""

    command: str
    option: str
    ending: str

    def words(self, output: Path, places: dict[str, Path]) -> list[str]:
        given = WORDS[self.command].split(" -- ")[0].replace("-- true", "")
        words = [str(places.get(word, word)) for word in shlex.split(given)]
        last = ["--", "true"] if "-- true" in WORDS[self.command] else []
        return [*self.command.split(), *words, self.option, str(output), *last]


def commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield name, command
        return
    for word, inner in command.commands.items():
        yield from commands(inner, f"{name} {word}".strip())


def _ending(option: str, parser: str) -> str:
    if parser == "page_path":
        return ".html"
    if option == "--plot":
        return ".svg"
    return ".csv"


OUTPUTS = [
    Written(name, option := max(parameter.opts, key=len), _ending(option, parameter.type.func.__name__))
    for name, command in commands(typer.main.get_command(application()))
    for parameter in command.params
    if is_output(parameter)
]
INPUTS = frozenset(["INPUT", "STORE", "STATE", "PARALLEL", "REQUESTS", "VALIDATE", "DARSHAN"])
READING = [written for written in OUTPUTS if INPUTS & set(WORDS[written.command].split())]
"""Those of commands that read a trace, a store or a state."""
