"""The REPL: what a log shows, and what keys do.

app         a session at a terminal, from its first line to its exit code
asking      one shot: a person is asked, a line at a time
changes     what tools changed, for `/diff` and `/undo`
commands    what slash commands do
completing  names of commands and files, completed
desk        what slash commands act on
escaping    what is not text, made visible
items       what there is to show, as values
keys        what each key does
live        what is under way, as lines above the prompt
news        lines that tell of the session itself, its context and plan
painting    items as pictures
questions   a person is asked
remembering  /memory and /dream
screen      scrollback above, prompt below
steering    slash commands for the mode, the plan and the context
view        log lines become items
"""
