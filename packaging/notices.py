"""Write the licences of the crates in the engine, and a list of these crates in the form of CycloneDX, for a wheel.

    python3 packaging/notices.py FOLDER

FOLDER gets crates.txt, with the text of each licence once, and crates.cdx.json. Needs cargo, whose crates are those of
the platform that it runs on. Raises CalledProcessError where cargo fails.
"""

import argparse
import json
import subprocess
from pathlib import Path
from typing import Any

ENGINE = Path(__file__).parents[1] / "iotrace" / "engine"
NAMES = ("license", "licence", "copying", "notice", "copyright", "unlicense")
"""How the names of files begin that have a licence."""
RULE = "-" * 80


def cargo(*words: str) -> str:
    """Return what cargo prints of the engine."""
    done = subprocess.run(["cargo", *words], cwd=ENGINE, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def crates() -> list[dict[str, Any]]:
    """Return the crates that are linked into the engine, but our own, by name and version."""
    tree = ("tree", "--locked", "--edges", "normal", "--prefix", "none", "--package", "iotrace-native")
    linked = {tuple(line.split()[:2]) for line in cargo(*tree, "--format", "{p}").splitlines() if line}
    known = json.loads(cargo("metadata", "--locked", "--format-version", "1"))["packages"]
    found = [one for one in known if one["source"] and (one["name"], f"v{one['version']}") in linked]
    return sorted(found, key=lambda one: (one["name"], one["version"]))


def licences(crate: dict[str, Any]) -> list[str]:
    """Return the texts of the licence files that a crate has, and a library in C that it comes with."""
    folder = Path(crate["manifest_path"]).parent
    named = (
        path
        for pattern in ("*", "*/*")
        for path in folder.glob(pattern)
        if path.name.lower().startswith(NAMES)
    )
    files = sorted(path for path in named if path.is_file() and path.suffix not in (".rs", ".h", ".c", ".sh"))
    return [path.read_text("utf-8", "replace").strip() for path in files]


def notices(of: list[dict[str, Any]]) -> str:
    """Return the texts of all licences, each with the crates that have it."""
    by_text: dict[str, list[str]] = {}
    for crate in of:
        name = f"{crate['name']} {crate['version']} ({crate['license']})"
        for text in licences(crate) or ["The crate has no file with its licence."]:
            by_text.setdefault(text, []).append(name)
    parts = ["\n".join([*names, "", text]) for text, names in by_text.items()]
    return (
        f"\n\n{RULE}\n\n".join(["Crates that are linked into iotrace's engine, and their licences.", *parts])
        + "\n"
    )


def bill(of: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the crates as a bill of materials."""
    components = [
        {
            "type": "library",
            "name": crate["name"],
            "version": crate["version"],
            "purl": f"pkg:cargo/{crate['name']}@{crate['version']}",
            "licenses": [{"expression": crate["license"].replace("/", " OR ")}] if crate["license"] else [],
        }
        for crate in of
    ]
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": components}


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description="Write the licences and the list of the engine's crates.")
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    found = crates()
    (folder / "crates.txt").write_text(notices(found), "utf-8")
    (folder / "crates.cdx.json").write_text(json.dumps(bill(found), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
