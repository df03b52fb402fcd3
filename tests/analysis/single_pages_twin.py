"""What caches of single pages without read-ahead read, by trying."""

from __future__ import annotations

from page_cache_lists_twin import PAGE, Row, ceil_pages


def lru_reads(rows: list[Row], limit: int) -> int:
    """Pages read with an LRU cache of single pages."""
    cache: list[tuple[int, int]] = []
    reads = 0
    for kind, page in touches(rows):
        if page in cache:
            cache.remove(page)
        elif kind == "read":
            reads += 1
        if kind != "cut":
            cache = [*cache[-(limit - 1) :], page] if limit > 1 else [page]
    return reads


def fewest_reads(rows: list[Row], limit: int) -> int:
    """The fewest pages read, by trying all that a cache may keep."""
    best = {frozenset[tuple[int, int]](): 0}
    for kind, page in touches(rows):
        after: dict[frozenset[tuple[int, int]], int] = {}
        for kept, reads in best.items():
            now = reads + (kind == "read" and page not in kept)
            choices = {kept - {page}}
            if kind != "cut":
                choices |= {kept - {page, victim} | {page} for victim in kept}
                if len(kept | {page}) <= limit:
                    choices.add(kept | {page})
            for choice in choices:
                after[choice] = min(after.get(choice, now), now)
        best = after
    return min(best.values())


def touches(rows: list[Row]) -> list[tuple[str, tuple[int, int]]]:
    """What happens to single pages: read, write or cut."""
    touched: list[tuple[str, tuple[int, int]]] = []
    live: dict[int, dict[int, None]] = {}
    known: dict[int, int] = {}
    for row in rows:
        event, file = row["event"], row["file"]
        if event in ("delete", "truncate"):
            length = row["offset"] if event == "truncate" else 0
            if event == "delete" or file not in known or length < known[file]:
                for page in [page for page in live.get(file, {}) if page >= ceil_pages(length)]:
                    touched.append(("cut", (file, page)))
                    del live[file][page]
            known[file] = length
        elif event == "mapped":
            size, end = row["file_size"], row["offset"] + row["length"]
            known[file] = max(size if size is not None else known.get(file, 0), end)
        elif event in ("read", "read_spliced", "touch", "fault", "write", "write_synchronous"):
            end = row["offset"] + row["length"]
            size = row["file_size"]
            if event.startswith("write"):
                known.setdefault(file, size if size is not None and size > end else 0)
                known[file] = max(known[file], end)
            else:
                known[file] = max(size if size is not None else known.get(file, 0), end)
            end = row["offset"] // PAGE * PAGE + PAGE if event == "fault" else end
            for page in range(row["offset"] // PAGE, ceil_pages(end)) if row["length"] else ():
                live.setdefault(file, {})[page] = None
                touched.append(("write" if event.startswith("write") else "read", (file, page)))
    return touched
