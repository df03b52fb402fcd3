"""Darshan's logs, written from the description of their formats: with each, the counters that a reader must find.

A record is (module, version, name of the file, rank, counters by name).
"""

import bz2
import gzip
import random
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from iotrace.engine import native

MAGIC = 6567223
SLOTS = (
    "NULL", "POSIX", "MPI-IO", "H5F", "H5D", "PNETCDF_FILE", "PNETCDF_VAR", "BG/Q", "LUSTRE", "STDIO", "DXT_POSIX",
    "DXT_MPIIO", "MDHIM", "APXC", "APMPI", "HEATMAP", "DFS", "DAOS",
)  # fmt: skip
FORMATS = ("3.00", "3.10", "3.20", "3.21", "3.41")
OLD_FORMATS = ("1.21", "1.22", "1.23", "1.24", "2.00", "2.01", "2.02", "2.03", "2.04", "2.05", "2.06")
LAYOUTS: Mapping[tuple[str, int], tuple[int, int, int, int]] = {
    ("POSIX", 1): (0, 68, 15, 0),
    ("POSIX", 2): (0, 64, 15, 0),
    ("POSIX", 3): (0, 64, 17, 0),
    ("POSIX", 4): (0, 69, 17, 0),
    ("MPI-IO", 1): (0, 51, 15, 0),
    ("MPI-IO", 2): (0, 51, 15, 0),
    ("MPI-IO", 3): (0, 51, 17, 0),
    ("STDIO", 1): (0, 13, 15, 0),
    ("STDIO", 2): (0, 14, 15, 0),
    ("H5F", 1): (0, 1, 2, 0),
    ("H5F", 2): (0, 1, 4, 0),
    ("H5F", 3): (0, 3, 5, 0),
    ("H5D", 1): (0, 94, 17, 0),
    ("H5D", 2): (8, 94, 17, 0),
    ("PNETCDF_FILE", 1): (0, 2, 2, 0),
    ("PNETCDF_FILE", 2): (0, 2, 4, 0),
    ("PNETCDF_FILE", 3): (0, 9, 8, 0),
    ("PNETCDF_VAR", 1): (8, 120, 17, 0),
    ("BG/Q", 1): (8, 11, 1, 0),
    ("BG/Q", 2): (0, 11, 1, 0),
    ("DFS", 1): (0, 52, 15, 32),
    ("DAOS", 1): (0, 64, 15, 48),
}
"""Records of one length: bytes before the numbers, whole numbers, real numbers, bytes after them."""
NO_CLOSE_START = ["F_CLOSE_START_TIMESTAMP", "F_OPEN_END_TIMESTAMP"]
LACKS: Mapping[tuple[str, int], Sequence[str]] = {
    ("POSIX", 1): ["FILENOS", "DUPS", "RENAME_SOURCES", "RENAME_TARGETS", "RENAMED_FROM", *NO_CLOSE_START],
    ("POSIX", 2): ["FILENOS", "DUPS", "RENAME_SOURCES", "RENAME_TARGETS", "RENAMED_FROM", *NO_CLOSE_START],
    ("POSIX", 3): ["FILENOS", "DUPS", "RENAME_SOURCES", "RENAME_TARGETS", "RENAMED_FROM"],
    ("MPI-IO", 1): NO_CLOSE_START,
    ("MPI-IO", 2): NO_CLOSE_START,
    ("STDIO", 1): ["FDOPENS"],
    ("H5F", 1): ["FLUSHES", "USE_MPIIO", "F_META_TIME", *NO_CLOSE_START],
    ("H5F", 2): ["FLUSHES", "USE_MPIIO", "F_META_TIME"],
}
"""Counters that older versions do not have, without the module's prefix."""
COUNTERS = dict(native.darshan_counters())


@dataclass
class Region:
    """The bytes of a module, and the records that they hold: those of files by the file's identifier."""

    version: int
    content: bytes = b""
    records: list[tuple[int, int, dict[str, int | float]]] = field(default_factory=list)


def fixed(
    module: str,
    version: int,
    order: str,
    count: int,
    chance: random.Random,
    ranks: Sequence[int] = (-1, 0, 3),
) -> Region:
    """Return records of one length with numbers by chance."""
    before, whole, real, after = LAYOUTS[module, version]
    prefix = {"MPI-IO": "MPIIO", "BG/Q": "BGQ"}.get(module, module)
    lacking = {f"{prefix}_{name}" for name in LACKS.get((module, version), ())}
    counters = [(name, is_real) for name, is_real in COUNTERS[module] if name not in lacking]
    names = [name for name, is_real in counters if not is_real]
    real_names = [name for name, is_real in counters if is_real]
    if (module, version) == ("POSIX", 1):
        names[6:6] = ["POSIX_FOPENS", "POSIX_FREADS", "POSIX_FWRITES", "POSIX_FSEEKS"]
    if module == "PNETCDF_FILE" and version < 3:
        kept = ["OPEN_START", *(["CLOSE_START", "OPEN_END"] if version == 2 else []), "CLOSE_END"]
        names = ["indep", "coll"]
        real_names = [f"PNETCDF_FILE_F_{name}_TIMESTAMP" for name in kept]
    assert (len(names), len(real_names)) == (whole, real), (module, version)
    region = Region(version)
    for number in range(count):
        values = [chance.choice([0, -1, 1, 200, 2**40, 2**62]) for _ in names]
        times = [chance.choice([0.0, 1.5, chance.random() * 1000]) for _ in real_names]
        rank = chance.choice(ranks)
        region.content += struct.pack(f"{order}Qq", number + 1, rank) + b"\7" * before
        region.content += struct.pack(f"{order}{whole}q{real}d", *values, *times) + bytes(after)
        found: dict[str, int | float] = dict(zip([*names, *real_names], [*values, *times], strict=True))
        if "indep" in found:
            found["PNETCDF_FILE_OPENS"] = found.pop("indep") + found.pop("coll")
        region.records.append((number + 1, rank, found))
    return region


def lustre(version: int, order: str) -> Region:
    """Return two records of stripes."""
    region = Region(version)
    for file in (1, 2):
        if version == 1:
            targets = [5, 6, 7, 8]
            region.content += struct.pack(
                f"{order}Qq5q4q", file, -1, 96, 1, -1, 1 << 20, len(targets), *targets
            )
            found = {"OSTS": 96, "MDTS": 1, "STRIPE_OFFSET": -1, "NUM_COMPONENTS": 1, "NUM_STRIPES": 4}
            found |= {"COMP1_STRIPE_SIZE": 1 << 20, "COMP1_STRIPE_COUNT": 4, "COMP1_EXT_START": 0}
            found |= {"COMP1_EXT_END": -1}
            found |= {f"COMP1_OST_ID_{place}": target for place, target in enumerate(targets)}
        else:
            components = [(1 << 20, 1, 1, 0, 0, 1 << 30, 0), (4 << 20, 3, 1, 0, 1 << 30, -1, 0)]
            unused = (-1, 0, 0, 0, 0, 0, 0)
            region.content += struct.pack(f"{order}Qqqq", file, -1, 3, 4)
            for component in (*components, unused):
                region.content += struct.pack(f"{order}7q", *component) + b"flash".ljust(16, b"\0")
            region.content += struct.pack(f"{order}4q", 7, 1, 2, 3)
            found = {"NUM_COMPONENTS": 2, "NUM_STRIPES": 4}
            names = ("STRIPE_SIZE", "STRIPE_COUNT", "STRIPE_PATTERN", "FLAGS", "EXT_START", "EXT_END")
            for number, component in enumerate(components, 1):
                for name, value in zip((*names, "MIRROR_ID"), component, strict=True):
                    found[f"COMP{number}_{name}"] = value
            found |= {"COMP1_OST_ID_0": 7} | {f"COMP2_OST_ID_{place}": place + 1 for place in range(3)}
        region.records.append((file, -1, {f"LUSTRE_{name}": value for name, value in found.items()}))
    return region


HEATMAP_ID = 16592106915301738621


def heat_map(order: str) -> Region:
    """Return heat maps of three ranks: the first has 8 bins, and Darshan wrote one more and one fewer for others."""
    region = Region(1)
    for rank, bins in ((0, 8), (1, 9), (2, 7)):
        written, read = range(1, bins + 1), range(100, 100 + bins)
        region.content += struct.pack(f"{order}Qqdqqq", HEATMAP_ID, rank, 0.1, bins, 0, 0)
        region.content += struct.pack(f"{order}{2 * bins}q", *written, *read)
        found: dict[str, int | float] = {"HEATMAP_BINS": 8, "HEATMAP_F_BIN_WIDTH_SECONDS": 0.1}
        for direction, moved in (("WRITE", written), ("READ", read)):
            found |= {f"HEATMAP_{direction}_BIN_{place}": size for place, size in enumerate(moved[:8])}
        region.records.append((HEATMAP_ID, rank, found))
    return region


def mdhim(order: str) -> Region:
    """Return two records with three servers."""
    region = Region(1)
    for file in (1, 2):
        region.content += struct.pack(f"{order}Qq5q4d3q", file, 0, 1, 2, 3, 4, 3, 0.1, 0.2, 0.3, 0.4, 7, 8, 9)
        names = [name for name, _ in COUNTERS["MDHIM"]]
        found = dict(zip(names, [1, 2, 3, 4, 3, 0.1, 0.2, 0.3, 0.4], strict=True))
        found |= {f"MDHIM_SERVER_{server}": 7 + server for server in range(3)}
        region.records.append((file, 0, found))
    return region


def apmpi(order: str) -> Region:
    """Return the header and two ranks of the module of MPI's calls."""
    names = [name for name, is_real in COUNTERS["APMPI"] if not is_real]
    real_names = [name for name, is_real in COUNTERS["APMPI"] if is_real]
    region = Region(1, struct.pack(f"{order}QqqI4xdd", 50, 0, 0x41504D5049, 1, 0.25, 0.5))
    header = {"APMPI_SYNC_FLAG": 1}
    region.records.append((50, 0, header | dict(zip(real_names[-2:], [0.25, 0.5], strict=True))))
    for rank in range(2):
        values, times = [rank * 1000 + n for n in range(396)], [rank + n / 8 for n in range(240)]
        region.content += struct.pack(f"{order}Qq396Q240d", 60 + rank, rank, *values, *times)
        region.content += f"node{rank}".encode().ljust(128, b"\0")
        found = dict(zip([*names[:396], *real_names[:240]], [*values, *times], strict=True))
        region.records.append((60 + rank, rank, found))
    return region


def apxc(order: str) -> Region:
    """Return the header and one router of the module of Cray's network."""
    names = [name for name, _ in COUNTERS["APXC"]]
    region = Region(1, struct.pack(f"{order}Qqq6q", 70, 0, 1, 2, 3, 4, 5, 6, 7))
    region.records.append((70, 0, dict(zip(names[-6:], range(2, 8), strict=True))))
    region.content += struct.pack(f"{order}Qq4q392Q", 71, 0, 1, 2, 3, 4, *range(392))
    found = dict(zip(names[392:396], [1, 2, 3, 4], strict=True)) | dict(
        zip(names[:392], range(392), strict=True)
    )
    region.records.append((71, 0, found))
    return region


Access = tuple[int, int, float, float]


def dxt(
    version: int,
    order: str,
    has_threads: bool,
    ranks: Sequence[tuple[int, int, str, Sequence[Access], Sequence[Access]]],
) -> Region:
    """Return extended tracing: identifier of the file, rank, machine, writes and reads."""
    parts = []
    for file, rank, host, writes, reads in ranks:
        parts.append(struct.pack(f"{order}Qqq", file, rank, 0) + host.encode().ljust(64, b"\0"))
        parts.append(struct.pack(f"{order}qq", len(writes), len(reads)))
        for access in (*writes, *reads):
            parts.append(struct.pack(f"{order}qqdd", *access))
            parts.append(struct.pack(f"{order}Q", 9) if has_threads else b"")
    return Region(version, b"".join(parts))


def one_of_each(order: str, chance: random.Random, form: str = "3.41") -> dict[str, Region]:
    """Return a region of every module that a format has, each of its newest version."""
    minor = int(form[2:])
    newest = {module: max(v for name, v in LAYOUTS if name == module) for module, _ in LAYOUTS}
    regions = {module: fixed(module, version, order, 3, chance) for module, version in newest.items()}
    regions |= {"LUSTRE": lustre(2, order), "HEATMAP": heat_map(order), "MDHIM": mdhim(order)}
    regions |= {"APMPI": apmpi(order), "APXC": apxc(order)}
    if minor < 41:
        for module in ("PNETCDF_VAR", "DFS", "DAOS"):
            del regions[module]
    if minor < 20:
        del regions["H5D"]
    return regions


def log(
    regions: Mapping[str, Region],
    form: str = "3.41",
    order: str = "<",
    compression: int = 0,
    partial: Sequence[str] = (),
    names: Mapping[int, bytes] | None = None,
    streams: int = 1,
    **job: Any,
) -> bytes:
    """Return a log of format 3.00 to 3.41; ``streams`` is of how many compressed streams each region is."""
    minor = int(form[2:])
    slots = [
        slot for slot in SLOTS if (minor >= 20 or slot != "H5D") and (minor >= 41 or slot != "PNETCDF_VAR")
    ]
    count, size = (64, 1328) if minor >= 41 else (16, 360)

    def packed(content: bytes) -> bytes:
        part = max(1, -(-len(content) // streams))
        parts = [content[at : at + part] for at in range(0, len(content), part)] or [b""]
        return b"".join((zlib.compress, bz2.compress, bytes)[compression](part) for part in parts)

    names = {1: b"/scratch/a", 2: b"/scratch/b", 3: b"/scratch/c"} if names is None else names
    body = packed(job_record(form, order, **job))
    of_names = b""
    for number, name in names.items():
        of_names += struct.pack(f"{order}Q", number)
        of_names += struct.pack(f"{order}I", len(name)) + name if minor == 0 else name + b"\0"
    of_names = packed(of_names)
    name_place = (size + len(body), len(of_names))
    body += of_names
    places, versions, flags = [(0, 0)] * count, [0] * count, 0
    for place, slot in enumerate(slots):
        if slot in regions:
            content = packed(regions[slot].content)
            places[place], versions[place] = (size + len(body), len(content)), regions[slot].version
            body += content
        flags |= (slot in partial) << place
    head = form.encode().ljust(8, b"\0") + struct.pack(f"{order}q", MAGIC) + bytes([compression])
    head += (
        bytes(7) + struct.pack(f"{order}Q", flags)
        if minor >= 41
        else b"\0" * 3 + struct.pack(f"{order}I", flags)
    )
    head += struct.pack(f"{order}QQ", *name_place)
    head += b"".join(struct.pack(f"{order}QQ", *place) for place in places)
    head += struct.pack(f"{order}{count}I", *versions)
    assert len(head) == size
    return head + body


def job_record(
    form: str,
    order: str,
    start: int = 1_700_000_000,
    run: int = 10,
    ranks: int = 4,
    job_id: int = 7,
    program: str = "./a.out --all",
    mounts: Sequence[tuple[str, str]] = (("lustre", "/scratch"), ("ext4", "/")),
    metadata: str = "lib_ver=3.4.4\nh=romio_no_indep_rw=true;cb_nodes=4\n",
    uid: int = 1000,
) -> bytes:
    """Return the record of a job; a run of a format before 3.41 ends a second earlier."""
    if form == "3.41":
        numbers = struct.pack(f"{order}7q", uid, start, 0, start + run, 500_000_000, ranks, job_id)
    else:
        numbers = struct.pack(f"{order}5q", uid, start, start + run - 1, ranks, job_id)
    lines = "".join(f"\n{kind}\t{path}" for kind, path in mounts)
    return numbers + metadata.encode().ljust(1024, b"\0") + f"{program}{lines}\0".encode()


def old_log(form: str, order: str, count: int, chance: random.Random) -> tuple[bytes, list[Any]]:
    """Return a log of format 1.21 to 2.06, not compressed, and its records."""
    is_first = form.startswith("1")
    later: list[str] = []
    if form < "1.22":
        later += [
            "INDEP_NC_OPENS",
            "COLL_NC_OPENS",
            "HDF5_OPENS",
            "MAX_READ_TIME_SIZE",
            "MAX_WRITE_TIME_SIZE",
        ]
        later += ["F_MAX_READ_TIME", "F_MAX_WRITE_TIME"]
    if form < "1.23":
        later += ["DEVICE", "SIZE_AT_OPEN"]
    if is_first:
        later += ["FASTEST_RANK", "FASTEST_RANK_BYTES", "SLOWEST_RANK", "SLOWEST_RANK_BYTES"]
        later += [
            "F_FASTEST_RANK_TIME",
            "F_SLOWEST_RANK_TIME",
            "F_VARIANCE_RANK_TIME",
            "F_VARIANCE_RANK_BYTES",
        ]
    counters = [(name, is_real) for name, is_real in COUNTERS["CP"] if name[3:] not in later]
    whole = [name for name, is_real in counters if not is_real]
    real = [name for name, is_real in counters if is_real]
    sizes = {"1.21": (133, 12), "1.22": (138, 14), "1.23": (140, 14), "1.24": (140, 14)}
    assert (len(whole), len(real)) == sizes.get(form, (144, 18))
    if is_first:
        order = ">"
        job = form.encode().ljust(12, b"\0") + struct.pack(">Iiii", 1000, 1_300_000_000, 1_300_000_009, 4)
        job = (job + b"./old\nlustre\t/scratch").ljust(1024, b"\0")
    else:
        length = {"2.00": 0, "2.01": 64, "2.02": 64, "2.03": 64}.get(form, 1024)
        job = form.encode().ljust(8, b"\0")
        job += struct.pack(f"{order}6q", MAGIC, 1000, 1_300_000_000, 1_300_000_009, 4, 7)
        job += (b"h=a=b\n" if length else b"").ljust(length, b"\0") + b"./old\nlustre\t/scratch"
        job = job.ljust(1024 if form < "2.04" else 4096, b"\0")
    records = []
    for number in range(count):
        rank, name = chance.choice([-1, 0, 3]), f"out.{number}"
        values = [chance.choice([0, 1, 2**40]) for _ in whole]
        times = [chance.random() for _ in real]
        numbers = struct.pack(f"{order}{len(whole)}q{len(real)}d", *values, *times)
        if is_first:
            content = struct.pack(">Qi4x", number + 1, rank) + numbers + name.encode().ljust(16, b"\0")
        else:
            content = struct.pack(f"{order}Qq", number + 1, rank) + name.encode().ljust(16, b"\0") + numbers
        job += content
        found = dict(zip([*whole, *real], [*values, *times], strict=True))
        records.append(("CP", None, f"file_id {number + 1} (…{name})", rank, found))
    return job, records


def packed(content: bytes, how: str) -> bytes:
    """Return a file compressed as a whole."""
    return {"gzip": gzip.compress, "bzip2": bz2.compress}[how](content)


def uncompressed(content: bytes) -> bytes:
    """Return a log of any format without compression, its regions one after another."""
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    form = content[:8].rstrip(b"\0").decode()
    if form not in FORMATS:
        return content
    order = "<" if content[8:16] == struct.pack("<q", MAGIC) else ">"
    unpack = (zlib.decompress, bz2.decompress, bytes)[content[16]]
    count, size, at = (64, 1328, 32) if form == "3.41" else (16, 360, 24)
    places = [struct.unpack_from(f"{order}QQ", content, at + 16 * place) for place in range(count + 1)]
    first = min(offset for offset, length in places if length)
    regions, body = [], unpack(content[size:first])
    for offset, length in places:
        region = unpack(content[offset : offset + length]) if length else b""
        regions.append((size + len(body) if length else 0, len(region)))
        body += region
    head = content[:16] + b"\2" + content[17:at]
    head += b"".join(struct.pack(f"{order}QQ", *place) for place in regions)
    return head + content[at + 16 * (count + 1) : size] + body


def expected(regions: Mapping[str, Region], names: Mapping[int, str] | None = None) -> list[Any]:
    """Return the records of regions in the order of the log."""
    names = {1: "/scratch/a", 2: "/scratch/b", 3: "/scratch/c"} if names is None else names
    records: list[Any] = []
    for module in SLOTS:
        if module in regions:
            is_of_files = module not in ("HEATMAP", "APMPI", "APXC", "BG/Q")
            for number, rank, found in regions[module].records:
                name = names.get(number, f"file_id {number}") if is_of_files else None
                records.append((module, regions[module].version, name, rank, found))
    return records
