"""The REPL: a person, a session, and the screen between them.

opening    sessions are opened at a terminal, one after the other
switching  from one session to another
origins    what was shown of the sessions that a fork goes on from
picking    a session is picked from a list
choices    what that list looks like
numbered   a session is picked by its number
background  work beside the prompt
app        the session's side: what its log shows
person     the person's side: what becomes of keys and lines
surface    what a person reads and types at, whatever the terminal can do
drawn      a terminal that is drawn on
drawing    what it is drawn with
plain      a session as lines, for any terminal
telling    what is under way, told in lines
screen     scrollback above, prompt below
live       what is under way, as lines above the prompt
arriving   the answer that is arriving
resizing   what a terminal does to lines that were drawn before
titles     the terminal's title, progress and bell
questions  a person is asked
asked      what they are asked about
targets    files that a command names
asking     one shot: a person is asked, a line at a time
shell      `!command`: a shell line of the person's own
commands   what slash commands do
line       what a line is typed with
"""
