"""The installed program, run in a separate process."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from fork_server import Done, fork_server

PROGRAM = str(Path(sys.executable).with_name("iotrace"))
MOST_SECONDS = 120
LOG = Path(__file__).with_name("copy.strace")
"""The small log that the tests of the command line take."""


@dataclass(frozen=True)
class Run:
    """Runs ``iotrace`` with its caches in a folder apart from the user's."""

    cache: Path

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "XDG_CACHE_HOME": str(self.cache), "COLUMNS": "200"}

    def __call__(self, *words: object, folder: Path | None = None, given: bytes = b"") -> Done:
        """Run it to its end in a forked process that has the libraries loaded."""
        text, environment = [PROGRAM, *map(str, words)], self.environment
        if not fork_server().serves(environment):
            return self.anew(*words, folder=folder, given=given)
        return fork_server().run(text, folder or Path.cwd(), environment, given, MOST_SECONDS)

    def anew(self, *words: object, folder: Path | None = None, given: bytes = b"") -> Done:
        """Run it in a new interpreter."""
        return subprocess.run(
            [PROGRAM, *map(str, words)],
            cwd=folder,
            env=self.environment,
            input=given,
            capture_output=True,
            timeout=MOST_SECONDS,
            check=False,
        )

    def start(self, *words: object) -> subprocess.Popen[bytes]:
        """Start it and return at once; standard input and outputs are pipes."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [PROGRAM, *map(str, words)], env=self.environment, stdin=pipe, stdout=pipe, stderr=pipe
        )

    def shell(self, line: str, folder: Path) -> Done:
        """Run a line of shell, in which ``$IOTRACE`` is the program."""
        environment = {**self.environment, "IOTRACE": PROGRAM}
        return subprocess.run(
            ["bash", "-c", line],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=MOST_SECONDS,
            check=False,
        )


def remarks(done: Done) -> list[str]:
    """Return what a command says beside its answer, except for the progress of one that takes long."""
    return [line for line in done.stderr.decode().splitlines() if " …" not in line]


def refused(done: Done, code: int = 1) -> str:
    """Return the error message; check that it is one line and the only output."""
    message = done.stderr.decode()
    assert done.returncode == code, (done.returncode, message, done.stdout)
    assert message.startswith("iotrace: ") and message.count("\n") == 1 and message.endswith("\n"), message
    assert not any(word in message for word in ("Traceback", "internal error", "a defect")), message
    assert done.stdout == b""
    return message.removeprefix("iotrace: ").rstrip("\n")
