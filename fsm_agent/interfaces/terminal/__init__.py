"""The REPL: what a log shows, and what keys do.

app         a session at a terminal, from its first line to its exit code
arriving    the answer that is arriving
asking      one shot: a person is asked, a line at a time
blocks      Markdown cut into blocks as it arrives
changes     what tools changed, for `/diff` and `/undo`
commands    what slash commands do
completing  names of commands and files, completed
desk        what slash commands act on
escaping    what is not text, made visible
excerpts    long texts cut to what is worth a look
items       what there is to show, as values
keys        what each key does
live        what is under way, as lines above the prompt
markdown    blocks of Markdown as pictures
news        lines that tell of the session itself, its context and plan
painting    items as pictures
questions   a person is asked
remembering  /memory and /dream
results     results and reasoning, folded and whole
screen      scrollback above, prompt below
showing     what was folded, in full
status      where a session stands
steering    slash commands for the mode, the plan and the context
titles      the terminal's title, progress and bell
view        log lines become items
"""
