"""A blob that is gone is damage, and no other decision."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsm_agent.errors import DamagedLog
from fsm_agent.lifecycles.replay import check
from fsm_agent.log.blobs import BlobStore
from fsm_agent.log.reading import read
from fsm_agent.testing.stage import Stage, say

LONG = "x" * 5000


async def test_verify_says_which_blob_is_gone(tmp_path: Path) -> None:
    script = f'---\ncall: Read {{"path": "a", "output": "{LONG}"}}\n---\ntext: Done.'
    stage = Stage(tmp_path, script)
    await stage.play(say("go"))
    blobs = BlobStore(stage.directory)
    assert check(read(stage.directory / "events.jsonl"), blobs.text).divergences == []

    (gone,) = (stage.directory / "blobs").iterdir()
    gone.unlink()

    with pytest.raises(DamagedLog, match=gone.name):
        check(read(stage.directory / "events.jsonl"), blobs.text)
