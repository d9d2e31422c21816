"""What a log shows, the same live and in replay.

view        log lines become items
items       what there is to show, as values
news        lines that tell of the session itself, its context and plan
status      where a session stands
shelltexts  how the log and the model are told of a person's shell line
crashes     what a crash cut short, in words
undotexts   how a person is told of what was taken back
pictures    items as pictures
plain       the same, answers as they were written
thoughts    how reasoning is shown
results     results and reasoning, folded and whole
excerpts    long texts cut to what is worth a look
wording     which words of a changed line are others
markdown    blocks of Markdown as pictures
blocks      Markdown cut into blocks as it arrives
granted     what a person has allowed, in words
escaping    what is not text, made visible
"""
