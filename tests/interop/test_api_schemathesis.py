"""schemathesis against our own OpenAPI: no answer is a server error, and every answer is one the document describes.

The service is whole: its own orders, gate and store, over HTTP, once with payments off (and so without a free tier) and
once with payments on, where every unpaid call of what is sold is 402. 100 examples for each route, good and broken ones;
`./check --deep` sets ASSAY_DEEP_EXAMPLES to 2,000. What a check would fetch is answered as unreachable. schemathesis runs
as a program of its own environment (requirements/fuzz.txt), as it wants another jsonschema-rs than the exact one our
answers are pinned to.
"""

import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from assay402.service.resources import PATHS
from assay402.service.settings import Settings
from service.world import PRICES, SETTINGS
from web.paid import PaidService, books_of, facilitator, paid_service

EXAMPLES = int(os.environ.get("ASSAY_DEEP_EXAMPLES", "100"))
PROGRAM = Path(
    os.environ.get("ASSAY_SCHEMATHESIS")
    or Path(__file__).parent.parent.parent / ".venv-fuzz" / "bin" / "schemathesis"
)
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
MODES = {"payments off": Settings(), "payments on": SETTINGS}


@pytest.mark.skipif(
    not PROGRAM.exists(), reason="schemathesis is not installed: ./check --all makes .venv-fuzz"
)
@pytest.mark.parametrize("mode", MODES)
def test_no_answer_is_a_server_error_or_one_that_the_document_does_not_describe(
    tmp_path: Path, mode: str
) -> None:
    with facilitator() as money, paid_service(tmp_path / "data", money, settings=MODES[mode]) as up:
        command = [
            str(PROGRAM), "run", f"http://127.0.0.1:{up.port}/openapi.json",
            "--checks", CHECKS, "--max-examples", str(EXAMPLES), "--mode", "all", "--phases", "examples,fuzzing",
            "--seed", "402", "--generation-database", "none", "--no-color", "--request-timeout", "20",
            "--suppress-health-check", "all",
        ]  # fmt: skip
        run = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=30 + 12 * EXAMPLES, check=False
        )
        taken = answers(up)
    assert run.returncode == 0, run.stdout[-6_000:] + run.stderr[-1_000:]
    few = {name for name in PATHS if sum(taken[name].values()) < EXAMPLES // 4}
    assert few == set()
    if mode == "payments on":
        assert {status for name in PRICES for status in taken[name]} <= {400, 402, 405, 408, 413, 415}
        assert all(taken[name][402] for name in PRICES)
        assert money.moved == 0
        assert books_of(tmp_path / "data") == []


def answers(up: PaidService) -> dict[str, Counter[int]]:
    """Count the answers of each operation by their status, as the log tells them."""
    counts = {name: Counter[int]() for name in PATHS}
    for line in up.log:
        if line["event"] == "request.answered" and line["route"] in counts:
            counts[line["route"]][line["status"]] += 1
    return counts
