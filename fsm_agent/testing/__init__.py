"""The kit for tests against a model that is not there.

plugin       pytest's fixture `agent`
agent        a prompt in a workspace, then what came of it
recording    what a session's log holds of model, tools and person
cassette     a recorded session that answers instead of them
differing    the first place in which two JSON values differ
normalising  events as short texts in which nothing depends on the run
server       a model server on the loopback, with every fault on request
replies      what the server says to one request, down to the byte
answers      answers as the events of a protocol's stream
stage        a real session with a scripted model and tools that wait for their cue
drafting     plays with plans: the model writes a draft, and it is found there
acting       people, deaths and proofs for plays on a stage
program      the program itself, in a process of its own

A model without a server is `fsm_agent.providers.scripted`.
"""

from fsm_agent.testing.answers import anthropic, openai
from fsm_agent.testing.replies import Reply
from fsm_agent.testing.server import ModelServer, Received

__all__ = ["ModelServer", "Received", "Reply", "anthropic", "openai"]
