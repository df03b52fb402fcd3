"""Reads and updates of a database by popularity: queries.py FILE. It has little memory of its own."""

import bisect
import itertools
import random
import sqlite3
import sys

ROWS = 120_000
SOURCE = random.Random(11)
SUMS = list(itertools.accumulate((place + 1) ** -0.9 for place in range(0, ROWS, 8)))


def popular() -> int:
    place = bisect.bisect(SUMS, SOURCE.random() * SUMS[-1])
    return place * 7919 % (ROWS // 8) * 8 + SOURCE.randrange(8)


base = sqlite3.connect(sys.argv[1])
base.execute("pragma cache_size = -1000")
for turn in range(8_000):
    if turn % 10 == 0:
        base.execute("update t set b = b + 1 where k = ?", (popular(),))
    else:
        base.execute("select a from t where k = ?", (popular(),)).fetchone()
    if turn % 100 == 0:
        base.commit()
        first = SOURCE.randrange(10**6)
        base.execute("select count(*) from t where b between ? and ?", (first, first + 200)).fetchone()
base.commit()
