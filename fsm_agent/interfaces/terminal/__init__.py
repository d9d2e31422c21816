"""The REPL: what a log shows, and what keys do.

app         a person at the prompt: what they type, what they see
arriving    the answer that is arriving
asking      one shot: a person is asked, a line at a time
blocks      Markdown cut into blocks as it arrives
changes     what tools changed, for `/diff` and `/undo`
commands    what slash commands do
completing  names of commands, what they take, and files, completed
desk        what slash commands act on
editing     what the line is edited with
escaping    what is not text, made visible
excerpts    long texts cut to what is worth a look
filenames   names of files, found, matched and written
history     lines that were typed in this project
items       what there is to show, as values
keys        what each key does
live        what is under way, as lines above the prompt
markdown    blocks of Markdown as pictures
news        lines that tell of the session itself, its context and plan
offering    words that slash commands take
opening     a session is opened at a terminal
painting    items as pictures
pasting     large pastes as placeholders
questions   a person is asked
remembering  /memory and /dream
resizing    what a terminal does to lines that were drawn before
results     results and reasoning, folded and whole
screen      scrollback above, prompt below
showing     what was folded, in full
shell       `!command`: a shell line of the person's own
shelltexts  how the log and the model are told of it
status      where a session stands
steering    slash commands for the mode, the plan and the context
titles      the terminal's title, progress and bell
view        log lines become items
"""
