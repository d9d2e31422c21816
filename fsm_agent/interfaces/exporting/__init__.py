"""Sessions in other forms: one fold, then one pure function a form.

transcript    what a session was, as exports tell it
transcribing  the fold of a log's lines into a transcript
news          what a line says of the session, in a sentence
command       `export`: which form, from which log, to where
markdown      a text to read
html          one page to read, without anything from outside
page          the look of that page
plain         the transcript itself, as JSON
atif          a trajectory for benchmarks and training
otlp          spans with the GenAI names of OpenTelemetry
"""
