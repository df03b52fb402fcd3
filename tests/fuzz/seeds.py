"""Write the first inputs of coverage-guided fuzzing (iotrace/engine/fuzz) from the samples of `corpus`.

python -m tests.fuzz.seeds FOLDER    a folder for each target in FOLDER
"""

import bz2
import gzip
import io
import lzma
import os
import random
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

from tests.formats import darshan_logs
from tests.fuzz.corpus import samples

CHOSEN = {
    "requests": ("msr-cambridge", "disksim", "", "vscsi", "vscsi", "oracle-general", "oracle-general"),
    "keys": ("oracle-general", "oracle-general"),
    "parallel": ("darshan-dxt", "umd-ascii", "dftracer", "recorder-text"),
}
"""Of targets whose first byte chooses a form: the format of each, by that byte."""
MOST_BYTES = 16 << 10


def seeds() -> Iterator[tuple[str, bytes]]:
    """Yield each target and an input of it."""
    found = {form: [sample.content[:MOST_BYTES] for sample in of] for form, of in samples().items()}
    for form in ("strace", "perf", "ultrix", "blktrace"):
        yield from ((form, content) for content in found[form])
    yield from (("darshan", content) for content in darshan_seeds())
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


def darshan_seeds() -> Iterator[bytes]:
    """Yield logs of each version of each module, small and not compressed, and the smaller logs of IOTRACE_TRACES.

    Changed bytes of a compressed region seldom reach the reader of records: they are not compressed.
    """
    chance = random.Random(1)
    accesses = [(n * 4096, 4096, n / 4, n / 4 + 0.1) for n in range(3)]
    for order in "<>":
        regions = [
            {module: darshan_logs.fixed(module, version, order, 2, chance)}
            for module, version in darshan_logs.LAYOUTS
        ]
        regions += [{"LUSTRE": darshan_logs.lustre(version, order)} for version in (1, 2)]
        for version, threads in ((1, False), (2, True)):
            traced = darshan_logs.dxt(version, order, threads, [(1, 0, "n", accesses, accesses[:1])])
            regions.append({"DXT_POSIX": traced})
        for version, threads in ((1, False), (2, False), (3, True)):
            traced = darshan_logs.dxt(version, order, threads, [(1, 0, "n", accesses, accesses[:1])])
            regions.append({"DXT_MPIIO": traced})
        regions += [{"HEATMAP": darshan_logs.heat_map(order)}, {"MDHIM": darshan_logs.mdhim(order)}]
        regions += [{"APMPI": darshan_logs.apmpi(order)}, {"APXC": darshan_logs.apxc(order)}]
        yield from (darshan_logs.log(region, "3.41", order, compression=2) for region in regions)
        yield from (
            darshan_logs.log(darshan_logs.one_of_each(order, chance, form), form, order, compression=2)
            for form in darshan_logs.FORMATS
        )
        yield from (darshan_logs.old_log(form, order, 2, chance)[0] for form in darshan_logs.OLD_FORMATS)
    if folder := os.environ.get("IOTRACE_TRACES"):
        for path in sorted(Path(folder, "parallel", "darshan").glob("*.darshan*")):
            if (log := darshan_logs.uncompressed(path.read_bytes())) and len(log) <= MOST_BYTES:
                yield log


def main() -> None:
    """Write them."""
    for number, (target, content) in enumerate(seeds()):
        folder = Path(sys.argv[1], target)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"seed-{number}").write_bytes(content)


if __name__ == "__main__":
    main()
