"""The paper on discretionary caching (Vilayannur et al.): its tables, its figures simulated, its findings judged.

`cells` sets the printed times beside those of cost model (b); `figures` are the simulations of figures 3 to 13 as data;
`PaperMemo` makes them, and `judge` holds the findings against both.
"""
