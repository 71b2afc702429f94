"""The service in paid mode, in a thread of this process: `start_service(settings, data_dir)`, until it is closed."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from assay402.sandbox.serving import LOOPBACK
from assay402.service.settings import Settings

START_SECONDS: Final = 60.0
"""How long the service may take to start; it takes about one."""


class Service:
    """The service, running until it is closed. `port` and `public_url` of the settings are filled in.

    `say` gets its log, one line of JSON at a time. Raises `OSError` where the port is taken, and what the service raises
    where it cannot start.
    """

    def __init__(self, settings: Settings, data_dir: Path, say: Callable[[str], None]) -> None:
        from assay402.web.server import listen

        self._listening: Final = listen(LOOPBACK, settings.port)
        port = self._listening.getsockname()[1]
        self.url: Final = f"http://{LOOPBACK}:{port}"
        self._settings: Final = replace(settings, host=LOOPBACK, port=port, public_url=self.url)
        self._ended, self._ending = os.pipe()
        self._started: Final[Future[None]] = Future()
        self._thread: Final = threading.Thread(target=self._run, args=(data_dir, say), name="sandbox-service")
        self._thread.start()
        try:
            self._started.result(START_SECONDS)
        except BaseException:
            self.close()
            raise

    def _run(self, data_dir: Path, say: Callable[[str], None]) -> None:
        from assay402.service.telemetry import Log, Telemetry
        from assay402.web.running import run_until

        telemetry = Telemetry(Log(say))
        try:
            run_until(
                self._settings,
                data_dir,
                self._listening,
                lambda: self._started.set_result(None),
                self._ended,
                telemetry,
            )
        except BaseException as error:
            # Told to whoever waits for the start; afterwards there is nobody, and it is a fault like any in a thread.
            if self._started.done():
                raise
            self._started.set_exception(error)

    def close(self) -> None:
        """Let work under way end, then stop."""
        os.write(self._ending, b"\0")
        self._thread.join()
        self._listening.close()
        os.close(self._ended)
        os.close(self._ending)
