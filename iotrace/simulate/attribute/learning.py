"""Attributes learnt from one trace (Richardson 1994, 6.2.1 and 6.2.2), and judged on others."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.errors import UsageError
from iotrace.simulate.attribute.advising import advised, fixed_sizes
from iotrace.simulate.attribute.decision_tree import Leaf, as_array, grow, leaf_of
from iotrace.simulate.attribute.features import Features, features_of
from iotrace.simulate.attribute.fixed_sizes import FixedSizes, Places
from iotrace.simulate.attribute.outcome import prepare
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.plan import Plan
from iotrace.simulate.attribute.remapping import Advice, Assignment, Moves, gains_of, moved
from iotrace.simulate.attribute.settings import Settings


@dataclass(frozen=True)
class LearntRule:
    """A leaf of the tree that moves files, and what it does on the trace that it was learnt from, simulated."""

    leaf: Leaf
    subcache: int
    files: int
    saved: int


@dataclass(frozen=True)
class RuleTree:
    """A tree, and its rules that are kept, in the order of their choice."""

    leaves: tuple[Leaf, ...]
    rules: tuple[LearntRule, ...]

    def moves(self, features: Mapping[int, Features], places: Places) -> Moves:
        """Return which files of a trace move, and to which place, by their features alone."""
        kept = {rule.leaf for rule in self.rules}
        moves: Moves = {}
        for file, each in features.items():
            leaf = leaf_of(self.leaves, each)
            if leaf in kept and leaf.subcache is not None and places[file] != leaf.subcache:
                moves[file] = leaf.subcache
        return moves


def learn(sizes: FixedSizes, advice: Advice, features: Mapping[int, Features]) -> RuleTree:
    """Grow a tree from what the candidates of an advice save elsewhere, and keep the leaves that save something.

    What a candidate saves is taken with all moves of the advice made, so that it is not credited for what another
    move saves already. Files that were no candidates count as saving nothing; whether moving them costs
    anything shows when a leaf is simulated on the same trace, with all its files moved, those that save most first.
    """
    files, homes = list(features), sizes.assignment()
    gains = gains_of(advice.assignment, homes, sizes.by_file(homes), advice.gains)
    leaves = grow([features[file] for file in files], as_array(files, gains, len(sizes.subcaches)))
    assignment = Assignment(sizes, homes)
    rules = []
    for leaf in sorted(leaves, key=lambda leaf: -leaf.saving):
        if leaf.subcache is None:
            continue
        files_here = [file for file in files if leaf.accepts(features[file])]
        moves = {file: leaf.subcache for file in files_here if assignment.places[file] != leaf.subcache}
        if moves and (saved := assignment.moved_if_it_saves(moves)):
            rules.append(LearntRule(leaf, leaf.subcache, len(moves), saved))
    return RuleTree(tuple(leaves), tuple(rules))


def learnt(memos: Mapping[str, PassMemo], plan: Plan, settings: Settings) -> dict[str, pa.Table]:
    """Learn from the first trace and judge on the others: tables attribute_rules and attribute_learnt.

    Raises UsageError for fewer than two traces, and for one that is the first again.
    """
    (first, memo), *others = memos.items()
    _refuse_the_same(memo, [other for _, other in others])
    for each in memos.values():
        prepare(each, [plan.scheme])
    features = {name: features_of(each.store) for name, each in memos.items()}
    rules: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    for total in plan.totals_bytes:
        sizes, advice, _ = advised(memo, plan, settings, total)
        tree = learn(sizes, advice, features[first])
        where = {"learnt_from": first, "total_bytes": total}
        rules.extend(where | row for row in _rules(sizes, tree))
        for name, other in others:
            row = _judged(other, plan, settings, total, tree, features[name])
            rows.append({"trace": name} | where | row)
    return {
        "rules": queries.result_table("attribute_rules", rules),
        "learnt": queries.result_table("attribute_learnt", rows),
    }


def _refuse_the_same(first: PassMemo, others: Sequence[PassMemo]) -> None:
    if not others:
        raise UsageError("--learn needs two traces: it learns from the first and is judged on the others")
    if any(Path(other.store.name).resolve() == Path(first.store.name).resolve() for other in others):
        raise UsageError("--learn is not judged on the trace that it learns from: give another one")


def _rules(sizes: FixedSizes, tree: RuleTree) -> list[dict[str, Any]]:
    return [
        {
            "rule": number,
            "conditions": str(rule.leaf),
            "to_class": sizes.subcaches[rule.subcache].category,
            "files_moved": rule.files,
            "saved": rule.saved,
        }
        for number, rule in enumerate(tree.rules, 1)
    ]


def _judged(
    memo: PassMemo,
    plan: Plan,
    settings: Settings,
    total_bytes: int,
    tree: RuleTree,
    features: Mapping[int, Features],
) -> dict[str, Any]:
    sizes = fixed_sizes(memo, plan, settings, total_bytes)
    places = sizes.assignment()
    moves = tree.moves(features, places)
    _, search, files = advised(memo, plan, settings, total_bytes)
    cost = sizes.total(moved(places, moves)) if moves else search.cost
    own_tree = learn(sizes, search, features)
    searched = min(search.remapped_cost, search.cost - sum(rule.saved for rule in own_tree.rules))
    return {
        "scheme": plan.scheme.label,
        "configuration": str(sizes.assigned.configuration),
        "objective": settings.objective,
        "files": files,
        "files_moved": len(moves),
        "cost": search.cost,
        "learnt_cost": cost,
        "learnt_saved_percent": 100 * (1 - cost / search.cost) if search.cost else None,
        "searched_cost": searched,
        "searched_saved_percent": 100 * (1 - searched / search.cost) if search.cost else None,
    }
