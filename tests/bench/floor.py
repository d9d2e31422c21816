"""The least that an agent's loop can do on asyncio and httpx.

    python floor.py BASE_URL SESSION_FILE PROMPT

A step: the request out, the answer parsed as it comes, `sh -c COMMAND` run, a line appended to
the session file for each message and synced. No prompt, no policy, no screen, no errors. httpx is
used as its manual says; only its command line, which it would import where it finds click, is
left out: where that is installed it is no part of a loop.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

import msgspec

sys.modules["httpx._main"] = None  # type: ignore[assignment]  # None makes the import fail
import httpx  # noqa: E402 - behind the line above

Message = dict[str, Any]

encode, decode = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode
TOOL = {
    "type": "function",
    "function": {
        "name": "Bash",
        "description": "Run a command.",
        "parameters": {
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
        },
    },
}


async def ask(client: httpx.AsyncClient, messages: list[Message]) -> Message:
    """One request; the answer as a message, its text written out as it comes."""
    body = encode({"model": "floor", "stream": True, "tools": [TOOL], "messages": messages})
    texts: list[str] = []
    calls: list[dict[str, Any]] = []
    async with client.stream("POST", "/chat/completions", content=body) as response:
        async for line in response.aiter_lines():
            if not line.startswith("data: {"):
                continue
            for choice in decode(line[6:])["choices"]:
                delta = choice["delta"]
                if text := delta.get("content"):
                    texts.append(text)
                    sys.stdout.write(text)
                for call in delta.get("tool_calls", ()):
                    if "id" in call:
                        calls.append(call)
                    else:
                        function = calls[call["index"]]["function"]
                        function["arguments"] += call["function"]["arguments"]
    return {"role": "assistant", "content": "".join(texts), "tool_calls": calls}


async def run(call: dict[str, Any]) -> Message:
    """One command; its result as a message."""
    command = decode(call["function"]["arguments"])["command"]
    process = await asyncio.create_subprocess_exec(
        *("sh", "-c", command),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    output, _ = await process.communicate()
    content = f"{output.decode()}[exit {process.returncode}]"
    return {"role": "tool", "tool_call_id": call["id"], "content": content}


async def main(url: str, path: str, prompt: str) -> None:
    """Go on until an answer asks for nothing."""
    session = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    messages: list[Message] = []

    def say(message: Message) -> None:
        messages.append(message)
        os.write(session, encode(message) + b"\n")
        os.fsync(session)

    say({"role": "user", "content": prompt})
    async with httpx.AsyncClient(base_url=url, timeout=None, trust_env=False) as client:
        while True:
            say(answer := await ask(client, messages))
            if not answer["tool_calls"]:
                return
            for result in await asyncio.gather(*map(run, answer["tool_calls"])):
                say(result)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
