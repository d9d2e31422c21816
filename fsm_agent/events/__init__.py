"""What can happen, as frozen values, and its form as lines.

values     texts, blocks, messages, usage, failures
inputs     what the core could not have known
canonical  texts that equal a default are the default
derived    what the core concludes; notes
lines      a line and a batch as bytes and back
outcome    what a tool gives back
schema     the JSON Schema of all lines
"""
