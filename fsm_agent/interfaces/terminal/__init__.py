"""The REPL: a person, a session, and the screen between them.

opening    a session is opened at a terminal
app        the session's side: what its log shows
person     the person's side: what becomes of keys and lines
surface    what a person reads and types at, whatever the terminal can do
screen     scrollback above, prompt below
live       what is under way, as lines above the prompt
arriving   the answer that is arriving
resizing   what a terminal does to lines that were drawn before
titles     the terminal's title, progress and bell
questions  a person is asked
asking     one shot: a person is asked, a line at a time
shell      `!command`: a shell line of the person's own
commands   what slash commands do
line       what a line is typed with
"""
