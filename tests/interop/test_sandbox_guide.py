"""The guide of the sandbox shows what happens."""

import re
from pathlib import Path
from typing import Any

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "sandbox.md"

pytestmark = pytest.mark.usefixtures("chain")


def test_the_example_for_tests_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    exec(compile(code, "sandbox.md", "exec"), {})  # noqa: S102  (the guide's own code)


def test_the_addresses_in_the_guide_are_the_sandboxs(chain: Any, parties: Any) -> None:
    text = GUIDE.read_text()
    for address in (chain.network.usdc, parties.payer, parties.recipient):
        assert address in text
