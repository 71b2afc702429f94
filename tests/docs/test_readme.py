"""The README shows what the program prints today."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text()
CONSOLE = re.compile(r"```console\n\$ (.+)\n((?:(?!```).*\n)*)```")
PYTHON = re.compile(r"```python\n((?:.*\n)+?)```")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def shown() -> list[tuple[str, str]]:
    return [(command, output) for command, output in CONSOLE.findall(README) if output.strip()]


def test_the_readme_has_an_example_with_its_output() -> None:
    assert len(shown()) == 1


@pytest.mark.parametrize(("command", "output"), shown())
def test_a_command_prints_what_the_readme_shows(command: str, output: str) -> None:
    run = subprocess.run(
        ["bash", "-c", command], check=False, capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert TIME.sub("TIME", run.stdout) == TIME.sub("TIME", output)
    assert run.returncode == 1


@pytest.mark.parametrize(
    "command", [command for command, _ in CONSOLE.findall(README) if "--json" in command]
)
def test_a_command_without_shown_output_works(command: str) -> None:
    run = subprocess.run(
        ["bash", "-c", command], check=False, capture_output=True, text=True, cwd=ROOT, timeout=120
    )
    assert json.loads(run.stdout)["dialect"] == "mixed"


def test_the_python_example_prints_what_its_comment_says(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = PYTHON.findall(README)
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102  (our own example)
    assert capsys.readouterr().out.strip() == example.strip().rpartition("# ")[2]


def test_every_page_the_readme_links_to_exists() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert len(links) > 5
    assert [link for link in links if not (ROOT / link).exists()] == []
