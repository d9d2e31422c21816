"""A snapshot that is a log."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode


class _Log(SingleFileSnapshotExtension):
    file_extension = "jsonl"
    _write_mode = WriteMode.TEXT


@pytest.fixture
def lines(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """A snapshot that is a log."""
    return snapshot.use_extension(_Log)
