"""Keeping what was served in a file that is replaced as a whole and never looks more current than it is."""

import os

from assay402.cli.output import print_error
from assay402.cli.usage import Usage


def keepable(path: str) -> str:
    """Give where `--save` writes, judged before anything is asked so that no terms are fetched in vain.

    The file is replaced as a whole, so it may be none or a regular one: a device or a pipe must not be replaced.
    """
    target = os.path.realpath(path)
    folder = os.path.dirname(target)  # noqa: PTH120  (pathlib would cost start-up)
    replaceable = os.path.isfile(target) if os.path.lexists(target) else os.path.isdir(folder)  # noqa: PTH112, PTH113
    if path == "-" or not replaceable or not os.access(folder, os.W_OK):
        raise Usage("--save needs a file that can be written, in a folder that is there.")
    return target


def keep(path: str, body: bytes | None) -> None:
    """Write the bytes; where there are none, set a file of an earlier run aside.

    It must not pass for what was served now, and it may be evidence, so it is not removed.
    """
    target = keepable(path)
    try:
        if body is not None:
            _replace(target, body)
        elif os.path.exists(target):  # noqa: PTH110
            os.replace(target, f"{target}.previous")  # noqa: PTH105
            print_error("assay: nothing was saved; the file of an earlier run now ends in .previous")
    except OSError:
        raise Usage("--save needs a file that can be written.") from None


def _replace(target: str, body: bytes) -> None:
    """Write a file as a whole or not at all, readable for its owner alone."""
    import tempfile  # noqa: PLC0415  (loads random number modules)

    handle, name = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".assay-")  # noqa: PTH120
    try:
        with open(handle, "wb") as file:  # noqa: PTH123
            file.write(body)
        os.replace(name, target)  # noqa: PTH105
    except OSError:
        os.unlink(name)  # noqa: PTH108
        raise
