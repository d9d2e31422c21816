"""What the model is told: prompt, conversation, results. Pure.

calls    ids that calls are sent with
cutting  whether messages are dropped, which, and why
economy  what a cut saves: the formula, its numbers and bounds
prompt   sections of the system prompt, and their one text
results  a tool's output cut to what the model gets
"""
