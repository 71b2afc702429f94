"""`assay sandbox` and `assay sandbox pay` as processes, the way a person runs them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from assay402.sandbox.jsonrpc import NodeUnreachable, call_node

RUN = [sys.executable, "-c", "from assay402.cli.main import run; run()", "sandbox"]
PORTS = [
    part for name in ("chain-port", "solana-port", "facilitator-port", "port") for part in (f"--{name}", "0")
]
FREE = [*PORTS, "--chain", "python"]
SECONDS = 60
PROXIED = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"), "http://127.0.0.1:9")
"""A proxy where nothing listens: whoever went through it would fail."""

ARTEFACT = '{"mode":"submitted","artefact":{"status":402,"body_obj":{"x402Version":1,"accepts":[]}}}'

# The fixture names what the tests need, so that they are left out by name without it.
pytestmark = pytest.mark.usefixtures("chain")


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """Run the sandbox, with a folder for what it keeps, and give its process and what it printed."""
    process = subprocess.Popen(
        [*RUN, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | PROXIED | {"TMPDIR": str(folder)},
    )
    try:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def assay(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*RUN, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=os.environ | PROXIED,
    )


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_sandbox_runs_until_it_is_stopped_and_then_nothing_of_it_is_left(
    tmp_path: Path, stop: signal.Signals
) -> None:
    with running(tmp_path, *FREE, "--json") as (process, told):
        assert told["network"] == "eip155:84532"
        assert call_node(told["chain"], "eth_chainId") == hex(84532)
        assert call_node(told["solanaChain"], "getHealth") == "ok"
        assert list(tmp_path.iterdir())
        process.send_signal(stop)
        _, progress = process.communicate(timeout=SECONDS)
        assert process.returncode == 0
    assert "public" in progress
    assert "Traceback" not in progress
    assert list(tmp_path.iterdir()) == []
    for name in ("chain", "solanaChain", "facilitator", "service"):
        with pytest.raises(NodeUnreachable):
            call_node(told[name], "eth_chainId")


def test_the_command_pays_on_either_chain_and_says_what_moved(tmp_path: Path) -> None:
    from interop.sdk_seller import make_seller, serving

    with running(tmp_path, *FREE, "--json") as (_, told):
        offers = {
            "/evm": {"network": told["network"], "pay_to": told["recipient"]},
            "/svm": {"network": told["solanaNetwork"], "pay_to": told["solanaRecipient"]},
        }
        nodes = ["--chain-url", told["chain"], "--solana-url", told["solanaChain"]]
        with serving(make_seller(told["facilitator"], offers)) as shop:
            ran = assay("pay", f"{shop}/svm", "--data", '{"a":1}', "--json", *nodes)
            paid = json.loads(ran.stdout)
            assert (ran.returncode, ran.stderr, paid["settled"]) == (0, "", True)
            assert paid["body"] == {"sold": '{"a":1}'}
            assert paid["receipt"]["network"] == told["solanaNetwork"]
            moved = [int(each["after"]) - int(each["before"]) for each in paid["balances"]]
            assert moved == [-10_000, 10_000]
            spoken = assay("pay", f"{shop}/evm", "--data", "@-", *nodes, stdin="hello\x1b[2J")
            assert spoken.returncode == 0
            assert "confirmed by the chain" in spoken.stdout
            assert "(-10000)" in spoken.stdout
            assert "\x1b" not in spoken.stdout
            other = assay("pay", f"{shop}/svm", "--data", "{}", "--network", "eip155:84532", *nodes)
            assert (other.returncode, other.stdout) == (2, "")
            assert "sandbox_not_paid" in other.stderr
            bought = assay(
                "pay", f"{told['service']}/dialect-check/check", "--data", ARTEFACT, "--json", *nodes
            )
            assert json.loads(bought.stdout)["body"]["service"] == "dialect-check"
            missing = assay("pay", f"{shop}/nothing", *nodes)
            assert missing.returncode == 1
            assert missing.stdout.startswith("answer    404,")


def test_a_payment_without_a_sandbox_is_refused_and_told() -> None:
    """The facilitator's chain is gone: nothing can be verified, and the client says so and exits 1."""
    from assay402.sandbox.chain import NETWORKS, Chain
    from assay402.sandbox.facilitator import Backends, Facilitator
    from interop.sdk_seller import make_seller, serving

    chain = Chain(NETWORKS["base-sepolia"], "python")
    facilitator = Facilitator(Backends(evm_network=chain.network.id, evm_url=chain.url))
    offers = {"/evm": {"network": chain.network.id, "pay_to": chain.network.usdc}}
    with serving(make_seller(facilitator.url, offers)) as shop:
        chain.close()
        ran = assay("pay", f"{shop}/evm", "--data", "{}", "--chain-url", chain.url)
    facilitator.close()
    assert ran.returncode == 1
    assert "answer    402" in ran.stdout
    assert "balance" not in ran.stdout


def test_a_taken_port_is_told_and_leaves_nothing_running(chain: Any) -> None:
    port = chain.url.rpartition(":")[2]
    ran = assay("--chain-port", port, "--chain", "python")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "sandbox_port_taken" in ran.stderr


def test_a_node_that_is_not_on_the_path_is_told() -> None:
    ran = subprocess.run(
        [*RUN, "--chain", "anvil"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=os.environ | {"PATH": ""},
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "sandbox_chain_failed" in ran.stderr


def test_the_demo_sells_one_of_everything_and_shows_the_ledger(tmp_path: Path) -> None:
    ran = subprocess.run(
        [*RUN, "demo", "--chain", "python", "--json"],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env=os.environ | PROXIED | {"TMPDIR": str(tmp_path)},
    )
    assert ran.returncode == 0
    *sales, books = (json.loads(line) for line in ran.stdout.splitlines())
    sold = [each["sale"] for each in sales]
    assert len({each["operation"] for each in sold}) == 6
    assert {each["network"].partition(":")[0] for each in sold} == {"eip155", "solana"}
    assert {(each["status"], each["is_settled"], each["signature"]) for each in sold} == {
        (200, True, "valid")
    }
    assert [row["transaction"] for row in books["ledger"]] == [each["transaction"] for each in sold]
    assert [int(row["units"]) for row in books["ledger"]] == [each["price"] for each in sold]
    assert books["mismatches"] == []
    assert list(tmp_path.iterdir()) == []
