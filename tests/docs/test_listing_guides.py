"""The guides of the listing check: their recipe runs, their workflow is one, their tables name what there is."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from assay402.checks.listing import admission
from assay402.checks.listing.reading.facilitators import read_registry
from assay402.cli.listing_flags import parameters
from assay402.cli.main import main

ROOT = Path(__file__).parent.parent.parent
GUIDES = ROOT / "docs" / "guides"
READINGS = [f"B{number}" for number in range(1, 22)]


def test_the_recipe_for_pytest_judges_a_service(tmp_path: Path) -> None:
    """Nobody listens on the port, so what is upstream is skipped and nothing fails."""
    (recipe,) = re.findall(r"```python\n(.*?)```", (GUIDES / "listing-ci.md").read_text(), re.DOTALL)
    recipe = recipe.replace("https://api.seller.example/v1/weather", "http://127.0.0.1:9/")
    recipe = recipe.replace('{"url": SERVICE}', '{"url": SERVICE}, allow_private=True')
    (tmp_path / "test_recipe.py").write_text(recipe)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
        str(tmp_path),
    ]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert found.returncode == 0, found.stdout
    assert "4 passed, 4 skipped" in found.stdout


SARIF = """{"runs":[{"results":[
 {"level":"warning","ruleId":"listing/indexing","message":{"text":"100% \\"odd\\""}}]}]}"""


@pytest.mark.skipif(shutil.which("jq") is None, reason="the workflow uses jq, which its machines have")
@pytest.mark.parametrize(("code", "ends"), [(0, 0), (1, 1), (2, 2), (3, 0), (130, 130)])
def test_the_workflow_fails_on_what_somebody_here_can_mend(code: int, ends: int, tmp_path: Path) -> None:
    """The script of its step, run with a command that ends with each code: one run, and both forms of it."""
    text = (GUIDES / "listing-workflow.yml").read_text()
    (script,) = re.findall(r"Check the service\n        run: \|\n((?:          .*\n)+)", text)
    (tmp_path / "said").write_text("" if code == 1 else SARIF)
    stub = f'bazaar-check() {{ echo "$@" >> asked; cat said; return {code}; }}'
    found = subprocess.run(
        ["bash", "-c", f"set -e\nSERVICE=x\n{stub}\n{script}"],
        check=False,
        timeout=60,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert found.returncode == ends, found
    assert (tmp_path / "asked").read_text() == "x --log sarif --probe-history-log probes.jsonl\n"
    assert (tmp_path / "bazaar-check.sarif").exists() is (code != 1)
    assert ('::warning title=listing/indexing::100%25 "odd"' in found.stdout) is (code != 1)


def test_the_workflow_keeps_the_history_and_uploads_what_there_is() -> None:
    text = (GUIDES / "listing-workflow.yml").read_text()
    assert "deployment_status.state == 'success'" in text
    assert "|| true" not in text
    for action, file in (("cache/save", "probes.jsonl"), ("upload-sarif", "bazaar-check.sarif")):
        (step,) = re.findall(rf"uses: [a-z/-]+{action}@v\d\n((?:        .*\n)+)", text)
        assert f"if: always() && hashFiles('{file}') != ''" in step


def test_the_guide_lists_every_member_of_a_request() -> None:
    rows = re.findall(r"^\| (`.*?) \|", (GUIDES / "listing.md").read_text(), re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert set(admission.MEMBERS) <= listed


def test_the_registry_of_the_guide_is_one() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", (GUIDES / "listing.md").read_text(), re.DOTALL)
    registry = read_registry(json.loads(example))
    assert registry is not None
    assert registry[0].id == "mine"


def test_every_flag_that_the_guides_name_exists() -> None:
    flags = {option for parameter in parameters() for option in parameter.opts}
    text = "".join(path.read_text() for path in GUIDES.glob("listing*.md"))
    named = set(re.findall(r"--[a-z][a-z-]+", text))
    assert named <= flags


def test_the_guide_lists_every_flag() -> None:
    table = (GUIDES / "listing.md").read_text().partition("## Every flag")[2].partition("\n## ")[0]
    flags = {option for parameter in parameters() for option in parameter.opts if option.startswith("--")}
    assert set(re.findall(r"^\| (.*?) \|", table, re.MULTILINE)) - {"flag", "---"}
    assert set(re.findall(r"`(--[a-z-]+)`", table)) == flags


def test_every_check_has_a_page_to_read() -> None:
    found = CliRunner().invoke(main, ["explain", "listing/indexing"])
    assert "## How to fix it" in found.stdout


def test_every_reading_stands_in_the_document_in_order() -> None:
    document = (ROOT / "contracts" / "bazaar-check.md").read_text()
    assert re.findall(r"^\*\*(B[0-9]+)\*\* ", document, re.MULTILINE) == READINGS
