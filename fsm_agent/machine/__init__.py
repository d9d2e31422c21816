"""A declared table, read, checked, fired and drawn.

rows      what a table is made of: states, questions, rows; a row as it is taken
engine    decides with `transitions`
table     all of one machine, and the one row a trigger takes
reading   a table's text into values, with the line of each fault
checking  what a table must never say
drawing   a table as a Mermaid picture
"""

from fsm_agent.machine.reading import digest, read_table
from fsm_agent.machine.table import Answers, Ask, Move, Row, State, Table

__all__ = ["Answers", "Ask", "Move", "Row", "State", "Table", "digest", "read_table"]
