"""How far accesses may differ from a pattern that is still named: bounds that follow from definitions.

Real traces lack records, have headers and metadata among the data, and align portions. The bounds:

- **Set aside**: a name says what at least 9 of 10 accesses do (``MOSTLY``), and a plan is sought for 19 of 20
  (``NEARLY_ALL``). Accesses of metadata are set aside before: runs of accesses that are each at most an eighth of a
  data record (``SMALL``) and in total at most a twentieth of the bytes (``SMALL_BYTES``).
- **Missing records**: at most a tenth of the records (``MOST_MISSING``), the rest of ``MOSTLY``. Where a tenth is
  missing independently, more than three in a row start at one record in 10,000: so a hole has at most three records
  (``LONGEST_HOLE``), and a longer one ends a portion. Holes that return at one distance are gaps of the pattern:
  they are in at least ``MOSTLY`` of the places that the distance gives, four or more for each process
  (``LEAST_RETURNS``; four holes in four places by chance, of one missing in ten, have a probability of 1 in 10,000).
- **Slack**: a portion is in its place where at least 19/20 of it lie there (``SLACK``), which allows alignment.
- **Order**: a process's accesses may be exchanged with their neighbours, at most one in ten (``MOST_EXCHANGED``).
- **Same portions**: two processes access the same portion where at least 19/20 of both is in both (``NEARLY_ALL``).
- **Certainty**: the margin of the narrowest test. Below a quarter (``LEAST_CERTAINTY``) the name is unknown: for the
  9 of 10 accesses that a name needs this is 92.5 %; the random error of 90 % seen in 200 accesses is 2 %. A test
  counts only where another end would lead to a name that does not stand for the same accesses.
"""

MOSTLY = 0.9
NEARLY_ALL = 0.95
SMALL = 1 / 8
SMALL_BYTES = 0.05
MOST_MISSING = 1 - MOSTLY
LONGEST_HOLE = 3
LEAST_RETURNS = 4
SLACK = 1 - NEARLY_ALL
MOST_EXCHANGED = 1 - MOSTLY
LEAST_CERTAINTY = 0.25
