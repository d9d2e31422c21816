"""The REPL: what a log shows, and what keys do.

app         a session at a terminal, from its first line to its exit code
asking      one shot: a person is asked, a line at a time
changes     what tools changed, for `/diff` and `/undo`
commands    what slash commands do
completing  names of commands and files, completed
escaping    what is not text, made visible
items       what there is to show, as values
keys        what each key does
live        what is under way, as lines above the prompt
painting    items as pictures
questions   a person is asked
screen      scrollback above, prompt below
view        log lines become items
"""
