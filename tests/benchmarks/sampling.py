"""Whether the bands of sampled curves hold, how wide they are, and how fast a sample is; tables in Markdown.

`coverage` estimates curves of made traces, and of real ones where IOTRACE_TRACES names the folder of large traces,
once for each seed; `--independent` takes made traces that no constant of the method was chosen on, and `--store`
names stores to add. Sizes are those beyond the exact head: 40 from it to the number of blocks, evenly and by
doublings. A row has the mean absolute error, the share of (seed, size) at which the exact value is in the pointwise
band, the smallest such share of any size, the share of seeds for which the band of all sizes has the whole curve, and
half the width of the pointwise band over the mean error: 2.5 for normal errors and a band that is no wider than it
must be. `policies` does the same for replacement policies at three sizes. `speed` makes a file of references (a Zipf
distribution mixed with a scan), Parquet as stores have it or plain block numbers, and times a pass over it, reading
included.

    python tests/benchmarks/sampling.py coverage --seeds 500
    python tests/benchmarks/sampling.py coverage --seeds 50 --scale 1 --rate 0.05
    python tests/benchmarks/sampling.py policies --seeds 100
    python tests/benchmarks/sampling.py speed --references 1000000000
"""

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import iotrace
from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.curves import simulate
from iotrace.analysis.curves.policies import POLICIES, compare_policies
from iotrace.analysis.curves.sampled import simulate_sampled, simulate_sampled_keys
from iotrace.analysis.curves.sampled_policies import simulate_sampled_policies
from iotrace.analysis.curves.sampling import Sampling

sys.path.insert(0, str(Path(__file__).parents[1]))
import sampling_traces

STREAM = ["file", "operation", "offset", "length"]
COUNTS = ("block_misses", "read_block_misses", "write_block_misses", "write_expulsions")
CHUNK = 10_000_000


def traces(scale: int) -> Iterator[tuple[str, np.ndarray]]:
    yield from sampling_traces.made(scale)
    if folder := os.environ.get("IOTRACE_TRACES"):
        yield from sampling_traces.real(Path(folder))


def streams(arguments: argparse.Namespace) -> Iterator[tuple[str, pa.Table]]:
    """Yield the name and the references of each trace."""
    of = sampling_traces.independent if arguments.independent else traces
    for name, blocks in of(arguments.scale):
        yield name, sampling_traces.references(blocks)
    for path in arguments.store:
        rows = iotrace.open(path).arrow("reference", STREAM)
        with_data = pc.and_(
            pc.is_in(rows["operation"], pa.array(["read", "write"])), pc.greater(rows["length"], 0)
        )
        yield path.name, rows.filter(pc.fill_null(with_data, False))


def sizes_beyond(head: int, blocks: int) -> np.ndarray:
    """20 sizes evenly and 20 by doublings, from the head to all blocks."""
    if blocks <= head + 1:
        return np.zeros(0)
    even = np.linspace(head, blocks, 21)[1:]
    doubling = np.geomspace(head + 1, blocks, 20)
    return np.unique(np.round(np.concatenate([even, doubling])))


def coverage(arguments: argparse.Namespace) -> None:
    print(
        "| trace | count | references | blocks | sampled blocks | mean error | pointwise | worst size | all sizes |",
        end="",
    )
    print(" half width / error |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name, rows in streams(arguments):
        curves = simulate(rows, Cache())
        distinct = curves.counts["distinct_blocks"]
        references = curves.table([sampling_traces.BLOCK])["block_references"][0].as_py()
        head = Sampling(rate=arguments.rate).head
        sizes = sizes_beyond(head, distinct)
        if not len(sizes):
            print(f"| {name} | | {references:,} | {distinct:,} | | the exact head has it all |")
            continue
        exact = curves.table([int(size) * sampling_traces.BLOCK for size in sizes])
        truths = {count: exact[count].to_numpy() for count in COUNTS}
        errors, inside, everywhere, widths = ({count: [] for count in COUNTS} for _ in range(4))
        sampled = []
        for seed in range(1, arguments.seeds + 1):
            curves = simulate_sampled(rows, Cache(), Sampling(rate=arguments.rate, seed=seed))
            sampled.append(curves.sampled_blocks)
            bands = curves.bands(0, sizes)
            for count, truth in truths.items():
                band = bands[count]
                errors[count].append(np.abs(band.estimate - truth))
                inside[count].append((band.low <= truth) & (truth <= band.high))
                everywhere[count].append(np.all((band.low_all <= truth) & (truth <= band.high_all)))
                widths[count].append((band.high - band.low) / 2)
        for count in COUNTS:
            error, width = np.mean(errors[count]), np.mean(widths[count])
            held = np.mean(inside[count], axis=0)
            print(
                f"| {name} | {count} | {references:,} | {distinct:,} | {np.mean(sampled):,.0f} |"
                f" {error / references:.4f} | {held.mean():.3f} | {held.min():.2f} |"
                f" {np.mean(everywhere[count]):.3f} | {width / max(error, 1e-9):.1f} |",
                flush=True,
            )


def policies(arguments: argparse.Namespace) -> None:
    print("| policy | trace | mean error | pointwise | half width / error |\n|---|---|--:|--:|--:|")
    for name, blocks in traces(arguments.scale):
        distinct = len(np.unique(blocks))
        least = 40 / arguments.rate
        sizes = [int(size) for size in np.geomspace(least, 0.8 * distinct, 3)] if distinct > 2 * least else []
        if not sizes:
            continue
        rows = sampling_traces.references(blocks)
        in_bytes = [size * sampling_traces.BLOCK for size in sizes]
        exact = compare_policies(rows, sizes_bytes=in_bytes)["block_misses"].to_numpy()
        found = [
            simulate_sampled_policies(
                rows, Cache(), Sampling(rate=arguments.rate, seed=seed), POLICIES, in_bytes
            )[0]
            for seed in range(1, arguments.seeds + 1)
        ]
        columns = ("block_misses", "block_misses_low", "block_misses_high")
        estimate, low, high = (np.array([rows[column].to_numpy() for rows in found]) for column in columns)
        for place, policy in enumerate(POLICIES):
            own = slice(place * len(sizes), (place + 1) * len(sizes))
            error = np.abs(estimate - exact)[:, own].mean()
            held = ((low <= exact) & (exact <= high))[:, own].mean()
            width = ((high - low) / 2)[:, own].mean()
            print(
                f"| {policy} | {name} | {error / len(blocks):.4f} | {held:.3f} | {width / max(error, 1e-9):.1f} |",
                flush=True,
            )


def parts_of(references: int) -> Iterator[np.ndarray]:
    """Yield block numbers, part by part."""
    draw = np.random.default_rng(42)
    hot = max(references // 20, 1000)
    weights = np.cumsum(1 / np.arange(1, min(hot, 1 << 20) + 1) ** 0.9)
    scanned = hot
    for first in range(0, references, CHUNK):
        many = min(CHUNK, references - first)
        blocks = np.searchsorted(weights / weights[-1], draw.random(many)).astype(np.int64) * 7919 % hot
        scan = draw.random(many) < 0.2
        blocks[scan] = scanned + np.arange(scan.sum())
        scanned += int(scan.sum())
        yield blocks


def write_references(path: Path, references: int) -> None:
    """Write a Parquet file of references to single blocks."""
    writer = None
    for blocks in parts_of(references):
        part = sampling_traces.references(blocks)
        writer = writer or pq.ParquetWriter(path, part.schema, compression="zstd")
        writer.write_table(part, row_group_size=1 << 20)
    if writer is not None:
        writer.close()


def write_keys(path: Path, references: int) -> None:
    """Write a file of block numbers, 8 bytes each."""
    with path.open("wb") as file:
        for blocks in parts_of(references):
            blocks.tofile(file)


def keys_of(path: Path) -> Iterator[np.ndarray]:
    with path.open("rb") as file:
        while len(part := np.fromfile(file, np.int64, 1 << 20)):
            yield part


def speed(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        path = Path(folder) / "references"
        is_plain = arguments.form == "keys"
        (write_keys if is_plain else write_references)(path, arguments.references)
        print("| form | sample | references | file | seconds | ns a reference | processor s | peak memory |")
        print("|---|---|--:|--:|--:|--:|--:|--:|")
        heads = (0,) if is_plain else (0, None)
        ways: dict[str, Sampling | None] = {"reading alone": None} | {
            f"{rate:.2%}, head {Sampling(rate=rate, head_blocks=head).head:,}": Sampling(
                rate=rate, head_blocks=head
            )
            for rate in arguments.rates
            for head in heads
        }
        for way, sampling in ways.items():
            start, used = time.perf_counter(), time.process_time()
            parts = keys_of(path) if is_plain else pq.ParquetFile(path).iter_batches(1 << 17)
            if sampling is None:
                for _ in parts:
                    pass
            else:
                curves = (simulate_sampled_keys if is_plain else simulate_sampled)(parts, Cache(), sampling)
                curves.table([1 << 30])
            seconds, processor = time.perf_counter() - start, time.process_time() - used
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            print(
                f"| {arguments.form} | {way} | {arguments.references:,} | {path.stat().st_size / 2**20:,.0f} MB |"
                f" {seconds:.1f} | {1e9 * seconds / arguments.references:.1f} | {processor:.1f} |"
                f" {peak / 1024:,.0f} MB |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = parser.add_subparsers(required=True)
    for run, seeds in ((coverage, 500), (policies, 100)):
        part = parts.add_parser(run.__name__)
        part.set_defaults(run=run)
        part.add_argument("--seeds", type=int, default=seeds)
        part.add_argument("--rate", type=float, default=0.01)
        part.add_argument(
            "--scale", type=int, default=10, help="how much larger made traces are than in the tests"
        )
    part = parts.choices["coverage"]
    part.add_argument("--independent", action="store_true", help="other made traces, and no LIRS traces")
    part.add_argument("--store", type=Path, nargs="+", default=[], help="stores of traces to add")
    part = parts.add_parser("speed")
    part.set_defaults(run=speed)
    part.add_argument("--references", type=int, default=100_000_000)
    part.add_argument("--form", choices=("parquet", "keys"), default="keys")
    part.add_argument("--rates", type=float, nargs="+", default=[0.01])
    part.add_argument("--folder", type=Path, help="where the file is written for the time of the run")
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
