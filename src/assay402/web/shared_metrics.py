"""The folder in which the workers of one host count together, so that whichever is asked tells the sum of them all.

It stands in the data directory and is removed when the service ends. One whose owner was killed is removed by the next
start: its owner's lock on it is gone with the owner, whatever its process id has become since.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Where the metrics library looks for the folder."""
FOLDER: Final = "metrics"
"""In the data directory; one folder in it for each service that runs there."""
_LOCK: Final = "lock"


@contextmanager
def shared_metrics(data_dir: Path) -> Iterator[Path]:
    """Have a folder for the workers that are started in the block, and remove those that nobody owns any more.

    Raises:
        OSError: where it cannot be made.

    """
    within = data_dir / FOLDER
    within.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (within / _LOCK).open("wb") as turn:
        # One at a time: a folder that is just being made has no lock yet, and would look as if nobody owned it.
        _locked(turn, waits=True)
        _sweep(within)
        own = Path(tempfile.mkdtemp(dir=within))
        held = (own / _LOCK).open("wb")
        _locked(held, waits=False)
    with held:
        os.environ[VARIABLE] = os.fspath(own)
        try:
            yield own
        finally:
            os.environ.pop(VARIABLE, None)
            shutil.rmtree(own, ignore_errors=True)


def forget(process: int) -> None:
    """Take back what a worker that is gone said of the moment, such as how many orders it had under way."""
    from prometheus_client import multiprocess  # noqa: PLC0415  (of the extra `service`)

    multiprocess.mark_process_dead(process)  # type: ignore[no-untyped-call]  # the library has no type there


def _sweep(within: Path) -> None:
    for folder in within.iterdir():
        if not folder.is_dir():
            continue
        is_owned = True
        with suppress(FileNotFoundError), (folder / _LOCK).open("rb+") as lock:
            is_owned = not _locked(lock, waits=False)
        if not is_owned or not (folder / _LOCK).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _locked(file: IO[bytes], *, waits: bool) -> bool:
    """Take the lock of a file, and tell whether it is ours."""
    try:
        import fcntl  # noqa: PLC0415  (not on every system)
    except ImportError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True
