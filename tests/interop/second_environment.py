"""A second environment, for the official SDK with the MCP SDK it was made for: one process cannot hold both."""

import hashlib
import subprocess
import sys
import venv
from pathlib import Path

import pytest

FOLDER = Path(__file__).with_name("mcp1")
INSTALL_SECONDS = 400


def install(cache: pytest.Cache) -> Path:
    """Give the interpreter of an environment with what requirements.txt pins, made once and kept with the tests' cache."""
    pins = FOLDER / "requirements.txt"
    named = hashlib.sha256(pins.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = cache.mkdir("mcp1") / named
    python, stamp = folder / "bin" / "python", folder / "whole"
    if not stamp.exists():
        venv.create(folder, with_pip=True, clear=True)
        command = [
            str(python),
            "-m",
            "pip",
            "-q",
            "--no-input",
            "install",
            "--require-hashes",
            "-r",
            str(pins),
        ]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False)
        if "Could not find a version" in ran.stderr or "Connection" in ran.stderr:
            pytest.skip("pip reaches no index to install the second environment from")
        assert ran.returncode == 0, ran.stderr[-2000:]
        stamp.touch()
    return python
