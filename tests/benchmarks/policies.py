"""References a second through each replacement policy, compared with libCacheSim's: same references, one core.

Makes a trace of block numbers (a Zipf distribution mixed with a scan), then runs ours and libCacheSim's policy over it
in turn, each in a separate process, and prints their speeds and the ratios with their spread over the rounds. Ours is
timed twice: the policy alone, over block numbers in memory, and a whole pass of `iotrace curve --policy`, from Arrow
batches of requests to all counts (most of which is done once for all policies and sizes). libCacheSim's is its own C
loop over its own binary trace, which holds the next use of each block ready for Belady's policy, with a hash table of
twice the cache's size. The misses must agree except for the policies that libCacheSim reads otherwise (see
tests/analysis/test_policy_peers.py). Needs cargo and `pip install libcachesim`.

    python tests/benchmarks/policies.py
    python tests/benchmarks/policies.py --references 2000000 --rounds 3 --size 10000
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from engine import build_example, spread, zipf_and_scan

EXAMPLE = "policies"
NAMES = ("lru", "slru", "2q", "arc", "clock", "fifo", "lfu", "s3-fifo", "sieve", "lirs", "w-tinylfu", "opt")
READ_OTHERWISE = {"slru", "s3-fifo", "lirs", "w-tinylfu"}
NEVER = 2**63 - 1
PEER = """
import sys, time, libcachesim
sys.path.insert(0, sys.argv[1])
from policy_peer import WITH_OUR_PARAMETERS, peer
name, size, trace, references = sys.argv[2], int(sys.argv[3]), sys.argv[4], int(sys.argv[5])
make, parameters = WITH_OUR_PARAMETERS[name]
common = peer.CommonCacheParams(
    cache_size=size, default_ttl=2**30, hashpower=size.bit_length() + 1, consider_obj_metadata=False
)
cache = make(common, parameters) if parameters else make(common)
reader = libcachesim.TraceReader(trace, libcachesim.TraceType.ORACLE_GENERAL_TRACE)
start = time.perf_counter()
miss_ratio, _ = peer.c_process_trace(cache, reader._reader, 0, -1)
seconds = time.perf_counter() - start
print(seconds, seconds, round(miss_ratio * references))
"""


def next_uses(blocks: np.ndarray) -> np.ndarray:
    """The place of each reference's next one to the same block."""
    order = np.argsort(blocks, kind="stable")
    uses = np.full(len(blocks), NEVER)
    same = blocks[order[1:]] == blocks[order[:-1]]
    uses[order[:-1][same]] = order[1:][same]
    return uses


def write_oracle_general(blocks: np.ndarray, path: Path) -> None:
    """Write libCacheSim's binary format: time, object, size, and the place of its next use."""
    record = np.dtype([("time", "<u4"), ("object", "<u8"), ("size", "<u4"), ("next_use", "<i8")])
    rows = np.zeros(len(blocks), record)
    rows["object"], rows["size"], rows["next_use"] = blocks.astype(np.uint64) + 1, 1, next_uses(blocks)
    rows.tofile(path)


def run(command: list[str]) -> tuple[float, float, int]:
    """Run one way in a separate process; return the seconds of the policy and of the whole pass, and the misses."""
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[-1]
    alone, whole, misses = said.split()
    return float(alone), float(whole), int(misses)


def main() -> None:
    """Make the trace, run the rounds, print a line for each policy."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--references", type=int, default=10_000_000, help="length of the trace (10 million)")
    parser.add_argument("--blocks", type=int, default=1_000_000, help="blocks of the Zipf part (1 million)")
    parser.add_argument("--size", type=int, default=100_000, help="blocks in the cache (100,000)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each way runs, in turn (5)")
    parser.add_argument("--policy", default=",".join(NAMES), help="only these")
    options = parser.parse_args()

    ours = str(build_example(EXAMPLE))
    oracles = str(Path(__file__).parents[1] / "analysis")
    with tempfile.TemporaryDirectory() as folder:
        trace, peers = Path(folder, "trace.u32"), Path(folder, "trace.oracleGeneral.bin")
        blocks = zipf_and_scan(options.references, options.blocks, 0.9, 0.125, 1)
        blocks.tofile(trace)
        write_oracle_general(blocks, peers)
        print(
            f"{options.references:,} references to {len(np.unique(blocks)):,} blocks, a cache of {options.size:,},"
            f" {options.rounds} rounds, one core; million references a second, median (least to most)"
        )
        heads = ("policy alone", "whole pass", "libCacheSim", "ratio alone", "ratio whole")
        print(f"{'policy':<10}" + "".join(f"{head:>25}" for head in heads) + "   miss ratio")
        for name in options.policy.split(","):
            rounds = []
            for _ in range(options.rounds):
                mine = run([ours, name, str(options.size), str(trace)])
                peer_command = [sys.executable, "-c", PEER, oracles, name, str(options.size), str(peers)]
                rounds.append((mine, run([*peer_command, str(options.references)])))
            misses, peer_misses = (outcome[2] for outcome in rounds[0])
            if misses != peer_misses and name not in READ_OTHERWISE:
                raise SystemExit(f"{name}: {misses} misses, libCacheSim {peer_misses}")
            seconds = [(alone, whole, peer) for (alone, whole, _), (peer, _, _) in rounds]
            speeds = [[options.references / one[way] / 1e6 for one in seconds] for way in range(3)]
            ratios = [[one[2] / one[way] for one in seconds] for way in range(2)]
            columns = "".join(f"{spread(values):>25}" for values in (*speeds, *ratios))
            print(f"{name:<10}{columns}   {misses / options.references:.4f}", flush=True)


if __name__ == "__main__":
    main()
