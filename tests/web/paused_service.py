"""A service in a process of its own whose network pauses: what it is asked, it answers after a second and a half.

    python paused_service.py DATA_DIRECTORY

Says its port on standard output, and `asked` each time its network is asked.
"""

import asyncio
import signal
import sys
from pathlib import Path

import uvicorn

from assay402.core.asks import Failed, Fetch
from assay402.service.settings import Settings
from assay402.service.telemetry import Log, Telemetry
from assay402.web.app import Face
from assay402.web.assembly import Outside, assembled
from assay402.web.server import listen, serve

SECONDS = 1.5
"""Longer than the library of event streams takes to see that a server was told to stop."""


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


async def fetch(_ask: Fetch) -> Failed:
    say("asked")
    await asyncio.sleep(SECONDS)
    return Failed(state="unreachable")


async def main(data: Path) -> None:
    """Serve until told to stop, in a process where another server was told so before."""
    uvicorn.Server(uvicorn.Config(fetch)).handle_exit(signal.SIGTERM, None)
    listening = listen("127.0.0.1", 0)
    telemetry = Telemetry(Log())
    async with assembled(Settings(), data, telemetry, Outside(fetcher=fetch)) as serving:
        face = Face(serving)
        async with face.running():
            port = listening.getsockname()[1]
            await serve(face, [listening], face.drain, lambda: say(str(port)), None, serving.orders.drained)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
