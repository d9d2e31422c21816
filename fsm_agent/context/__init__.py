"""What the model is told: prompt, conversation, results. Pure.

calls    ids that calls are sent with
prompt   sections of the system prompt, and their one text
results  a tool's output cut to what the model gets
"""
