"""What a line is typed with.

typed       the line, and the one aside while a question stands
raw         keys as they are pressed
cooked      lines as the terminal's own editing gives them
keys        what each key does
editing     history, completion and an editor, together
menu        what can be chosen, in a menu that opens by itself
completing  names of commands, what they take, and files
filenames   names of files, found, matched and written
history     lines that were typed in this project
pasting     large pastes as placeholders
picturing   pictures as placeholders
clipboard   the picture on the clipboard
"""
