"""Words in, pictures out.

arguments    the command line's grammar
configuring  the environment and the command line as settings
dispatch     which verb is meant
outlets      the standard files: always open, written while somebody reads
running      one shot or REPL, from the command line to the exit code
assembly     a session with its model, tools and place
headless     one shot: the answer on stdout
replaying    a log painted, decided again or stepped through
repainting   a session painted again
debugging    a debugger over a log
exporting    a session in other programs' forms
logs         which log is meant, what of it is proved, its tables
searching    a text found in all logs
verbs        sessions, log, states, schema
demo         the main job with a scripted model, no key needed
terminal     the REPL
"""
