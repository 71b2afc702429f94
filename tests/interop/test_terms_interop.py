"""A challenge placed by us, paid by the official client on a real local chain, and read by the published buyer gate.

Needs the packages of the extra `interop`, which `./check --all` installs; where they are not, each test says which.
"""

import asyncio
import base64
import importlib.util
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from assay402 import terms

PACKAGES = ("integraledger_terms",)
MISSING = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (extra `interop`)"
)
EXAMPLES = Path(__file__).parents[2] / "docs_src"
SECONDS = 60
"""What a whole exchange may take; it takes well under one."""


def module(folder: Path, name: str) -> Any:
    """Load a module beside the tests or an example of the documentation."""
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture(scope="module")
def shop(chain: Any, facilitator: Any) -> Any:
    """Build the shop of the documentation on the sandbox's chain."""
    from x402.http import FacilitatorConfig, HTTPFacilitatorClient

    example = module(EXAMPLES, "terms_fastapi")
    app = example.make_app(HTTPFacilitatorClient(FacilitatorConfig(url=facilitator.url)))
    return type("Shop", (), {"chain": chain, "app": app, "example": example})


def run(work: Awaitable[Any]) -> Any:
    async def bounded() -> Any:
        return await asyncio.wait_for(work, SECONDS)

    return asyncio.run(bounded())


def decoded(header: str) -> Any:
    return json.loads(base64.b64decode(header, validate=True))


async def unpaid(app: Any) -> Any:
    import httpx

    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="https://seller.example") as client:
        return await client.get("/report"), await client.get("/terms.md")


async def paid(shop: Any) -> tuple[Any, list[Any]]:
    """Pay with the official client; give the response and the payments that were sent."""
    import httpx
    from x402 import x402Client
    from x402.http.clients.httpx import x402AsyncTransport
    from x402.mechanisms.evm.exact import register_exact_evm_client

    from assay402.sandbox.accounts import evm_account

    payments: list[Any] = []

    class Watched(httpx.ASGITransport):  # type: ignore[misc]  # (not looked into)
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if "payment-signature" in request.headers:
                payments.append(decoded(request.headers["payment-signature"]))
            return await super().handle_async_request(request)

    client = x402Client()
    register_exact_evm_client(client, evm_account("payer"))
    transport = x402AsyncTransport(client, Watched(app=shop.app))
    async with httpx.AsyncClient(transport=transport, base_url="https://seller.example") as paying:
        return await paying.get("/report"), payments


def test_the_challenge_of_the_official_middleware_carries_verifiable_terms(shop: Any) -> None:
    response, served = run(unpaid(shop.app))
    challenge = decoded(response.headers["payment-required"])
    assert response.status_code == 402
    assert response.content == b"{}"
    assert served.content == shop.example.TERMS
    assert terms.verify(challenge, served.content)["outcome"] == "match"
    assert challenge["accepts"][0]["extra"]["name"] == "USDC"


def test_the_official_client_pays_it_and_echoes_our_extension(shop: Any) -> None:
    """Evidence 3: the payment settles on the chain, and carries what the seller advertised."""
    response, _ = run(unpaid(shop.app))
    challenge = decoded(response.headers["payment-required"])
    before = shop.chain.balance(shop.example.PAY_TO)
    answer, payments = run(paid(shop))
    assert answer.status_code == 200
    assert answer.json() == {"report": "sunny"}
    receipt = decoded(answer.headers["payment-response"])
    assert receipt["success"]
    assert shop.chain.is_settled(receipt["transaction"])
    assert shop.chain.balance(shop.example.PAY_TO) == before + 10_000
    (payment,) = payments
    entry = challenge["extensions"]["legalContext"]
    assert payment["extensions"]["legalContext"]["info"] == entry["info"]
    assert payment["accepted"]["extra"]["atrHash"] == entry["info"]["value"]
    assert terms.extract(payment) == terms.extract(challenge)


def test_the_published_buyer_gate_reads_our_challenge_and_agrees_on_the_hash(shop: Any, parties: Any) -> None:
    """Evidence 3: the package `integraledger-terms` reads, fetches, hashes and compares for itself."""
    import httpx
    from integraledger_terms import X402_EXACT_EIP155_EIP3009, Confirmed, confirm

    response, _ = run(unpaid(shop.app))
    challenge = decoded(response.headers["payment-required"])

    async def gate() -> Any:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=shop.app)) as link:
            account = f"eip155:84532:{parties.payer}"
            return await confirm(challenge, X402_EXACT_EIP155_EIP3009, account, link)

    confirmed = run(gate())
    assert isinstance(confirmed, Confirmed), confirmed
    assert confirmed.h == terms.extract(challenge)["value"]["ref"]["value"]
    assert confirmed.atr_bytes == shop.example.TERMS


READS: list[tuple[str, Callable[[Any], Any]]] = [
    ("as placed", lambda doc: doc),
    ("without the mirror", lambda doc: {**doc, "accepts": [{**doc["accepts"][0], "extra": {}}]}),
]


@pytest.mark.parametrize(("name", "change"), READS, ids=[name for name, _ in READS])
def test_the_published_reader_and_ours_see_the_same_offer(
    shop: Any, name: str, change: Callable[[Any], Any]
) -> None:
    from integraledger_terms.bindings._x402 import legal_context_of

    response, _ = run(unpaid(shop.app))
    challenge = change(decoded(response.headers["payment-required"]))
    value = terms.extract(challenge, strict=True)["value"]
    theirs = legal_context_of(challenge["extensions"])
    assert theirs == (value["ref"]["value"], value["termsUrl"]["url"]), name
