"""A history log: answers `Recall` and `Remember` from a file of JSON lines that other programs may share.

A line is appended whole under a lock on the file, so that runs at the same time lose none. Reading needs no lock: a
line that is not there yet belongs to a later run. A line that some crash left half written is passed over.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from assay402.core.asks import Failed, Recall, Recalled, Remember, Remembered
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, read

MAX_LINE: Final = 65_536
"""Bytes of a record; a longer line is damaged."""
MAX_READ: Final = 64 << 20
"""Bytes read from the end of the log: half a million records, and a bound on the time a run takes."""
_NO_MEMORY: Final = Failed(state="no_memory")


class HistoryLog:
    """Keeps records in one file, which need not exist before the first."""

    def __init__(self, path: str) -> None:
        self._path: Final = Path(path)

    def __call__(self, ask: Recall | Remember) -> Recalled | Remembered | Failed:
        """Answer from the file; whatever the system refuses is `no_memory`."""
        try:
            # A pipe or a device would keep its reader waiting, or never end.
            if self._path.exists() and not self._path.is_file():
                return _NO_MEMORY
            return self._recall(ask) if isinstance(ask, Recall) else self._remember(ask)
        except OSError:
            return _NO_MEMORY

    def _recall(self, ask: Recall) -> Recalled:
        found, damaged = [], 0
        for line in self._lines():
            record = _record(line)
            if record is None:
                damaged += 1
            elif all(record.get(name) == value for name, value in ask.where):
                found.append(line.decode())
        return Recalled(records=tuple(found), damaged=damaged)

    def _lines(self) -> Iterator[bytes]:
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        with file:
            length = file.seek(0, os.SEEK_END)
            file.seek(max(0, length - MAX_READ))
            if length > MAX_READ:
                file.readline()
            for line in file:
                if stripped := line.strip():
                    yield stripped

    def _remember(self, ask: Remember) -> Remembered:
        with self._path.open("ab+") as file, _locked(file):
            data = ask.record.encode() + b"\n"
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                # A half-written last line must not swallow this one.
                data = data if file.read(1) == b"\n" else b"\n" + data
            file.write(data)
        return Remembered()


def _record(line: bytes) -> Mapping[str, JSON] | None:
    try:
        value = read(line, max_bytes=MAX_LINE)
    except JSONUnreadable:
        return None
    return value if isinstance(value, Mapping) else None


if sys.platform == "win32":
    import msvcrt

    @contextmanager
    def _locked(file: BinaryIO) -> Iterator[None]:
        """Hold the file's first byte, as Windows locks a file; what is written is out before it is let go."""
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        try:
            yield
            file.flush()
        finally:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    @contextmanager
    def _locked(file: BinaryIO) -> Iterator[None]:
        """Hold the file; what is written is out before it is let go."""
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
            file.flush()
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)
