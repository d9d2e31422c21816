"""Performs what the machines ask for.

clock         time and names
places        where sessions live
naming        names that the system gives, as text
session       directory, lock, log, blobs and world of one session
instructions  AGENTS.md files and the like
surroundings  what the prompt says of machine and project; watched files
expanding     `@file` in a person's line
mentions      what an `@file` may mean
images        pictures of a session
pricing       what a model takes and costs
refreshing    a newer list of models, fetched
redaction     secrets replaced at the door
salvage       what a log leaves to a session that goes on from it
forking       where a fork begins, and how two runs differ
planning      the files of draft and plan
promptfiles   commands of one's own, each a Markdown file
remembering   memory files
hands         performs activities
answering     an answer as input lines
loop          the only loop
"""
