"""The official TypeScript packages, run by node: how they are installed, and how their client is asked to pay."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

NODE = Path(__file__).with_name("node")
INSTALL_SECONDS = 300
PAY_SECONDS = 60
OFFLINE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH")
"""What npm says where no registry can be reached."""


class NodeAnswer(Struct, frozen=True, kw_only=True):
    """What came of a call: the last answer and the payments that were sent, or why none was made."""

    status: int = 0
    headers: dict[str, str] = {}
    body: str = ""
    payments: tuple[str, ...] = ()
    error: str | None = None


class NodeClient(Struct, frozen=True):
    """Pays with `@x402/fetch`, in a process for each call."""

    folder: Path

    def pay(
        self, url: str, key: str, *, method: str = "POST", body: str | None = None, **more: Any
    ) -> NodeAnswer:
        """Call a resource and pay what it asks; `more` are `headers` and `networks`."""
        asked = {"url": url, "key": key, "method": method, **({} if body is None else {"body": body}), **more}
        told = self._run("pay.mjs", asked)
        return NodeAnswer(**{**told, "payments": tuple(told["payments"])})

    def call_tools(self, **asked: Any) -> Any:
        """List and call tools; `asked` are the `url` or the `command` and `args` of a server, `calls`, and a `key`."""
        return self._run("mcp.mjs", asked)

    def _run(self, script: str, asked: dict[str, Any]) -> Any:
        kept = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        ran = subprocess.run(
            ["node", script],
            cwd=self.folder,
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            timeout=PAY_SECONDS,
            check=True,
            env=kept,
        )
        return json.loads(ran.stdout)


def run_node(folder: Path, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module where the packages are found; its arguments begin at `process.argv[2]`."""
    return subprocess.run(
        ["node", "--input-type=module", "-", *arguments],
        input=script,
        check=False,
        capture_output=True,
        text=True,
        timeout=PAY_SECONDS,
        cwd=folder,
    )


def install(cache: pytest.Cache) -> Path:
    """Give a folder with what the lock file pins, made once for each lock file and kept with the tests' cache."""
    pins = (NODE / "package-lock.json").read_bytes()
    kept = cache.mkdir("node")
    ready = kept / hashlib.sha256(pins).hexdigest()[:16]
    # Tests run in more than one process: the first installs, the others wait for it.
    with (kept / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not ready.exists():
            with tempfile.TemporaryDirectory(dir=kept) as made:
                whole = Path(made) / "whole"
                whole.mkdir()
                for name in ("package.json", "package-lock.json"):
                    shutil.copy(NODE / name, whole)
                _run_npm(whole)
                # Renamed when it is whole, so that a broken run leaves nothing that looks ready.
                whole.rename(ready)
        for script in NODE.glob("*.mjs"):
            shutil.copy(script, ready)
    return ready


def _run_npm(folder: Path) -> None:
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    ran = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
    )
    if ran.returncode != 0 and any(code in ran.stderr for code in OFFLINE):
        pytest.skip("npm reaches no registry to install the TypeScript client from")
    assert ran.returncode == 0, ran.stderr[-2000:]
