"""Standard input and output, for one protocol alone. Nothing heavy is loaded here: workers begin with it."""

import os
import sys
from typing import BinaryIO, cast


def own_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Take standard input and output for the protocol alone: what else is printed goes to standard error."""
    wire_in, wire_out = os.dup(sys.stdin.fileno()), os.dup(sys.stdout.fileno())
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123  (a device, not a path)
        os.dup2(nothing.fileno(), sys.stdin.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # Unbuffered: the end of the process would wait for a buffer that a blocked write holds.
    return os.fdopen(wire_in, "rb"), cast("BinaryIO", os.fdopen(wire_out, "wb", buffering=0))
