"""The paper on discretionary caching (Vilayannur et al.): its tables, its figures simulated, its findings judged.

`cells` compares the printed times with those of cost model (b); `figures` are the simulations of figures 3 to 13 as
data; `PaperMemo` runs them, and `judge` compares the findings with both.
"""
