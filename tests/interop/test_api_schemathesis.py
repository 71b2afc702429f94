"""schemathesis against our own OpenAPI: no answer is a server error, and every answer is one the document describes.

The service is whole: its own orders, gate and store, over HTTP, once with payments off (and so without a free tier) and
once with payments on, where every unpaid call of what is sold is 402 and `paying_hooks` pays for many. 100 examples for each route, good and broken ones;
`./check --deep` sets ASSAY_DEEP_EXAMPLES to 2,000. What a check would fetch is answered as unreachable. schemathesis runs
as a program of its own environment (requirements/fuzz.txt), as it wants another jsonschema-rs than the exact one our
answers are pinned to.
"""

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from assay402.service.resources import PATHS
from assay402.service.settings import Settings
from service.world import BASE, PRICES, SETTINGS
from web.paid import PaidService, books_of, facilitator, paid_service

EXAMPLES = int(os.environ.get("ASSAY_DEEP_EXAMPLES", "100"))
PROGRAM = Path(
    os.environ.get("ASSAY_SCHEMATHESIS")
    or Path(__file__).parent.parent.parent / ".venv-fuzz" / "bin" / "schemathesis"
)
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
MODES = {"payments off": Settings(), "payments on": SETTINGS}
REFUSED = {400, 405, 408, 413, 415}
"""What a request that breaks the document may be answered with."""
MOST_REFUSED = 0.75
"""Of all requests, of which every second is made to break the document."""
LENIENT = {"listing/check"}
"""Takes addresses in every spelling a browser takes, which a pattern cannot say."""


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
            command,
            cwd=tmp_path,
            env={**os.environ, **(paying(up) if mode == "payments on" else {})},
            capture_output=True,
            text=True,
            timeout=30 + 12 * EXAMPLES,
            check=False,
        )
        taken = answers(up)
    assert run.returncode == 0, run.stdout[-6_000:] + run.stderr[-1_000:]
    few = {name for name in PATHS if sum(taken[name].values()) < EXAMPLES // 4}
    assert few == set()
    # The document is as strict as the service, as far as a schema can say it: most of what fits it is taken.
    dull = {name for name in PATHS if name not in LENIENT and refused_share(taken[name]) > MOST_REFUSED}
    assert dull == set()
    if mode == "payments on":
        assert {status for name in PRICES for status in taken[name]} <= {200, 402, 409} | REFUSED
        assert all(taken[name][402] for name in PRICES)
        # A quote of the deliverable check is for one request, so what is made up beforehand pays for none.
        assert {name for name in PRICES if not taken[name][200]} == {"deliverable/check"}
        assert money.moved > 0
        assert len(books_of(tmp_path / "data")) == money.moved


def paying(up: PaidService) -> dict[str, str]:
    """Tell the hooks what is sold, and until when a payment may be used."""
    offers = {
        PATHS[name]: next(each for each in up.offer(name)["accepts"] if each["network"] == BASE)
        for name in PRICES
    }
    return {
        "SCHEMATHESIS_HOOKS": "paying_hooks",
        "PYTHONPATH": str(Path(__file__).parent),
        "ASSAY_FUZZ_OFFERS": json.dumps(offers),
        "ASSAY_FUZZ_VALID_BEFORE": str(int(up.clock().timestamp()) + 300),
    }


def refused_share(taken: Counter[int]) -> float:
    """Give how many of the answers are refusals."""
    return sum(number for status, number in taken.items() if status in REFUSED) / taken.total()


def answers(up: PaidService) -> dict[str, Counter[int]]:
    """Count the answers of each operation by their status, as the log tells them."""
    counts = {name: Counter[int]() for name in PATHS}
    for line in up.log:
        if line["event"] == "request.answered" and line["route"] in counts:
            counts[line["route"]][line["status"]] += 1
    return counts
