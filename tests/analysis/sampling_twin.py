"""SHARDS of fixed rate, written down as plainly as possible; the engine must agree with it in every count."""

from collections import OrderedDict

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mixed(bits: int) -> int:
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB & MASK
    return bits ^ (bits >> 31)


def hash_of(file: int, block: int, seed: int) -> int:
    of_seed = mixed((seed + GOLDEN) & MASK)
    of_file = mixed(of_seed ^ ((file + 1) * GOLDEN & MASK))
    return mixed(of_file ^ (block * GOLDEN & MASK))


def sampled(rows: list[tuple[int, int, bool]], rate: float, seed: int, without: int | None) -> list:
    """Return the references to sampled blocks (file, block, is_write), except for those of a group of 16."""
    hashes = [hash_of(file, block, seed) for file, block, _ in rows]
    chosen = [value < rate * 2**64 and value % 16 != without for value in hashes]
    return [row for row, is_chosen in zip(rows, chosen, strict=True) if is_chosen]


def misses(rows: list[tuple[int, int, bool]], size: int) -> tuple[int, int, int]:
    """Return the misses of reads and of writes of one LRU cache, and the dirty blocks that it expels."""
    cache: OrderedDict[tuple[int, int], bool] = OrderedDict()
    counts = [0, 0, 0]
    for file, block, is_write in rows:
        key = file, block
        counts[is_write] += key not in cache
        cache[key] = cache.pop(key, False) or is_write
        if len(cache) > size:
            counts[2] += cache.popitem(last=False)[1]
    return counts[0], counts[1], counts[2]
