"""Sets up `.venv` with one of the pinned sets (see `SETS`), or finds it ready, and says what it does.

Run by the system's Python; uses the standard library alone. Prints on standard error, so that the output of the
command that follows stays clean.
"""

import contextlib
import hashlib
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
KEPT_PIP_SETTINGS = {
    "PIP_CERT",
    "PIP_CLIENT_CERT",
    "PIP_CONFIG_FILE",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "PIP_NO_INDEX",
    "PIP_PROXY",
    "PIP_TRUSTED_HOST",
}
SETS = {
    "runtime": ("runtime", "mcp", "service", "sandbox", "dev", "bench", "interop"),
    "mcp": ("mcp", "service", "sandbox", "dev", "bench", "interop"),
    "service": ("service", "sandbox", "dev", "bench", "interop"),
    "sandbox": ("sandbox", "interop"),
    "dev": ("dev", "bench", "interop"),
    "bench": ("bench", "interop"),
    "interop": ("interop",),
}
"""Each set with the sets that hold all of it, so that a larger one that is ready serves a smaller request."""


def main(wanted: str) -> int:
    """Make the environment ready and give 0, or say why not and give 3."""
    try:
        if _serves(wanted):
            _freshen(wanted)
            return 0
        with _one_at_a_time():
            # Another first run may have made it while this one waited.
            if not _serves(wanted):
                _set_up(wanted)
    except subprocess.CalledProcessError as error:
        output = error.stdout.decode(errors="replace") if isinstance(error.stdout, bytes) else error.stdout
        _say(f"setting up .venv failed:\n{(output or '').strip()}")
        _say("Is the package index reachable, and is there room on the disk? Run the command again to go on.")
        return 3
    except OSError as error:
        _say(f"setting up .venv failed: {error.strerror or 'no file can be written here'}")
        _say("The folder of the clone must be writable, with some 200 MB of room.")
        return 3
    except KeyboardInterrupt:
        _say("setting up .venv was interrupted. Run the command again to go on.")
        return 130
    return 0


def _serves(wanted: str) -> bool:
    return any(_is_ready(name) for name in SETS[wanted])


def python() -> Path:
    """Give the interpreter of the environment."""
    return VENV / ("Scripts" if os.name == "nt" else "bin") / ("python.exe" if os.name == "nt" else "python")


def _set_up(wanted: str) -> None:
    place = VENV / "assay-root"
    if not (python().exists() and place.exists() and place.read_text() == str(ROOT)):
        _say(f"making .venv with Python {sys.version.split()[0]}")
        # Scripts inside name their interpreter by its full path, so an environment that was moved is made anew.
        venv.create(VENV, with_pip=True, clear=True)
        place.write_text(str(ROOT))
    requirements = ROOT / "requirements" / f"{wanted}.txt"
    _say(f"installing the pinned {wanted} packages (once; hashes are checked)")
    _pip("install", "--no-user", "--require-hashes", "--requirement", str(requirements))
    _pip("install", "--no-user", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    _stamp(wanted).write_text(_fingerprint(wanted))


def _freshen(wanted: str) -> None:
    """Make the stamp younger than what it stands for, which is all that tools/python.sh looks at."""
    for name in SETS[wanted]:
        if _is_ready(name):
            # Only a shortcut for the next run, so a folder that cannot be written is no failure.
            with contextlib.suppress(OSError):
                _stamp(name).touch()


def _pip(*arguments: str) -> None:
    command = [str(python()), "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet", *arguments]
    # Settings such as PIP_USER or PIP_TARGET are for other installs; where packages come from stays the user's choice.
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PIP_") or name in KEPT_PIP_SETTINGS
    }
    subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    )


def _is_ready(name: str) -> bool:
    stamp = _stamp(name)
    return python().exists() and stamp.exists() and stamp.read_text() == _fingerprint(name)


def _stamp(name: str) -> Path:
    return VENV / f"assay-{name}.stamp"


def _fingerprint(name: str) -> str:
    """Name everything an environment depends on: its pins, the package's own declaration, where both stand."""
    digest = hashlib.sha256()
    for path in (ROOT / "requirements" / f"{name}.txt", ROOT / "pyproject.toml"):
        digest.update(path.read_bytes())
    digest.update(str(ROOT).encode())
    return digest.hexdigest()


@contextlib.contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Let two first runs at once not build one environment together; systems without file locks go ahead."""
    try:
        import fcntl  # noqa: PLC0415  (not on every system)
    except ImportError:
        yield
        return
    with (ROOT / ".venv.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("waiting for another set-up of .venv")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _say(text: str) -> None:
    print(f"assay: {text}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
