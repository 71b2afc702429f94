"""A process that does one job after another until its input ends: `python -m assay402.mcp_server.worker`."""

import gc
import io
import pickle
import signal
from typing import BinaryIO

from assay402.mcp_server.jobs import do_job
from assay402.mcp_server.pipes import own_stdio


def serve(jobs: BinaryIO, answers: BinaryIO) -> None:
    """Answer each job of a stream, in its order."""
    while True:
        try:
            job = pickle.load(jobs)  # noqa: S301  (the process that started this one wrote it)
        except EOFError:
            return
        pickle.dump(do_job(job), answers)
        answers.flush()


def main() -> None:
    """Serve on standard input and output."""
    # Whoever started this one ends it; an interrupt from the keyboard reaches both.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()  # what is loaded stays, and need not be looked through for cycles
    jobs, raw = own_stdio()
    try:
        serve(jobs, io.BufferedWriter(raw))
    except OSError:
        # Nobody is there any more.
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
