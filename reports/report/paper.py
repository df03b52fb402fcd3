"""The trace compared with papers (``report --paper``): the only section of the report that knows of papers."""

from contextlib import closing

import pyarrow as pa

from iotrace.papers.richardson.attribute_improvements import improvements
from iotrace.papers.richardson.attribute_judging import judge
from iotrace.papers.richardson.characterization import compare_with_paper
from iotrace.papers.richardson.paging import demand_paging
from iotrace.simulate.attribute.passes import PassMemo


def tables(memo: PassMemo) -> dict[str, pa.Table]:
    """Return the tables of the section, by name; `memo` is of attribute caches, by today's model."""
    with closing(memo.store.sandboxed(views=[])) as connection:
        compared = compare_with_paper(connection)
    return {
        **compared,
        "demand_paging": demand_paging(memo.store),
        "attribute_improvements": _in_words(improvements({"this trace": memo} if memo.requests else {})),
        "attribute_findings": judge(memo),
    }


def _in_words(table: pa.Table) -> pa.Table:
    """Return the table with its names as words."""
    names = {
        name: [name_.replace("_", " ") for name_ in table[name].to_pylist()] for name in ("measure", "region")
    }
    for name, values in names.items():
        index = table.schema.get_field_index(name)
        table = table.set_column(index, table.schema.field(name), [values])
    return table
