"""What slash commands do; each module has those of one kind.

command      one slash command, as a row
table        which is meant, and what becomes of it
helping      /help
custom       commands of one's own
desk         what they act on
permitting   /permissions
choosing     /model, /effort, /mode
steering     /plan, /compact, /uncompact, /continue, /inject, /back
showing      /show, /thinking, /usage
sessions     /sessions, /resume, /new, /fork
recording    /log, /replay, /audit
undoing      /diff, /undo, /redo
wishes       what somebody wants to be taken back
turns        what each turn was about
changes      what tools and commands changed in files
remembering  /memory, /dream
reloading    /reload, /skill
"""
