"""A paid service without a transport: a store, a facilitator on a loopback port, and clients that pay."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from assay402.checks import CHECKS
from assay402.core.asks import Failed, Fetch, Fetched
from assay402.core.strictjson import read
from assay402.net.answerer import NetworkAnswerer, at_once
from assay402.net.facilitator import HTTPFacilitator, Patience, operators_fetcher
from assay402.service.order import Delivered, Offered, Order, Outcome, Resource
from assay402.service.orders import Orders
from assay402.service.settings import Settings
from assay402.service.timing import Timing
from service.facilitator_server import FacilitatorServer, facilitator_server
from service.memory import MemoryFreeTier, MemoryPayments

BOUND = 60
BASE = "eip155:8453"
SOLANA = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
PAY_TO = "0x63aA5960943865e7d57FDdF0D899eE36B6D2046E"
SOLANA_PAY_TO = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
ALICE = "0x1111111111111111111111111111111111111111"
BOB = "0x2222222222222222222222222222222222222222"
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SECRET = b"k" * 32
PRICES = {
    "dialect/check": 10_000,
    "deliverable/check": 40_000,
    "claims/diagnose": 20_000,
    "claims/repair": 20_000,
    "claims/verify": 20_000,
    "claims/repair-bundle": 20_000,
}
SETTINGS = Settings(
    payments="required",
    public_url="https://assay.shop.dev",
    networks=(BASE, SOLANA),
    pay_to=(("eip155:*", PAY_TO), ("solana:*", SOLANA_PAY_TO)),
)
DIALECT = json.dumps(
    {"mode": "submitted", "artefact": {"status": 402, "body_obj": {"accepts": [{}]}}}
).encode()
PROBE = json.dumps({"mode": "probe", "url": "https://pay.shop.dev/"}).encode()
DELIVERABLE = json.dumps(
    {"deliverable": {"kind": "json", "value": {"a": 1}}, "criteria": [{"id": "x", "check": "is_json"}]}
).encode()
CLAIMS = json.dumps(
    {
        "schema": "FAHCE_MACHINE_REQUEST_V1",
        "candidate_output": "The refund of $60 has been completed.",
        "evidence": [{"id": "log", "kind": "log", "source_label": "log", "text": "refund 60 pending"}],
    }
).encode()
REQUESTS = {"dialect": DIALECT, "deliverable": DELIVERABLE, "claims": CLAIMS}


def resources() -> tuple[Resource, ...]:
    return tuple(
        Resource(
            path=f"/{check.name}/{operation.name}",
            check=check,
            operation=operation,
            price=PRICES.get(f"{check.name}/{operation.name}", 0),
            description=operation.summary,
        )
        for check in CHECKS
        for operation in check.operations
    )


RESOURCES = {resource.name: resource for resource in resources()}
PAID = ("dialect/check", "deliverable/check", "claims/diagnose")
KEEPING = ("deliverable/check", "claims/diagnose")


class Clock:
    """A clock that a story sets."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        """Tell the time."""
        return self.now

    def pass_by(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)


class World:
    """One service with its surroundings."""

    def __init__(self, facilitator: FacilitatorServer, **seams: Any) -> None:
        self.facilitator = facilitator
        self.clock = Clock()
        self.payments = seams.pop("payments", None) or MemoryPayments()
        self.free_tier = seams.pop("free_tier", None) or MemoryFreeTier()
        self.settings = seams.pop("settings", SETTINGS)
        self.patience = seams.pop(
            "patience", Patience(pending_pause_seconds=0, apart_seconds=0, lately_seconds=0)
        )
        self.seams = seams
        self.heard: list[str] = []
        self.fetched: list[str] = []
        self.fetch_says: Callable[[Fetch], Fetched | Failed] = lambda _ask: Failed(
            state="unreachable", detail="refused"
        )
        self.nonces = 0
        self.orders = self.service()

    def service(self, **more: Any) -> Orders:
        """Start a service, or another replica of it, over the same store."""
        return Orders(
            payments=self.payments,
            free_tier=self.free_tier,
            answerer=NetworkAnswerer(self.fetch, clock=self.clock, sleep=self.sleep),
            gather=at_once,
            sign=lambda _resource, body: (("Assay-Signature", f"signed {len(body)}"),),
            server_key=SECRET,
            clock=self.clock,
            tell=lambda event, _operation: self.heard.append(event),
            **{
                "settings": self.settings,
                "facilitator": HTTPFacilitator(
                    self.facilitator.url, fetcher=operators_fetcher(), patience=self.patience
                ),
                "timing": Timing(),
                "resources": resources(),
                **self.seams,
                **more,
            },
        )

    async def fetch(self, ask: Fetch) -> Fetched | Failed:
        """Fetch, as the network would."""
        self.fetched.append(ask.url)
        return self.fetch_says(ask)

    async def sleep(self, seconds: float) -> None:
        """Let the time of a pause pass at once."""
        self.clock.pass_by(seconds)

    async def offered(self, name: str = "dialect/check", request: bytes | None = None) -> dict[str, Any]:
        """Ask without paying, and give the offer."""
        outcome = await self.orders.take(self.order(name, request=request))
        assert isinstance(outcome, Offered)
        offer: dict[str, Any] = json.loads(outcome.payment_required)
        return offer

    async def paid(self, name: str = "dialect/check", **how: Any) -> dict[str, Any]:
        """Ask, and make a payment for the offer."""
        return self.payment(await self.offered(name, how.pop("request", None)), **how)

    def payment(
        self,
        offer: dict[str, Any],
        *,
        payer: str = ALICE,
        network: str = BASE,
        payment_id: str | None = None,
        nonce: str | None = None,
        lives: int = 300,
    ) -> dict[str, Any]:
        """Make a payment for an offer, as official clients do."""
        self.nonces += 1
        return signed(
            offer,
            payer=payer,
            network=network,
            payment_id=payment_id,
            nonce=nonce or f"0x{self.nonces:064x}",
            valid_before=int(self.clock().timestamp()) + lives,
        )

    def order(
        self,
        name: str = "dialect/check",
        payment: dict[str, Any] | None = None,
        *,
        request: bytes | None = None,
        **more: Any,
    ) -> Order:
        """Make an order whose payment went through a header, as official clients write it."""
        sent: Any = None if payment is None else read(json.dumps(payment).encode())
        if request is None:
            request = REQUESTS[name.partition("/")[0]]
        return Order(resource=RESOURCES[name], request=request, payment=sent, **more)

    async def take(
        self, name: str = "dialect/check", payment: dict[str, Any] | None = None, **more: Any
    ) -> Outcome:
        """Send an order."""
        return await self.orders.take(self.order(name, payment, **more))

    async def buy(self, name: str = "dialect/check", **how: Any) -> tuple[Delivered, dict[str, Any]]:
        """Pay and get the answer."""
        payment = await self.paid(name, **how)
        outcome = await self.take(name, payment)
        assert isinstance(outcome, Delivered), outcome
        return outcome, payment

    @property
    def row(self) -> Any:
        """The one row of a memory store."""
        (row,) = self.payments.rows.values()
        return row


def signed(
    offer: dict[str, Any],
    *,
    nonce: str,
    valid_before: int,
    payer: str = ALICE,
    network: str = BASE,
    payment_id: str | None = None,
) -> dict[str, Any]:
    """Make a payment for an offer as official clients do, but for the signature, which the loopback facilitator believes."""
    accepted = next(each for each in offer["accepts"] if each["network"] == network)
    extensions = json.loads(json.dumps(offer.get("extensions", {})))
    if payment_id is not None:
        extensions["payment-identifier"]["info"]["id"] = payment_id
    return {
        "x402Version": 2,
        "resource": offer["resource"],
        "accepted": accepted,
        "payload": {
            "signature": "0x" + "ab" * 65,
            "authorization": {
                "from": payer,
                "to": accepted["payTo"],
                "value": accepted["amount"],
                "validAfter": "0",
                "validBefore": str(valid_before),
                "nonce": nonce,
            },
        },
        "extensions": extensions,
    }


@asynccontextmanager
async def world(**seams: Any) -> AsyncIterator[World]:
    async with asyncio.timeout(BOUND), facilitator_server(BASE, SOLANA) as facilitator:
        yield World(facilitator, **seams)


def run(story: Callable[[World], Coroutine[Any, Any, None]], **seams: Any) -> None:
    """Tell a story in a world."""

    async def told() -> None:
        async with world(**seams) as made:
            await story(made)

    asyncio.run(told())


def solana_transaction(seed: int = 1) -> str:
    """Make a transaction of two signers and one instruction, shaped as the real ones are."""
    signatures = bytes([2]) + bytes(64) + bytes([seed]) * 64
    message = bytes([0x80, 2, 0, 1, 3]) + bytes(range(96)) + bytes([seed]) * 32
    message += bytes([1, 2, 2, 0, 1, 3, 9, 9, 9]) + bytes([0])
    return base64.b64encode(signatures + message).decode()
