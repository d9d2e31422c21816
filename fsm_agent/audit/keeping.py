"""Rules about what is kept: texts, blobs, tables, figures, types of lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePath

from fsm_agent.audit.evidence import Evidence, Handler, Monitor
from fsm_agent.errors import DamagedLog, DeclarationError
from fsm_agent.events import derived as d
from fsm_agent.events import inputs as i
from fsm_agent.events.lines import Line
from fsm_agent.events.values import INLINE_LIMIT, Blob, BlobText, FileChange
from fsm_agent.lifecycles.declared import table_files, tables
from fsm_agent.lifecycles.projections import stats
from fsm_agent.log.blobs import BlobStore
from fsm_agent.machine import Table, digest, read_table
from fsm_agent.machine.checking import check


class Keeping(Monitor):
    """FSA008, 009, 015, 070, 082."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._blobs = BlobStore(evidence.path.parent)
        self._looked_at: set[str] = set()
        self._unknown: Counter[str] = Counter()
        self._figures = b""
        """What `stats.json` was to hold when it was last written."""
        self._closed = False

    def handlers(self) -> Mapping[type, Handler]:
        """Whatever can name a blob; what is not known."""
        return {
            i.SessionStart: self._tables,
            i.SessionResume: self._tables,
            i.SessionFork: self._fork,
            i.Summarised: lambda event, line: self._texts([event.text], line),
            i.Tools: lambda event, line: self._texts([event.specs], line),
            i.PromptRead: lambda event, line: self._texts([s.text for s in event.sections], line),
            i.Seen: lambda event, line: self._texts([event.text], line),
            i.Command: lambda event, line: self._changes(event.changes, line),
            i.Finished: self._output,
            i.Stopped: self._output,
            d.ToolResult: self._result,
            d.SessionEnd: self._end,
            d.Unknown: self._strange,
        }

    def batch_begins(self) -> None:
        """A run that goes on writes its figures anew."""
        self._closed = False

    def batch_ends(self) -> None:
        """Keep the figures that are written at the end of a run."""
        if self._closed:
            self._figures = stats(self._evidence.world)

    def log_ends(self) -> None:
        """Compare the figures; tell of unknown types."""
        for name, count in self._unknown.items():
            lines = "line" if count == 1 else "lines"
            self._evidence.result.notes.append(f"{count} {lines} of unknown type '{name}'")
        path = self._evidence.path.with_name("stats.json")
        looked_at = self._closed and not self._evidence.live and path.is_file()
        if looked_at and path.read_bytes() != self._figures:
            self._evidence.found("FSA070", "stats.json is not what the log gives")

    def _end(self, _: d.SessionEnd, __: Line) -> None:
        self._closed = True

    def _strange(self, event: d.Unknown, line: Line) -> None:
        self._unknown[event.type] += 1
        if self._unknown[event.type] == 1:
            self._evidence.found("FSA082", f"the type '{event.type}' is unknown", line)

    # -- texts and blobs -------------------------------------------------------------------------

    def _fork(self, event: i.SessionFork, line: Line) -> None:
        self._texts([event.messages, event.plan, event.summary], line)

    def _output(self, event: i.Finished | i.Stopped, line: Line) -> None:
        self._texts([event.output], line)
        if event.changes:
            self._changes(event.changes, line)

    def _changes(self, changes: Iterable[FileChange], line: Line) -> None:
        for change in changes:
            self._texts([b for b in (change.before, change.after) if b], line)

    def _texts(self, texts: Iterable[BlobText | None], line: Line) -> None:
        for text in texts:
            if isinstance(text, Blob):
                self._blob(text, line)
            elif text and len(text) * 4 > INLINE_LIMIT < len(text.encode()):
                why = f"a text of {len(text.encode())} bytes stands in the line"
                self._evidence.found("FSA008", why, line)

    def _blob(self, blob: Blob, line: Line) -> None:
        if blob.blob in self._looked_at:
            return
        self._looked_at.add(blob.blob)
        try:
            data = self._blobs.get(blob)
        except (DamagedLog, OSError) as error:
            why = str(error).rpartition(": ")[2] if isinstance(error, DamagedLog) else str(error)
            self._evidence.found("FSA009", f"blob {blob.blob[:16]}: {why}", line)
            return
        if len(data) != blob.bytes:
            why = f"blob {blob.blob[:16]}: {len(data)} bytes, not {blob.bytes}"
            self._evidence.found("FSA009", why, line)

    def _result(self, event: d.ToolResult, line: Line) -> None:
        limit = self._evidence.world.settings.result_limit + INLINE_LIMIT
        if len(event.content) * 4 > limit < len(event.content.encode()):
            why = f"a result of {len(event.content.encode())} bytes"
            self._evidence.found("FSA008", why, line)

    # -- tables ----------------------------------------------------------------------------------

    def _tables(self, event: i.SessionStart | i.SessionResume, line: Line) -> None:
        """From here on the log is judged by the tables that it names."""
        evidence = self._evidence
        shipped = {name: digest(data) for name, data in table_files().items()}
        own: dict[str, Table] = {}
        for name, blob in event.tables.items():
            self._texts([blob], line)
            if shipped.get(name) != blob.blob and (table := self._own_table(name, blob, line)):
                own[name] = table
        evidence.world.tables = {**tables(), **own}
        note = "it names no tables; the shipped ones are used"
        if not event.tables and note not in evidence.result.notes:
            evidence.result.notes.append(note)

    def _own_table(self, name: str, blob: Blob, line: Line) -> Table | None:
        """The table that the log was written with, if it is one."""
        found, path = self._evidence.found, PurePath(f"{name}.toml")
        try:
            table = read_table(self._blobs.text(blob), path)
        except (DamagedLog, OSError):
            found("FSA015", f"table '{name}' is not the shipped one, and is lost", line)
            return None
        except (DeclarationError, UnicodeDecodeError) as error:
            found("FSA015", f"table '{name}' cannot be read: {error}", line)
            return None
        if wrong := check(table, path):
            found("FSA015", f"table '{name}' is not sound: {wrong[0]}", line)
        return table
