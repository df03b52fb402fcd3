"""Block traces compared with the paper on write caches (Biswas, Ramakrishnan and Towsley 1993): cells and findings.

`printed` holds the paper's tables as data; `Subject` is a trace with a drive and, where it is like one, a disk of the
paper; `PaperMemo` simulates it with all the settings of the tables at once; `cells` has ours and the printed values,
and `judge` holds the findings against them.
"""
