"""The same request gives the same answer in every process, whatever its hash seed, locale, time zone or interpreter."""

import json
import os
import shutil
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
    case.get("requestText") or json.dumps(case["request"])
    for file in ("parameters", "text", "json", "paths", "numbers", "claims", "schema", "exact", "x402")
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


PROBE = "import eth_account, jsonschema_rs, msgspec, re2, Crypto, sys; print(sys.version_info[:2])"
"""Imports what the check needs, and says the version."""


def other_python() -> str | None:
    """Find an interpreter of another version that has the same packages: the named one, or one of those on the path."""
    named = os.environ.get("ASSAY_OTHER_PYTHON")
    found = [named] if named else [shutil.which(f"python3.{minor}") for minor in range(11, 15)]
    for python in filter(None, found):
        version = _version(python)
        if version not in (None, str(sys.version_info[:2])):
            return python
    return None


def _version(python: str) -> str | None:
    try:
        run = subprocess.run([python, "-c", PROBE], check=False, capture_output=True, timeout=60)
    except OSError:
        return None
    return run.stdout.decode().strip() if run.returncode == 0 else None


OTHER = other_python()


@pytest.mark.skipif(
    OTHER is None, reason="no interpreter of another version with the same packages is on the path"
)
def test_another_interpreter_makes_no_difference() -> None:
    assert OTHER is not None
    kept = {name: os.environ[name] for name in ("PATH",) if name in os.environ}
    source = str(Path(deliverable.__file__).parent.parent)
    run = subprocess.run(
        [OTHER, "-c", PROGRAM], input="\n".join(REQUESTS).encode(), check=True, capture_output=True, timeout=60,
        env={**kept, "PYTHONPATH": source},
    )  # fmt: skip
    assert run.stdout.decode().split() == here()
