"""The program `anvil` as the chain, where it is on the PATH."""

import re
import shutil
import subprocess
import threading
from concurrent.futures import Future
from typing import Final

from assay402.sandbox.serving import LOOPBACK

STOP_SECONDS: Final = 10.0
_LISTENING: Final = re.compile(r"Listening on [0-9.]+:([0-9]+)")


class AnvilFailed(Exception):
    """The program ended instead of listening; the port may be taken."""


def find_anvil() -> str | None:
    """Give the path of the program, if there is one."""
    return shutil.which("anvil")


class Anvil:
    """The program, running until it is closed. Raises `AnvilFailed`."""

    def __init__(self, program: str, chain_id: int, port: int = 0) -> None:
        command = [program, "--host", LOOPBACK, "--port", str(port), "--chain-id", str(chain_id)]
        self._process = subprocess.Popen(  # noqa: S603  (found on the PATH; the arguments are ours)
            [*command, "--accounts", "1"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        self._port: Future[int | None] = Future()
        # It prints every call, and would stand still were nobody reading.
        self._reader = threading.Thread(target=self._read, name="sandbox-anvil")
        self._reader.start()
        port_told = self._port.result()
        if port_told is None:
            self.close()
            raise AnvilFailed
        self.url = f"http://{LOOPBACK}:{port_told}"

    def _read(self) -> None:
        for line in self._process.stdout or ():
            found = _LISTENING.search(line)
            if found and not self._port.done():
                self._port.set_result(int(found[1]))
        if not self._port.done():
            self._port.set_result(None)

    def close(self) -> None:
        """Stop the program."""
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()
