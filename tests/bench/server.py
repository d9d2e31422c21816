"""A scripted model on the loopback that says when a request came.

A program of its own, so that it shares no interpreter with what is measured. It prints its port
and takes one JSON value a line on standard input: a list of answers is the next script, `null`
asks what came since. Both are answered by the list of requests so far, each as `[received, sent,
bytes]`: when its last byte had come, when the answer's last byte was handed to the kernel (0:
not yet), in seconds of the monotonic clock, and the size of its body.

An answer is one of
    {"text": "ok"}                    said in one delta
    {"bytes": 5000000, "delta": 20}   so many bytes of text, so many a delta
    {"commands": ["true"]}            one call of Bash each
    {"text": "ok", "stall": true}     its beginning, and then nothing
    {"bytes": 9000, "delta": 9, "rate": 1000}   so many deltas a second
Answers are made before they are asked for, and sent with one call.
"""

from __future__ import annotations

import json
import socketserver
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from fsm_agent.events.values import Block, CallBlock, TextBlock
from fsm_agent.testing.answers import openai

HEAD = b"""\
HTTP/1.1 200 OK\r
Content-Type: text/event-stream\r
Transfer-Encoding: chunked\r
\r
"""


TICK_S = 0.01
"""Seconds between two parts of an answer that has a rate."""


class Script:
    """Answers in order, and the requests that took them."""

    def __init__(self, answers: list[dict[str, Any]]) -> None:
        self.requests: list[list[float]] = []
        self._answers = [made(n, answer) for n, answer in enumerate(answers)]

    def take(self, size: int) -> tuple[list[float], list[bytes]]:
        """The record of the request that has just come, and its answer."""
        record = [time.monotonic(), 0.0, size]
        self.requests.append(record)
        return record, self._answers[len(self.requests) - 1]


class Handler(socketserver.StreamRequestHandler):
    """One connection: requests in, answers out."""

    disable_nagle_algorithm = True

    def handle(self) -> None:
        """Answer until the client leaves."""
        while size := self.size():
            self.rfile.read(size)
            record, answer = server.script.take(size)
            for part in answer:
                self.wfile.write(part)
                if len(answer) > 1:
                    time.sleep(TICK_S)
            record[1] = time.monotonic()

    def size(self) -> int:
        """The size of the next body, behind its head; 0 if none comes."""
        size = 0
        with suppress(ConnectionResetError):  # the client has left
            while line := self.rfile.readline().strip().lower():
                if line.startswith(b"content-length:"):
                    size = int(line.partition(b":")[2])
        return size


class Server(socketserver.ThreadingTCPServer):
    """Serves the script of the moment."""

    daemon_threads = True
    script = Script([])


def made(n: int, answer: dict[str, Any]) -> list[bytes]:
    """The n-th answer as it goes out: at once, or so much a tick."""
    blocks: list[Block]
    if "commands" in answer:
        commands = enumerate(answer["commands"])
        blocks = [CallBlock("Bash", f"call_{n}_{k}", {"command": c}) for k, c in commands]
    else:
        blocks = [TextBlock(answer.get("text") or text(answer["bytes"]))]
    events = openai(blocks, size=answer.get("delta", 1 << 20))
    if answer.get("stall"):
        return [HEAD + chunk(events[0] + events[1])]
    step = max(1, int(answer["rate"] * TICK_S)) if "rate" in answer else len(events)
    parts = [chunk(b"".join(events[at : at + step])) for at in range(0, len(events), step)]
    return [HEAD, *parts, chunk(b"")] if "rate" in answer else [HEAD + parts[0] + chunk(b"")]


def chunk(data: bytes) -> bytes:
    """Bytes as HTTP sends them without saying beforehand how many there will be."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def text(size: int) -> str:
    """So many characters of text, no line like another."""
    lines = (f"line {n} of an answer that goes on for long\n" for n in range(size // 40 + 1))
    return "".join(lines)[:size]


server = Server(("127.0.0.1", 0), Handler)


def main() -> None:
    """Serve until standard input ends."""
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    for line in sys.stdin:
        if (answers := json.loads(line)) is not None:
            server.script = Script(answers)
        sys.stdout.write(json.dumps(server.script.requests) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
