"""schemathesis against our own OpenAPI: no answer is a server error, and every answer is one the document describes.

100 examples for each route, good and broken ones; `./check --deep` sets ASSAY_DEEP_EXAMPLES to 2,000. Free tier and
payments are off, and what a check would fetch is answered as unreachable. schemathesis runs as a program of its own
environment (requirements/fuzz.txt), as it wants another jsonschema-rs than the exact one our answers are pinned to.
"""

import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from assay402.service.resources import PATHS
from web.plain_orders import PlainOrders
from web.served import service

EXAMPLES = int(os.environ.get("ASSAY_DEEP_EXAMPLES", "100"))
PROGRAM = Path(
    os.environ.get("ASSAY_SCHEMATHESIS")
    or Path(__file__).parent.parent.parent / ".venv-fuzz" / "bin" / "schemathesis"
)
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


@pytest.mark.skipif(
    not PROGRAM.exists(), reason="schemathesis is not installed: ./check --all makes .venv-fuzz"
)
def test_no_answer_is_a_server_error_or_one_that_the_document_does_not_describe(tmp_path: Path) -> None:
    orders = PlainOrders()
    with service(orders) as up:
        command = [
            str(PROGRAM), "run", f"http://127.0.0.1:{up.port}/openapi.json",
            "--checks", CHECKS, "--max-examples", str(EXAMPLES), "--mode", "all", "--phases", "examples,fuzzing",
            "--seed", "402", "--generation-database", "none", "--no-color", "--request-timeout", "20",
            "--suppress-health-check", "all",
        ]  # fmt: skip
        run = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=30 + 12 * EXAMPLES, check=False
        )
    assert run.returncode == 0, run.stdout[-6_000:] + run.stderr[-1_000:]
    taken = Counter(order.resource.path.partition("?")[0] for order in orders.taken)
    assert {path: taken[path] for path in PATHS.values() if taken[path] < EXAMPLES // 4} == {}
