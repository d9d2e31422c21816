"""A table as a Mermaid picture; the same table gives the same bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fsm_agent.machine.checking import passes
from fsm_agent.machine.rows import Row
from fsm_agent.machine.table import Table

_HEAD = """\
%% Drawn from states/{name}.toml by `fsm-agent states draw`; change the table, not this file.
%% trigger [question = answer] / lines written → triggers sent. A loop stays and restarts nothing.
%% Dashed: passed through in the batch that enters it.
stateDiagram-v2"""
_WORDS = frozenset(
    {"accdescr", "acctitle", "class", "classdef", "click", "default", "href", "note", "scale"}
    | {"state", "style"}
)
"""Words of Mermaid that cannot name a state, in any case."""
_ESCAPES = str.maketrans({"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;"})


def mermaid(table: Table) -> str:
    """Draw one table as a `stateDiagram-v2`, with one final newline."""
    return "\n".join([_HEAD.format(name=table.name), *_body(table)]) + "\n"


def drawings(tables: Mapping[str, Table]) -> dict[str, str]:
    """The pictures of all tables by file name: what `diagrams/` must hold."""
    return {f"{name}.mmd": mermaid(table) for name, table in sorted(tables.items())}


def _body(table: Table) -> Iterator[str]:
    for name, state in table.states.items():
        words = [name, state.caption.translate(_ESCAPES)]
        if state.does:
            words.append(f"do / {state.does}")
        yield f'    state "{"<br/>".join(words)}" as {_id(name)}'
    yield f"    [*] --> {_id(table.initial)}"
    for row in sorted(table.rows, key=lambda row: row.id):
        for source in row.source:
            yield f"    {_id(source)} --> {_id(row.to or source)} : {_label(row)}"
    for name, state in table.states.items():
        if state.final:
            yield f"    {_id(name)} --> [*]"
    if passing := [_id(name) for name in table.states if passes(table, name)]:
        yield "    classDef passing stroke-dasharray: 4 4"
        yield f"    class {', '.join(passing)} passing"


def _id(state: str) -> str:
    return f"{state}_" if state.lower() in _WORDS else state


def _label(row: Row) -> str:
    label = row.on
    if row.when:
        conditions = [f"{ask} = {' | '.join(taken)}" for ask, taken in row.when.items()]
        label += f" [{', '.join(conditions)}]"
    if row.emits:
        label += f" / {', '.join(row.emits)}"
    if row.sends:
        label += f" → {', '.join(row.sends)}"
    return label
