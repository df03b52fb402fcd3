"""Make a profile with which rustc builds a faster engine: build one that counts, run commands, merge the counts.

    python packaging/pgo.py /tmp/iotrace.profdata
    RUSTFLAGS=-Cprofile-use=/tmp/iotrace.profdata pip install .

Needs cargo and rustup's component llvm-tools (``rustup component add llvm-tools``), and installs iotrace for the
commands into an environment that it removes. Raises CalledProcessError where a build or a command fails.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMANDS = """
ingest DEMO -o calls.iotrace
export calls.iotrace --to strace -o calls.strace
ingest calls.strace -o plain.iotrace
generate vms --like off-day --requests 1000000 -o disk.iotrace
export disk.iotrace --to msr-cambridge -o disk.csv
export disk.iotrace --to oracle-general -o disk.oracleGeneral
ingest disk.csv -o csv.iotrace
ingest disk.oracleGeneral -o keys.iotrace
generate imitation lu -o ranks.asc
ingest ranks.asc -o ranks.iotrace
report calls.iotrace -o calls.html
report csv.iotrace -o csv.html
report keys.iotrace -o keys.html
report ranks.iotrace -o ranks.html
curve calls.iotrace
curve csv.iotrace --block 4K
curve keys.iotrace --unit bytes
curve calls.iotrace --policy all --sizes 1M
curve csv.iotrace --policy all --sizes 100M
curve keys.iotrace --policy all --sizes 10000
attribute calls.iotrace
nonvolatile calls.iotrace
memory calls.iotrace
write-cache csv.iotrace
cluster ranks.iotrace
parallel ranks.iotrace
"""
"""The commands to count, on calls with and without descriptors' paths, on blocks, keys and parallel programs.

No trace is one that the benchmarks measure.
"""


def llvm_profdata() -> Path:
    """Return the program that merges profiles, of the toolchain in use; raise SystemExit where it is missing."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], check=True, stdout=subprocess.PIPE, text=True)
    for program in Path(sysroot.stdout.strip()).glob("lib/rustlib/*/bin/llvm-profdata"):
        return program
    raise SystemExit("error: llvm-profdata was not found: run rustup component add llvm-tools")


def main() -> None:
    """Write the profile."""
    parser = argparse.ArgumentParser(description="Make a profile with which rustc builds a faster engine.")
    parser.add_argument("profile", type=Path, help="the file to write")
    profile = parser.parse_args().profile.absolute()
    merge = llvm_profdata()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        counts, home = folder / "counts", folder / "environment"
        # a target folder of its own: the caller's builds stay as they are
        flags = {"RUSTFLAGS": f"-Cprofile-generate={counts}", "CARGO_TARGET_DIR": str(folder / "target")}
        venv.create(home, with_pip=True)
        install = [home / "bin" / "pip", "install", "--quiet", ROOT]
        subprocess.run(install, env=os.environ | flags, check=True)
        demo = ROOT / "iotrace" / "demo" / "demo.strace.zst"
        for line in COMMANDS.split("\n")[1:-1]:
            words = [str(demo) if word == "DEMO" else word for word in line.split()]
            print(*words, flush=True)
            own = os.environ | {"XDG_CACHE_HOME": str(folder / "cache")}
            command = [home / "bin" / "iotrace", *words]
            subprocess.run(command, cwd=folder, env=own, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([merge, "merge", f"--output={profile}", *counts.iterdir()], check=True)
    print(f"{profile}: build with RUSTFLAGS=-Cprofile-use={profile}", file=sys.stderr)


if __name__ == "__main__":
    main()
