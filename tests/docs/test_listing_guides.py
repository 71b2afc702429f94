"""The guides of the listing check: their recipe runs, their workflow is one, their tables name what there is."""

import json
import re
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from assay402.checks.listing import admission
from assay402.checks.listing.reading.facilitators import read_registry
from assay402.cli.listing_flags import parameters
from assay402.cli.main import main

ROOT = Path(__file__).parent.parent.parent
GUIDES = ROOT / "docs" / "guides"
READINGS = [f"B{number}" for number in range(1, 14)]


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


def test_the_workflow_fails_on_exit_1_and_2_alone() -> None:
    """The script of its step, run with a command that ends with each code."""
    text = (GUIDES / "listing-workflow.yml").read_text()
    (script,) = re.findall(r"Annotate the findings\n        run: \|\n((?:          .*\n)+)", text)
    for code, ends in ((0, 0), (1, 1), (2, 2), (3, 0)):
        command = f"set -e\nbazaar-check() {{ return {code}; }}\n{script}"
        assert subprocess.run(["bash", "-c", command], check=False, timeout=60).returncode == ends


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


def test_every_check_has_a_page_to_read() -> None:
    found = CliRunner().invoke(main, ["explain", "listing/indexing"])
    assert "## How to fix it" in found.stdout


def test_every_reading_stands_in_the_document_in_order() -> None:
    document = (ROOT / "contracts" / "bazaar-check.md").read_text()
    assert re.findall(r"^\*\*(B[0-9]+)\*\* ", document, re.MULTILINE) == READINGS
