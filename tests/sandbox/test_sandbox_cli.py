"""What `assay sandbox` says where it cannot run or will not pay, and the data it ships with."""

import hashlib
import json
import subprocess
import sys
from importlib import resources

import pytest

from assay402.core.errors import TheirError
from assay402.sandbox.chain import token_code
from assay402.sandbox.payer import decoded, require_loopback

WITHOUT = "import sys; sys.modules['x402'] = None; from assay402.cli.main import run; run()"
"""The command where the SDK is not installed."""


@pytest.mark.parametrize("command", [["sandbox"], ["sandbox", "pay", "http://127.0.0.1:1/"]])
def test_without_the_extra_it_says_what_to_install(command: list[str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT, *command], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("assay: error: sandbox_not_installed\n")
    assert "assay402[sandbox]" in ran.stderr


@pytest.mark.parametrize(
    "url",
    [
        "https://seller.example/",
        "http://10.0.0.1/",
        "http://0.0.0.0/",
        "http://127.0.0.1.example/",
        "http://127.1/",
        "http://2130706433/",
        "http://[::ffff:10.0.0.1]/",
        "http://127.0.0.1@seller.example/",
        "ftp://127.0.0.1/",
        "127.0.0.1",
        "http://",
        "http://[::1",
        "http://127.0.0.1:99999/",
        "",
    ],
)
def test_nobody_but_this_machine_is_paid(url: str) -> None:
    with pytest.raises(TheirError) as refused:
        require_loopback(url)
    assert refused.value.code == "sandbox_not_loopback"


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8402/a", "https://127.8.9.10/", "http://[::1]:80/", "http://localhost:1/"]
)
def test_this_machine_may_be_paid(url: str) -> None:
    require_loopback(url)


@pytest.mark.parametrize("header", [None, "", "e30", "not base64", "/w=="])
def test_a_header_that_is_none_of_ours_is_read_as_nothing(header: str | None) -> None:
    assert decoded(header) is None


def test_the_token_is_the_one_its_source_makes() -> None:
    """Who changes the source must compile it again: `data/token.json` names the source it was made from."""
    data = resources.files("assay402.sandbox").joinpath("data")
    made = json.loads(data.joinpath("token.json").read_text())
    assert made["source_sha256"] == hashlib.sha256(data.joinpath("token.vy").read_bytes()).hexdigest()
    assert token_code().hex() == made["runtime"].removeprefix("0x")
