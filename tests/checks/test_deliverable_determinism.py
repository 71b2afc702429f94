"""The same request gives the same answer in every process, whatever its hash seed, locale, time zone or interpreter."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay402 import deliverable
from vectors import cases

PROGRAM = """
import sys
from assay402 import deliverable
for line in sys.stdin.buffer:
    answer = deliverable.check(line)
    print(answer.get("code") or answer["provenance"]["outputRoot"])
"""
REQUESTS = [
    json.dumps(case["request"])
    for file in ("parameters", "text", "json", "paths", "numbers", "claims", "schema", "x402")
    for case in cases(f"deliverable/{file}.json")
]
ENVIRONMENTS = [
    {"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C"},
    {"PYTHONHASHSEED": "1", "TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    {"PYTHONHASHSEED": "4242", "TZ": "Pacific/Apia", "LC_ALL": "C.UTF-8", "PYTHONINTMAXSTRDIGITS": "640"},
]


def roots(python: str, **environment: str) -> list[str]:
    """Answer all requests in a process of its own and give the output roots."""
    kept = {name: os.environ[name] for name in ("PATH", "COVERAGE_PROCESS_START") if name in os.environ}
    path = os.pathsep.join(entry for entry in sys.path if entry)
    run = subprocess.run(
        [python, "-c", PROGRAM], input="\n".join(REQUESTS).encode(), check=True, capture_output=True, timeout=60,
        env={**kept, "PYTHONPATH": path, **environment},
    )  # fmt: skip
    return run.stdout.decode().split()


def here() -> list[str]:
    answers: list[Any] = [deliverable.check(request) for request in REQUESTS]
    return [answer.get("code") or answer["provenance"]["outputRoot"] for answer in answers]


@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda environment: environment["TZ"])
def test_hash_seed_time_zone_and_locale_make_no_difference(environment: dict[str, str]) -> None:
    assert roots(sys.executable, **environment) == here()


OTHER: str = os.environ.get("ASSAY_OTHER_PYTHON", "")


@pytest.mark.skipif(
    not Path(OTHER).is_file(),
    reason="ASSAY_OTHER_PYTHON names no interpreter of another version with the same packages",
)
def test_another_interpreter_makes_no_difference() -> None:
    version = subprocess.run(
        [OTHER, "-c", "import sys; print(sys.version_info[:2])"], check=True, capture_output=True, timeout=60
    ).stdout.decode()
    assert version.strip() != str(sys.version_info[:2]), "this is the same version"
    kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    source = str(Path(deliverable.__file__).parent.parent)
    run = subprocess.run(
        [OTHER, "-c", PROGRAM], input="\n".join(REQUESTS).encode(), check=True, capture_output=True, timeout=60,
        env={**kept, "PYTHONPATH": source},
    )  # fmt: skip
    assert run.stdout.decode().split() == here()
