"""The program's version, a literal: reading package metadata costs 40 ms."""

__version__ = "0.1.0"
