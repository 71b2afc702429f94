"""Where this program keeps what must outlive a run: the database and the keys of a service."""

import os
from typing import Final

KEYS: Final = "keys"
"""The folder of the key ring within the data directory."""


def data_directory() -> str:
    """Give the user's data directory: the one the environment names, or the system's usual place for it."""
    usual = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_DATA_HOME")
    return os.path.join(usual or os.path.expanduser("~/.local/share"), "assay402")  # noqa: PTH111, PTH118  (pathlib would cost start-up)
