"""The machines bound to events; `step` is the heart.

declared    the shipped tables
world       what the log says so far
facts       what it says of a turn, a cut and the plan
fold        what each line changes in the world
cuts        the context's cuts: when, what they ask for, what they leave
rewinding   the conversation as it was before a turn, and back again
limits      what is said where the context cannot be cut any further
plans       the plan: its questions, lines and changes
prompts     the prompt as a cut or the plan makes it anew
granting    standing answers of a person: given and taken back
spending    what requests have used and cost
asks        the tables' questions
emitters    what rows emit
activities  what states do
addresses   who is meant by an input or an address
bodies      request bodies and their digests, kept beside the world
step        one input run to its end
paging      a conversation of any length in little memory
replay      inputs alone through `step`
marking     a world marked, so that a decision can be taken back
divergence  where the same inputs gave other lines
checking    the model check: all machines walked on their tables
projections  conversation and figures, as files beside the log
"""
