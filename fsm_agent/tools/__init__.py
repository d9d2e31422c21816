"""What the model can do: files, commands, search, a list of steps.

protocol     what a tool is
registry     the built-in tools by name
reading      Read
writing      Write
editing      Edit
bash         Bash
search       Glob and Grep
todo         TodoWrite
compressing  Compress
remembering  Remember
planning     the plan tools, which the plan's lifecycle settles
undo         files put back
calls        a call at work: arguments, failures, jobs
containment  paths held by descriptor, beneath the workspace
beneath      directories opened beneath another
replacing    a file replaced whole or not at all
seen         what was last seen of each file
diffs        unified diffs
commands     a process, its output, its end
trees        all processes of a command, found and ended
watching     commands ended after a kill
ripgrep      ripgrep as a command
bounded      output in bounded memory
found        what ripgrep prints, by names
cleaning     text made safe to read
"""
