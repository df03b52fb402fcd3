"""One LRU cache of one size, written down as plainly as possible; the engine must agree with it at every
size.

A row is (operation, file, offset, length, file_size, group). Counts are by group and name.
"""

from collections import Counter, OrderedDict

Row = tuple[str, int, int, int, int, str]
Key = tuple[int, int]


def blocks_of(row: Row, block: int) -> list[Key]:
    _, file, offset, length, _, _ = row
    return [(file, number) for number in range(offset // block, (offset + length - 1) // block + 1)]


def drop(cache: OrderedDict, row: Row, block: int) -> None:
    operation, file, offset, _, _, _ = row
    for key in [
        key for key in cache if key[0] == file and (operation == "delete" or key[1] * block >= offset)
    ]:
        del cache[key]


def allocate(rows: list[Row], size: int, block: int, warm_up: int = 0) -> Counter:
    cache: OrderedDict = (
        OrderedDict()
    )  # key: group that wrote it last, bytes inside the file at the last touch
    counts, seen, requests = Counter(), set(), 0
    for row in rows:
        operation, _, _, _, file_size, group = row
        if operation in ("truncate", "delete"):
            drop(cache, row, block)
            continue
        requests += 1
        on, way, keys = requests > warm_up, "read" if operation == "read" else "write", blocks_of(row, block)
        counts[group, f"cold_{way}_request_misses"] += on and not seen.issuperset(keys)
        seen.update(keys)
        for piece in (keys[first : first + size] for first in range(0, len(keys), size)):
            missed = 0
            for key in piece:
                inside = min(block, file_size - key[1] * block)
                hit, (writer, _) = key in cache, cache.pop(key, (None, 0))
                if not hit:
                    missed += 1
                    counts[group, f"{way}_bytes"] += on * inside
                    if len(cache) == size:
                        expelled, old_inside = cache.popitem(last=False)[1]
                        counts[expelled, "write_expulsions"] += on
                        counts[expelled, "write_bytes_exact"] += on * old_inside
                cache[key] = (group if way == "write" else writer, inside)
            counts[group, f"{way}_block_misses"] += on * missed
            counts[group, f"{way}_request_misses"] += on and missed > 0
    counts.update((writer, "dirty_at_end") for writer, _ in cache.values())
    return counts


def syncing(rows: list[Row], size: int, block: int) -> Counter:
    """`allocate` where a sync writes what is dirty of its file from its offset on, over its length where it has
    one (of all files where it has file -1), and a synchronous write what it wrote."""
    cache: OrderedDict = OrderedDict()  # key: whether it is dirty
    counts: Counter = Counter()
    for row in rows:
        operation, file, offset, length, _, _ = row
        if operation in ("truncate", "delete"):
            drop(cache, row, block)
            continue
        if operation == "sync":
            first = (file, offset // block)
            after = {key for key in cache if file == -1 or (key[0] == file and key >= first)}
            named = set(blocks_of(row, block)) if length else after
        else:
            for key in blocks_of(row, block):
                if key not in cache and len(cache) == size:
                    counts["write_expulsions"] += cache.popitem(last=False)[1]
                cache[key] = cache.pop(key, False) or operation != "read"
            named = set(blocks_of(row, block)) if operation == "synchronous write" else set()
        for key in named & cache.keys():
            counts["write_syncs"] += cache[key]
            cache[key] = False
    counts["dirty_at_end"] = sum(cache.values())
    return counts


def no_allocate(rows: list[Row], size: int, block: int) -> Counter:
    cache: OrderedDict = OrderedDict()
    counts: Counter = Counter()
    for row in rows:
        operation, keys = row[0], blocks_of(row, block)
        if operation in ("truncate", "delete"):
            drop(cache, row, block)
        elif operation == "read":
            for piece in (keys[first : first + size] for first in range(0, len(keys), size)):
                missed = 0
                for key in piece:
                    if key not in cache:
                        missed += 1
                        if len(cache) == size:
                            cache.popitem(last=False)
                    cache[key] = True
                    cache.move_to_end(key)
                counts["read_block_misses"] += missed
                counts["read_request_misses"] += missed > 0
        else:
            for key in keys:
                cache.pop(key, None)
            counts["write_request_misses"] += 1
            counts["write_block_misses"] += len(keys)
            counts["write_expulsions"] += len(keys)
    return counts


def data_overwrite(rows: list[Row], size: int, block: int) -> Counter:
    cache: OrderedDict = OrderedDict()  # key: the block's dirty bytes
    counts: Counter = Counter()
    for row in rows:
        operation, _, offset, length, _, _ = row
        if operation in ("truncate", "delete"):
            drop(cache, row, block)
            continue
        for key in blocks_of(row, block):
            hit, dirty = key in cache, cache.pop(key, set())
            if not hit and len(cache) == size:
                cache.popitem(last=False)
            if operation != "read":
                start = key[1] * block
                written = set(range(max(start, offset), min(start + block, offset + length)))
                covered = len(dirty & written)
                counts["write_block_misses"] += not hit
                counts["write_block_overwrites"] += hit and covered > 0
                counts["write_block_fills"] += hit and covered == 0
                counts["write_bytes_overwritten"] += covered
                dirty |= written
            cache[key] = dirty
    return counts
