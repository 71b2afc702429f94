"""A disk of one mebibyte, for tests of what cannot be written any more."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

BOUND: Final = 30
"""Seconds that mounting may take."""


@contextmanager
def mounted(folder: Path) -> Iterator[Path]:
    """Give the folder as a small disk for a block; skips the test where such a one may not be mounted."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    try:
        is_mounted = subprocess.run(mount, check=False, capture_output=True, timeout=BOUND).returncode == 0
    except OSError:
        is_mounted = False
    if not is_mounted:
        pytest.skip("a small disk may not be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True, timeout=BOUND)


def mount_for_reading(folder: Path, *, only: bool) -> None:
    """Have a mounted disk take no change, or take them again."""
    options = f"remount,{'ro' if only else 'rw'}"
    subprocess.run(["mount", "-o", options, str(folder)], check=True, capture_output=True, timeout=BOUND)
