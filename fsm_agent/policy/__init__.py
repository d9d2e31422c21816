"""May this call run? Pure decisions over recorded facts.

judging   one function: run, ask or block, with the layer that decided
grants    what a person has allowed for the rest of the session
reaching  how far a standing yes to a command reaches
barriers  which calls of one answer may not run side by side
secrets   placeholders for values nobody may see
paths     where a path leads, by its text alone
"""
