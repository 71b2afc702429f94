"""What the dearest requests known take, against what they are charged. Ends with 1 where one takes more than promised.

Run with `benchmarks/run deliverable_hostile`. Each family runs in a process of its own, with a stack of 512 KiB. A step
is promised to take at most some five nanoseconds, a request at most two and a half seconds and 500 MB.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from assay402.checks.deliverable.budget import MAX_WORK

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from deliverable_hostile import hostile

SHORT = "BENCHMARKS_SHORT" in os.environ
"""Whether nothing is to be measured well, but everything to be done once: `benchmarks/run NAME --short`."""
FAMILIES = 2 if SHORT else None
MAX_SECONDS = 2.5
MAX_MEGABYTES = 500
MAX_NANOSECONDS = 6.0
COUNTED_FROM = MAX_WORK // 8
"""Fewer steps say nothing of their price: what else a request takes outweighs them."""
PROGRAM = """
import json, resource, sys, threading, time
from assay402 import deliverable
from assay402.checks.deliverable import budget
taken = []
class Counted(budget.Work):
    def takes(self, steps):
        found = super().takes(steps)
        taken.append(steps if found else 0)
        return found
from assay402.checks.deliverable import contract
contract.Work = Counted
deliverable.check('{"deliverable":{"kind":"text","value":"1"},"criteria":[{"id":"a","check":"json_schema","schema":{"pattern":"a"}}]}')
request = sys.stdin.buffer.read()
taken.clear()
def judge():
    before = time.process_time()
    answer = deliverable.check(request)
    seconds = time.process_time() - before
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    reasons = [each["reason"] for each in answer["criteria"]]
    print(json.dumps([sum(taken), seconds, memory, {reason: reasons.count(reason) for reason in sorted(set(reasons))}]))
threading.stack_size(512 * 1024)
thread = threading.Thread(target=judge)
thread.start()
thread.join()
"""


def main() -> int:
    """Print a line for each family."""
    worst, broken = 0.0, []
    for name, request in list(hostile().items())[:FAMILIES]:
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=request.encode(),
            check=True,
            capture_output=True,
            timeout=60,
        )
        steps, seconds, memory, reasons = json.loads(run.stdout)
        price = seconds / steps * 1e9 if steps else 0.0
        print(f"{name:34} {steps:12} steps {seconds:6.2f} s {price:8.2f} ns/step {memory:5.0f} MB  {reasons}")
        worst = max(worst, seconds)
        is_dear = steps > COUNTED_FROM and price > MAX_NANOSECONDS
        if seconds > MAX_SECONDS or memory > MAX_MEGABYTES or is_dear:
            broken.append(name)
    print(f"the dearest takes {worst:.2f} s (target {MAX_SECONDS} s)")
    for name in broken:
        print(f"takes more than promised: {name}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
