"""The paper on writeback policies in parallel file systems (Kotz and Ellis 1991), compared with our simulation.

`printed` holds its tables and figures as data; `PaperMemo` simulates what they ask for, each of it once; `cells` has
ours and the printed values, `points` the curves of the figures, and `judge` holds the findings against both;
`by_readings` says which of them rest on what the paper leaves open.
"""
