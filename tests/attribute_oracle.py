"""Several LRU caches of given sizes, written down as plainly as possible."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence

from small_store import Row

Choose = Callable[[Row], str | None]
"""Which subcache a request goes to; None for none."""
UNCACHED_BLOCK = 4096


def simulate(
    rows: Sequence[Row], caches: dict[str, tuple[int, int]], choose: Choose, moves: bool = False
) -> dict[str, Counter]:
    """Return each subcache's counts; `caches` has (blocks, block size), `moves` expels a file that changes subcache."""
    contents = {name: OrderedDict() for name in caches}
    counts: dict[str, Counter] = {name: Counter() for name in [*caches, "uncached"]}
    home: dict[int, str | None] = {}
    for row in rows:
        _, operation, file, offset, length, _ = row
        if operation in ("delete", "truncate"):
            for name, content in contents.items():
                for key in [k for k in content if k[0] == file]:
                    if operation == "delete" or key[1] * caches[name][1] >= offset:
                        del content[key]
            continue
        name, way = choose(row), "read" if operation == "read" else "write"
        old = home.get(file)
        if moves and old and old != name:
            for key in [k for k in contents[old] if k[0] == file]:
                counts[old]["write_expulsions"] += contents[old].pop(key)
        home[file] = name
        size, block = caches[name] if name else (0, UNCACHED_BLOCK)
        count = counts[name or "uncached"]
        keys = [(file, n) for n in range(offset // block, (offset + length - 1) // block + 1)]
        count[f"{way}_requests"] += 1
        if size == 0:
            count[f"{way}_request_misses"] += 1
            count[f"{way}_block_misses"] += len(keys)
            count["write_expulsions"] += len(keys) * (way == "write")
            continue
        content = contents[name]
        for piece in (keys[first : first + size] for first in range(0, len(keys), size)):
            missed = 0
            for key in piece:
                missed += key not in content
                if key not in content and len(content) == size:
                    count["write_expulsions"] += content.popitem(last=False)[1]
                content[key] = content.pop(key, False) or way == "write"
            count[f"{way}_block_misses"] += missed
            count[f"{way}_request_misses"] += missed > 0
    return counts
