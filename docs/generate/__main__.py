"""Write the generated pages of the documentation: ``python docs/generate``; with ``--check``, only compare them."""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import agents
import command_line
import counters
import formats
import metrics
import policy_variants
import rules
import shapes

DOCS = Path(__file__).parents[1]
PAGES: Mapping[str, Callable[[], str]] = {
    "reference/formats.md": formats.page,
    "reference/tables.md": shapes.tables_page,
    "reference/statistics.md": shapes.statistics_page,
    "reference/questions.md": shapes.questions_page,
    "reference/advice.md": rules.page,
    "reference/metrics.md": metrics.page,
    "reference/policies.md": policy_variants.page,
    "reference/command-line.md": command_line.page,
    "../iotrace/cli/sentences.py": command_line.sentences,
    "skills/iotrace/SKILL.md": agents.skill,
    "llms.txt": agents.llms,
    **{
        f"../{counters.FOLDER}/{view}.sql": partial(counters.text, module)
        for view, module in counters.views().items()
    },
}


def main(arguments: list[str]) -> int:
    """Write the pages that differ; return 1 where --check finds one."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/generate [--check]", file=sys.stderr)
        return 2
    status = 0
    for name, page in PAGES.items():
        path, text = DOCS / name, page()
        if path.is_file() and path.read_text("utf-8") == text:
            continue
        if arguments:
            print(f"docs/{name} is out of date: run python docs/generate", file=sys.stderr)
            status = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            print(f"docs/{name}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
