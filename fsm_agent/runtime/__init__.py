"""Performs what the machines ask for.

clock         time and names
places        where sessions live
naming        names that the system gives, as text
session       directory, lock, log, blobs and world of one session
surroundings  what the prompt says of machine and project; watched files
expanding     `@file` in a person's line
redaction     secrets replaced at the door
salvage       the conversation of a damaged log
forking       where a fork begins, and how two runs differ
hands         performs activities
loop          the only loop
"""
