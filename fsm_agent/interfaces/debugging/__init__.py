"""A debugger over a log: what happened, line by line, and why.

stepping   a cursor over a log's lines, with the world behind the last one
breaking   at which lines to stop
telling    a line in one line, and the lines that led to it
printing   what a world holds, as text
comparing  what differs between two worlds
console    the commands, from a prompt or from stdin
prompting  the line at a terminal
"""
