"""Hand-made logs of other programs, and how to change and judge them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fsm_agent.audit import Options, Report, audit

Entry = dict[str, Any]
SAMPLES = Path(__file__).parent / "samples"
HOW_TO = Path(__file__).parents[3] / "docs" / "how-to" / "audit-in-ci.md"


@pytest.fixture(scope="session")
def samples() -> Mapping[str, list[Entry]]:
    """The lines or steps of each format, by the name of its file.

    In each the person says one thing; the model calls `ls` and a curl side by side (9 tokens in,
    where the format tells 4 of them cached; 5 out), and then answers.
    """
    return {
        path.stem: msgspec.json.decode(path.read_bytes())["steps"]
        if path.suffix == ".json"
        else [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
        for path in SAMPLES.iterdir()
    }


@pytest.fixture(scope="session")
def rules() -> Mapping[str, str]:
    """The rule files of the how-to, by name."""
    text = HOW_TO.read_text(encoding="utf-8")
    return dict(re.findall(r"`(\w+)\.toml`:\n\n```toml\n(.*?)```", text, re.DOTALL))


@pytest.fixture
def written(tmp_path: Path) -> Callable[[list[Entry]], Path]:
    """A file of these lines, or of these steps."""

    def written(entries: list[Entry]) -> Path:
        path = tmp_path / "log"
        if "source" in entries[0]:
            whole = {"schema_version": "ATIF-v1.7", "agent": {"name": "a"}, "steps": entries}
            path.write_bytes(msgspec.json.format(msgspec.json.encode(whole)))
        else:
            path.write_bytes(b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries))
        return path

    return written


@pytest.fixture
def judged(tmp_path: Path, written: Callable[[list[Entry]], Path]) -> Callable[..., Report]:
    """The report on such a file, with a rule of the team's own or none."""

    def judged(entries: list[Entry], rule: str = "") -> Report:
        own = tmp_path / "rule.toml"
        own.write_text(rule, encoding="utf-8")
        report = audit([written(entries)], Options(rules=(own,) if rule else ()))
        assert report.results[0].fault == ""
        return report

    return judged
