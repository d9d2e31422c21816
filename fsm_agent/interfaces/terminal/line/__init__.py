"""What a line is typed with.

keys        what each key does
editing     history, completion and an editor, together
completing  names of commands, what they take, and files
filenames   names of files, found, matched and written
history     lines that were typed in this project
pasting     large pastes as placeholders
"""
