"""Findings of papers judged by numbers: each holds, fails, or can't be judged.

`dissertation` judges by the number that the text gives, with a kind of comparison; the papers' own findings are
predicates with bounds (`bounds`), in parts that each say one thing. How a number is taken is the caller's.
"""
