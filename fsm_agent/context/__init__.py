"""What the model is told: prompt, conversation, results. Pure.

calls    ids that calls are sent with
cutting  whether messages are dropped, which, and why
economy  what a cut saves: the formula, its numbers and bounds
filtering  a command's output without what says nothing new
guidance  what the prompt says by itself
languages  its first and last sentence, in the person's language
memory   memory files: sections read and written
noise    what a line of output says by itself
prompt   sections of the system prompt, and their one text
pruning  old messages without repeated outputs and failed inputs
results  a tool's output cut to what the model gets
summarising  what the model is told of a context that gets full
wording  what is said where something did not go its way
"""
