"""Packages of the official TypeScript implementation, installed into a temporary folder by npm."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def installed(folder: Path, *packages: str) -> Path:
    """Give a folder in which node finds exact versions of packages; skips where there is no node or no registry.

    `ASSAY_NODE_PACKAGES` names a folder that has them already.
    """
    given = os.environ.get("ASSAY_NODE_PACKAGES")
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if given:
        return Path(given)
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    command = [
        npm,
        "install",
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--prefix",
        str(folder),
        *packages,
    ]
    try:
        run = subprocess.run(command, check=False, capture_output=True, timeout=180, cwd=folder)
    except subprocess.TimeoutExpired:
        pytest.skip("npm did not install the packages in time")
    if run.returncode:
        pytest.skip(f"npm could not install {', '.join(packages)}")
    return folder


def run_node(folder: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script where the packages are found."""
    path = folder / "script.mjs"
    path.write_text(script)
    return subprocess.run(
        ["node", str(path), *arguments], check=False, capture_output=True, text=True, timeout=60, cwd=folder
    )
