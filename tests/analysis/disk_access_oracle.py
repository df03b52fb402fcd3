"""One LRU cache that fetches ahead and coalesces writes, as plainly as possible; a row is that of `oracles`."""

from collections import Counter
from math import inf

from oracles import Key, Row, blocks_of


class Coalescing:
    """The cache, its oldest block first, and what its evictions write."""

    def __init__(self, size: int, percent: int) -> None:
        self.size, self.last = size, max(size * percent // 100, 1)
        self.cache, self.dirty, self.alone, self.unread, self.counts = [], {}, set(), set(), Counter()

    def enter(self, key: Key) -> None:
        if len(self.cache) == self.size:
            oldest = self.cache[0]
            tail, run = self.dirty.keys() & self.cache[: self.last], [oldest]
            while (before := (oldest[0], run[0][1] - 1)) in tail:
                run.insert(0, before)
            while (after := (oldest[0], run[-1][1] + 1)) in tail:
                run.append(after)
            if oldest in self.dirty:
                written = sum(self.dirty.pop(key) for key in run)
                self.counts.update(disk_writes=1, blocks_written=len(run), write_bytes_exact=written)
            self.counts["write_expulsions"] += oldest in self.alone
            self.leave(oldest)
        self.cache.append(key)

    def leave(self, key: Key) -> None:
        self.counts["prefetched_unused"] += key in self.unread
        self.cache.remove(key)
        self.dirty.pop(key, None)
        self.alone.discard(key)
        self.unread.discard(key)


class Fetching(Coalescing):
    """The same with what its misses fetch; ``ends`` are the ends of the files whose size is known."""

    def __init__(self, size: int, percent: int, block: int, fetch: int) -> None:
        super().__init__(size, percent)
        self.block, self.fetch, self.ends = block, fetch, {}

    def inside(self, key: Key) -> int:
        return min(self.block, self.ends.get(key[0], inf) - key[1] * self.block)

    def request(self, keys: list[Key], way: str) -> None:
        for piece in (keys[first : first + self.size] for first in range(0, len(keys), self.size)):
            fetched, missed = set(), 0
            for key in piece:
                if not (hit := key in self.cache):
                    missed += 1
                    if way == "read" and (number := key[1] // self.fetch) not in fetched:
                        fetched.add(number)
                        self.prefetch(
                            [(key[0], number * self.fetch + place) for place in range(self.fetch)], keys
                        )
                    self.counts[f"{way}_bytes_exact"] += self.inside(key) * (way == "read")
                    self.enter(key)
                self.cache.append(self.cache.pop(self.cache.index(key)))
                self.counts["prefetched_hits" if way == "read" else "prefetched_unused"] += key in self.unread
                self.unread.discard(key)
                if way == "write":
                    self.alone.add(key)
                if way == "write" or (hit and key in self.dirty):
                    self.dirty[key] = self.inside(key)
            self.counts.update({f"{way}_block_misses": missed, f"{way}_request_misses": missed > 0})
            self.counts["fetches"] += len(fetched)

    def prefetch(self, group: list[Key], keys: list[Key]) -> None:
        before = [key for key in group if key < keys[0]]
        after = [key for key in group if key > keys[-1] and self.inside(key) > 0]
        for key in [key for key in before + after[::-1] if key not in self.cache]:
            self.enter(key)
            self.unread.add(key)
            self.counts.update(prefetched_blocks=1, read_bytes_exact=self.inside(key))


def disk_accesses(rows: list[Row], size: int, block: int, fetch: int = 1, percent: int = 0) -> Counter:
    one = Fetching(size, percent, block, fetch)
    for row in rows:
        operation, file, offset, length, file_size, _ = row
        if operation in ("truncate", "delete"):
            start = offset if operation == "truncate" else 0
            for key in [key for key in one.cache if key[0] == file and key[1] * block >= start]:
                one.leave(key)
            one.ends |= {file: offset} if operation == "truncate" else {}
            continue
        if file_size is not None or file in one.ends:
            one.ends[file] = max(one.ends[file] if file_size is None else file_size, offset + length)
        one.request(blocks_of(row, block), "read" if operation == "read" else "write")
    one.counts.update(dirty_at_end=len(one.dirty), prefetched_at_end=len(one.unread))
    return one.counts
