"""Words in, pictures out.

arguments    the command line's grammar
amounts      tokens, prices, ratios and dollars as people write them
configuring  the environment and the command line as settings
dispatch     which verb is meant
outlets      the standard files: always open, written while somebody reads
running      one shot or REPL, from the command line to the exit code
assembly     a session with its model, tools and place
providing    which model is asked, and by what
headless     one shot: the answer on stdout
planned      one shot about a plan: to draft it, or to carry it out
auditing     finished logs against rules
forking      from a point of a session again, with something changed
replaying    a log painted, decided again or stepped through
whatif       other tables or settings, and what they would change
reckoning    what requests cost by estimate, with these cuts or with others
repainting   a session painted again
debugging    a debugger over a log
exporting    a session in other programs' forms
logs         which log is meant, what of it is proved, its tables
checking     the tables proved, each alone and all together
counterexamples  inputs that break a property, as a table and as a log
listing      sessions, a line each
catalogue    all sessions there are to choose from
remembering  `fsm-agent memory`
searching    a text found in a log
models       which models are known, and what they cost
verbs        sessions, log, states, schema
demo         the main job with a scripted model, no key needed
painting     what a log shows
terminal     the REPL
"""
