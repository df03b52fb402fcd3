"""Build the part of plotly.js that pages carry, from its npm package.

    python3 packaging/plotly/build.py [FOLDER]

Needs npm and its registry. Writes plotly.min.js.gz, plotly.LICENSE (the licences of all packages in it) and
plotly.sha256 into FOLDER (reports/pages). The versions are those of package.json. Raises CalledProcessError where npm
or the build fails.
"""

import base64
import gzip
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
PAGES = HERE.parents[1] / "reports" / "pages"
OPTIONS = (
    *(
        "--bundle",
        "--minify",
        "--format=iife",
        "--global-name=Plotly",
        "--target=es2018",
        "--legal-comments=none",
    ),
    *("--define:global=window", "--define:define.amd=false", "--loader:.css=empty", "--charset=ascii"),
)
_WORDS = r"""(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\$]|\\.)*`)"""
_DESCRIPTION = rf"description:(?:{_WORDS}|\[(?:{_WORDS},?)*\]\.join\({_WORDS}\))"
DESCRIPTIONS = re.compile(rf",{_DESCRIPTION}(?=[,}}])|(?<=\{{){_DESCRIPTION},?")
"""Descriptions of attributes, which only the documentation reads: a tenth of the script."""


def build(folder: Path) -> tuple[bytes, list[Path]]:
    """Return the script, and the folders of the packages in it."""
    for name in ("package.json", "entry.js", "measure.js"):
        shutil.copy(HERE / name, folder)
    words = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"]
    subprocess.run(words, cwd=folder, check=True, stdout=sys.stderr)
    words = ["node_modules/.bin/esbuild", "entry.js", *OPTIONS, "--outfile=out.js", "--metafile=parts.json"]
    subprocess.run(words, cwd=folder, check=True)
    (output,) = json.loads((folder / "parts.json").read_text())["outputs"].values()
    sources = [Path(name).parts for name, part in output["inputs"].items() if part["bytesInOutput"]]
    packages = {
        parts[1 : 3 if parts[1].startswith("@") else 2] for parts in sources if parts[0] == "node_modules"
    }
    script = DESCRIPTIONS.sub("", (folder / "out.js").read_bytes().decode())
    return script.encode(), [folder.joinpath("node_modules", *name) for name in sorted(packages)]


def licence(package: Path) -> str:
    """Return the name, version and licence of a package."""
    about = json.loads((package / "package.json").read_text())
    texts = [
        path.read_text("utf-8").strip() for path in sorted(package.glob("[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*"))
    ]
    return "\n\n".join([f"{about['name']} {about['version']} ({about['license']})", *texts])


def main() -> None:
    """Build, and write the files."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    with tempfile.TemporaryDirectory() as folder:
        script, packages = build(Path(folder))
        licences = [licence(package) for package in packages]
    version = json.loads((HERE / "package.json").read_text())["dependencies"]["plotly.js"]
    notice = f"/* plotly.js v{version}, in part. Copyright 2012-2026, Plotly, Inc. Licensed under the MIT license */\n"
    content = notice.encode() + script
    (target / "plotly.min.js.gz").write_bytes(gzip.compress(content, 9, mtime=0))
    (target / "plotly.LICENSE").write_text("\n\n\n".join(licences) + "\n", "utf-8")
    digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
    (target / "plotly.sha256").write_text(f"sha256-{digest}\n")


if __name__ == "__main__":
    main()
