"""What to do about findings, and the exit codes that some lead to."""

TORN = 5
DAMAGED = 3
UNKNOWN = 6
DIVERGED = 4

RESTORE = "Restore the file from a backup; `fsm-agent --resume ID` goes on from what is proved."
REPORT = "Report it as a fault of the program that wrote the log, with this log."
