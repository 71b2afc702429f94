"""The guide to criteria shows what the program says, and its criteria can be checked."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay402 import deliverable
from cli.test_cli import assay

GUIDE = (Path(__file__).parent.parent.parent / "docs/guides/deliverable.md").read_text()
CRITERIA = [
    {"id": "tone", "check": "statement", "text": "Reads well."},
    {"id": "size", "check": "byte_length", "mim": 1},
    {"id": "json", "check": "is_json", "strict": True},
]


def test_the_lint_shown_is_the_lint_printed() -> None:
    shown = re.search(r"```console\n\$ assay deliverable lint criteria.json\n(.*?)```", GUIDE, re.DOTALL)
    assert shown is not None
    printed = assay("deliverable", "lint", "-", stdin=json.dumps(CRITERIA).encode()).stdout.decode()
    assert re.sub(r"criteriaRoot .*", "criteriaRoot CRITERIA_ROOT", printed) == shown[1]


def test_every_criterion_in_the_guide_can_be_checked() -> None:
    criteria = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)]
    assert len(criteria) == 2
    assert deliverable.lint(criteria)["checkable"] == 2


def test_the_criteria_of_the_guide_reject_what_would_withhold_a_verdict() -> None:
    criteria = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", GUIDE, re.DOTALL)]
    criteria.append({"id": "status", "check": "json_path_equals", "path": "status", "value": "done"})
    for text, verdict in (
        ('{"status":"bad","x":1e5000}', "REJECT"), ('{"status":"bad","x":-0.1E-04100}', "REJECT"),
        (f'{{"status":"bad","x":{"9" * 1025}}}', "REJECT"), ('{"status":"bad","status":"done"}', "REJECT"),
        ('{"status":"bad","x":"\\ud800"}', "REJECT"), ('{"status":"done","x":1e300}', "ACCEPT"),
        ('{"status":"bad","x":[1, -0.5E+5000]}', "REJECT"), ("1e5000", "REJECT"), ('{"status":"bad","x":[0,1e5000]}', "REJECT"),
        ('{"status":"done","x":"9a3e1234567890ab","y":[0.5,-1e-7,12345678901234567890]}', "ACCEPT"),
    ):  # fmt: skip
        request = {"deliverable": {"kind": "text", "value": text}, "criteria": criteria}
        assert deliverable.check(request)["verdict"] == verdict


def test_every_example_on_a_check_s_page_can_be_checked() -> None:
    pages = sorted((Path(__file__).parent.parent.parent / "docs/rules/deliverable").glob("*.md"))
    examples = [
        json.loads(block)
        for page in pages
        for block in re.findall(r"^    (\{(?:.*\n(?:     .*\n)*))", page.read_text(), re.MULTILINE)
    ]
    assert {each["check"] for each in examples} == {each["name"] for each in deliverable.registry()["checks"]}
    for each in examples:
        assert deliverable.lint([each])["criteria"][0]["reason"] in ("OK", "STATEMENT_NOT_MECHANICAL"), each


def buyer() -> Any:
    """Load `docs_src/deliverable_buyer.py`."""
    path = Path(__file__).parents[2] / "docs_src/deliverable_buyer.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_buyer_of_the_example_pays_for_what_was_agreed_on_alone() -> None:
    example = buyer()
    root = example.publish()
    good = '{"rows": [{"item": "a", "cents": 10}, {"item": "b", "cents": 20}], "total": 30}'
    assert example.accept(good, root)
    assert not example.accept(good.replace("30", "31"), root)
    assert not example.accept(good, "0" * 64)
    answer = json.dumps(deliverable.check(example.request(good)))
    assert example.believe(good, answer)
    assert not example.believe(good, answer.replace("ACCEPT", "REJECT"))


def test_the_buyer_of_the_example_publishes_nothing_that_cannot_be_checked() -> None:
    example = buyer()
    example.CRITERIA.append({"id": "tone", "check": "statement"})
    with pytest.raises(ValueError, match="STATEMENT_NOT_MECHANICAL"):
        example.publish()


def test_the_buyer_of_the_example_says_what_came_of_it() -> None:
    path = Path(__file__).parents[2] / "docs_src/deliverable_buyer.py"
    run = subprocess.run([sys.executable, str(path)], check=True, capture_output=True, text=True, timeout=60)
    assert run.stdout == "ACCEPT True True\n"
