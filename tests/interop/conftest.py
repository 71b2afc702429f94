"""What the interop tests run on: a chain, a facilitator, and the official clients in Python and TypeScript.

All of it once a session, on loopback and on free ports. Where a package or a program is missing, the tests that need it
are left out and say which.
"""

import importlib.util
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from interop.node_client import NodeClient, install
from store.databases import MISSING as NO_DATABASE
from store.databases import PostgreSQL, postgresql_server

PACKAGES = ("x402", "solders", "eth_tester", "eth", "web3", "httpx", "fastapi")
MISSING = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
NEEDS_SANDBOX = {"chain", "solana_chain", "facilitator", "pay", "service", "start_chain"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what cannot run here; what other packages warn of is theirs to mend; coverage is measured elsewhere."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.no_cover)
        if NEEDS_SANDBOX.isdisjoint(getattr(item, "fixturenames", ())):
            continue
        item.add_marker(pytest.mark.filterwarnings("ignore"))
        if MISSING:
            reason = f"not installed: {', '.join(MISSING)} (extra `interop`)"
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def chain() -> Iterator[Any]:
    """Run the chain that stands in for Base Sepolia."""
    from assay402.sandbox.chain import NETWORKS, Chain

    running = Chain(NETWORKS["base-sepolia"], "python")
    yield running
    running.close()


@pytest.fixture(scope="session")
def solana_chain() -> Iterator[Any]:
    """Run the chain that stands in for Solana's development network."""
    from assay402.sandbox.solana import SolanaChain

    running = SolanaChain()
    yield running
    running.close()


@pytest.fixture(scope="session")
def facilitator(chain: Any, solana_chain: Any) -> Iterator[Any]:
    """Run the official facilitator, over HTTP, for both chains."""
    from assay402.sandbox.facilitator import Backends, Facilitator

    backends = Backends(evm_network=chain.network.id, evm_url=chain.url, solana_url=solana_chain.url)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        running = Facilitator(backends)
    yield running
    running.close()


@pytest.fixture(scope="session")
def pay(chain: Any, solana_chain: Any) -> Callable[..., Any]:
    """Give the official Python client on httpx: `pay(url, body, network)` gives an `Exchange`."""
    from assay402.sandbox.payer import Call, Nodes
    from assay402.sandbox.payer import pay as pay_once

    nodes = Nodes(evm_url=chain.url, solana_url=solana_chain.url)

    def paying(url: str, body: bytes | None = None, network: str | None = None) -> Any:
        return pay_once(Call(url=url, body=body), nodes, network)

    return paying


@pytest.fixture(scope="session")
def service(
    chain: Any, solana_chain: Any, facilitator: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    """Run the service in paid mode on both chains; `service.url` is where."""
    from assay402.sandbox.service import Service
    from assay402.sandbox.world import paid_settings

    settings = paid_settings(chain, solana_chain, facilitator.url)
    running = Service(settings, tmp_path_factory.mktemp("service"), lambda _line: None)
    yield running
    running.close()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """Run one PostgreSQL, or skip by name where it is not installed."""
    if NO_DATABASE:
        pytest.skip(f"not installed: {', '.join(NO_DATABASE)} (extra `interop`)")
    with postgresql_server() as running:
        yield running


@pytest.fixture(scope="session")
def node_packages(request: pytest.FixtureRequest) -> Path:
    """Give a folder in which node finds the official TypeScript packages."""
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    return install(request.config.cache)


@pytest.fixture(scope="session")
def typescript_client(node_packages: Path) -> NodeClient:
    """Give the official TypeScript client: `typescript_client.pay(url, key, ...)` gives a `NodeAnswer`."""
    return NodeClient(node_packages)


class Party(Struct, frozen=True, kw_only=True):
    """Payer and recipient of a chain."""

    payer: str
    recipient: str
    key: str
    """The payer's key, as the TypeScript client takes it."""


@pytest.fixture(scope="session")
def parties() -> Party:
    """Name the accounts on the Ethereum chain."""
    from assay402.sandbox.accounts import evm_account

    payer = evm_account("payer")
    return Party(
        payer=payer.address,
        recipient=evm_account("recipient").address,
        key=f"0x{payer.key.hex().removeprefix('0x')}",
    )
