"""Every benchmark runs from its beginning to its end, whatever it measures on the machine at hand."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"
NAMES = sorted(path.stem for path in BENCHMARKS.glob("*.py"))
BASELINES = ("httpx", "jsonschema", "x402_validator")
MISSING = [name for name in BASELINES if find_spec(name) is None]
SECONDS = 120


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_works(tmp_path: Path, name: str) -> None:
    """A bar may be missed here, which is exit code 1; something that breaks is told on standard error."""
    run = subprocess.run(
        [sys.executable, "-P", str(BENCHMARKS / f"{name}.py")],
        cwd=tmp_path,
        env={**os.environ, "BENCHMARKS_SHORT": "1", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert run.stderr == ""
    assert run.returncode in {0, 1}
    assert run.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_benchmark_that_is_not_there_is_said_with_those_that_are() -> None:
    run = subprocess.run(
        [str(BENCHMARKS / "run"), "none"], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert run.returncode == 2
    assert run.stderr.split("one of: ")[1].split() == NAMES
