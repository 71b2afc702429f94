"""Why SQLite did not do what it was asked, as one of the closed words of `StoreUnavailable`."""

import errno
import os
import sqlite3
from pathlib import Path
from typing import Final

_REASONS: Final = {
    sqlite3.SQLITE_BUSY: "locked",
    sqlite3.SQLITE_LOCKED: "locked",
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_READONLY: "read_only",
    sqlite3.SQLITE_CANTOPEN: "gone",
    sqlite3.SQLITE_IOERR: "gone",
    sqlite3.SQLITE_CORRUPT: "gone",
    sqlite3.SQLITE_NOTADB: "gone",
}
_FORBIDDEN: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def reason_of(error: sqlite3.Error | OSError, path: Path) -> str:
    """Give the word for a failure with the file at `path`.

    A file that is there and cannot be opened for writing, or whose folder takes no write-ahead log, is read-only.
    """
    if isinstance(error, OSError):
        if error.errno in _NO_ROOM:
            return "full"
        return "read_only" if error.errno in _FORBIDDEN and path.is_file() else "gone"
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code == sqlite3.SQLITE_CANTOPEN and path.is_file() and not _is_open_to_us(path):
        return "read_only"
    return _REASONS.get(code, "failed")


def _is_open_to_us(path: Path) -> bool:
    return os.access(path, os.R_OK | os.W_OK) and os.access(path.parent, os.W_OK)
