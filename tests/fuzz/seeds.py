"""Write the first inputs of coverage-guided fuzzing (iotrace/engine/fuzz) from the samples of `corpus`.

python -m tests.fuzz.seeds FOLDER    a folder for each target in FOLDER
"""

import bz2
import gzip
import io
import lzma
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.corpus import samples

CHOSEN = {
    "requests": ("msr-cambridge", "disksim", "", "vscsi", "vscsi", "oracle-general", "oracle-general"),
    "parallel": ("darshan-dxt", "umd-ascii", "dftracer", "recorder-text"),
}
"""Of targets whose first byte chooses a form: the format of each, by that byte."""
MOST_BYTES = 16 << 10


def seeds() -> Iterator[tuple[str, bytes]]:
    """Yield each target and an input of it."""
    found = {form: [sample.content[:MOST_BYTES] for sample in of] for form, of in samples().items()}
    for form in ("strace", "perf", "ultrix", "blktrace", "darshan"):
        yield from ((form, content) for content in found[form])
    for target, forms in CHOSEN.items():
        for byte, form in enumerate(forms):
            yield from ((target, bytes([byte]) + content) for content in found.get(form, ()))
    text = found["strace"][0]
    yield from (("compressed", pack(text)) for pack in (bytes, gzip.compress, bz2.compress, lzma.compress))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        member = tarfile.TarInfo("log")
        member.size = len(text)
        tar.addfile(member, io.BytesIO(text))
    yield "compressed", archive.getvalue()


def main() -> None:
    """Write them."""
    for number, (target, content) in enumerate(seeds()):
        folder = Path(sys.argv[1], target)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"seed-{number}").write_bytes(content)


if __name__ == "__main__":
    main()
