"""The guide to signatures verifies the published vectors, in each of its languages."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.test_cli import assay
from vectors import VECTORS

GUIDE = (Path(__file__).parent.parent.parent / "docs/guides/signatures.md").read_text()
ANSWERS: Any = json.loads((VECTORS / "attest" / "answers.json").read_bytes())


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("case", ANSWERS["cases"], ids=lambda case: case["id"])
def test_the_python_of_the_guide_takes_what_is_valid_and_no_forgery(case: Any) -> None:
    """It is short, so it may take what differs in spelling alone; never another body, key, time or algorithm."""
    names: dict[str, Any] = {}
    exec(block("python"), names)  # noqa: S102  (the guide's own code)
    body, signature = case["body"].encode(), case["signature"].strip()
    forged = ("signature_wrong", "signature_key_unknown", "signature_outside_validity", "signature_algorithm")
    if case["expected"]["valid"]:
        assert names["verify"](body, signature, ANSWERS["keys"])["kid"] == case["expected"]["kid"]
    elif case["expected"]["code"] in forged and "payload-inside" not in case["id"]:
        with pytest.raises(Exception):  # noqa: B017, PT011  (the guide lets its libraries speak)
            names["verify"](body, signature, ANSWERS["keys"])


@pytest.mark.skipif(
    not (shutil.which("openssl") and shutil.which("xxd")), reason="openssl or xxd is not installed"
)
def test_the_shell_of_the_guide_verifies(tmp_path: Path) -> None:
    case = ANSWERS["cases"][0]
    key = next(each for each in ANSWERS["keys"]["keys"] if each["kid"] == case["expected"]["kid"])
    for name, text in (("body", case["body"]), ("value", case["signature"] + "\n"), ("x", key["x"] + "\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    good = subprocess.run(
        ["sh", "-c", block("sh")], check=False, cwd=tmp_path, capture_output=True, timeout=30
    )
    assert (good.returncode, b"Successfully" in good.stdout) == (0, True), good.stderr
    (tmp_path / "body").write_text(case["body"] + " ", encoding="utf-8")
    bad = subprocess.run(
        ["sh", "-c", block("sh")], check=False, cwd=tmp_path, capture_output=True, timeout=30
    )
    assert bad.returncode == 1


def test_the_outcome_shown_is_the_outcome_printed(tmp_path: Path) -> None:
    shown = re.search(r"--keys https://assay.example\n(VALID.*?)\$ curl", GUIDE, re.DOTALL)
    case = ANSWERS["cases"][0]
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps(ANSWERS["keys"]))
    run = assay(
        "verify", "-", "--signature", case["signature"], "--keys", str(keys), stdin=case["body"].encode()
    )
    assert shown is not None
    assert run.stdout.decode() == shown[1]
