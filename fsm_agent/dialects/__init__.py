"""Request bytes out of messages, blocks out of bytes; no I/O.

protocol   what a dialect is
"""
