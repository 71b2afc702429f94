"""What a payer can do to a real token in a transaction of its own, against the official facilitator: one transfer, one answer."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assay402.core.strictjson import JSON, read
from assay402.net.chain import EVMLookup
from assay402.net.facilitator import HTTPFacilitator, operators_fetcher
from assay402.service.order import Delivered, Offered, Order, Outcome, Pending
from assay402.service.orders import Orders
from assay402.service.ports import Refused, Settled, Unknown, Verified
from assay402.service.settings import Settings
from assay402.store.opening import Store, open_store
from interop.payments import signed_payment
from service.world import DIALECT, RESOURCES, SECRET, Clock

COUNT = 4
PRICE = 10_000
BOUND = 120
Mine = Callable[[list[Any]], list[bytes]]
"""Makes the calls of the payer's own transaction from the payments that are sent to us."""


class Shop:
    """A service on the real chain, whose payer has a transaction of its own mined just before the first settlement."""

    def __init__(self, chain: Any, facilitator: Any, store: Store, mine: Mine) -> None:
        from assay402.sandbox.accounts import evm_account

        self.chain, self.store, self.mine = chain, store, mine
        self.payer, self.recipient = evm_account("payer"), evm_account("recipient").address
        self.official = HTTPFacilitator(facilitator.url, fetcher=operators_fetcher())
        self.payments: list[Any] = []
        self.is_mined = False
        self.noise = 0
        self.verified = 0
        self.all_verified = asyncio.Event()
        clock = Clock()
        clock.now = datetime.now(UTC)
        self.orders = Orders(
            settings=Settings(
                payments="required",
                public_url="https://assay.shop.dev",
                networks=(chain.network.id,),
                pay_to=(("eip155:*", self.recipient),),
            ),
            resources=tuple(RESOURCES.values()),
            payments=store.payments,
            free_tier=store.free_tier,
            answerer=_nothing,
            sign=lambda _resource, _body: (),
            server_key=SECRET,
            clock=clock,
            facilitator=self,
            chain=EVMLookup({chain.network.id: chain.url}, fetcher=operators_fetcher()),
        )

    async def verify(
        self, payload: Mapping[str, JSON], requirements: Mapping[str, JSON]
    ) -> Verified | Refused | Unknown:
        """Ask the official facilitator, and wait until it has verified all."""
        answer = await self.official.verify(payload, requirements)
        self.verified += 1
        if self.verified >= COUNT:
            self.all_verified.set()
        await self.all_verified.wait()
        return answer

    async def settle(
        self, payload: Mapping[str, JSON], requirements: Mapping[str, JSON]
    ) -> Settled | Refused | Unknown:
        """Have the payer's own transaction mined, then ask the official facilitator."""
        if not self.is_mined:
            self.is_mined = True
            send_all(self.chain, self.mine(self.payments), self.noise)
        return await self.official.settle(payload, requirements)

    async def extra(self, network: str) -> Mapping[str, JSON] | None:
        """Ask the official facilitator."""
        return await self.official.extra(network)

    async def is_reachable(self) -> bool:
        """Ask the official facilitator."""
        return await self.official.is_reachable()

    async def take(self, payment: Any = None) -> Outcome:
        """Send an order."""
        sent: Any = None if payment is None else read(json.dumps(payment).encode())
        return await self.orders.take(
            Order(resource=RESOURCES["dialect/check"], request=DIALECT, payment=sent)
        )


def calls_of(payments: list[Any], chain: Any, changed: Mapping[str, str]) -> list[bytes]:
    """Write the calls that use authorizations of the same nonces, changed as given and signed by their payer."""
    from assay402.sandbox.accounts import evm_account

    payer = evm_account("payer")
    calls = []
    for payment in payments:
        sent = payment["payload"]["authorization"]
        before = int(sent["validBefore"])
        signed = signed_payment(payer, payment["accepted"], before, **{"nonce": sent["nonce"], **changed})
        calls.append(call_of(signed, chain))
    return calls


def call_of(payment: Any, chain: Any) -> bytes:
    """Write the call that moves a payment."""
    from assay402.sandbox.chain import call_data

    assert chain is not None
    sent, signature = payment["payload"]["authorization"], bytes.fromhex(payment["payload"]["signature"][2:])
    words = [bytes.fromhex(sent[name][2:]).rjust(32, b"\0") for name in ("from", "to")]
    words += [int(sent[name]).to_bytes(32) for name in ("value", "validAfter", "validBefore")]
    words += [
        bytes.fromhex(sent["nonce"][2:]),
        signature[64:].rjust(32, b"\0"),
        signature[:32],
        signature[32:64],
    ]
    kinds = "address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32"
    return bytes.fromhex(call_data(f"transferWithAuthorization({kinds})", *words)[2:])


def send_all(chain: Any, calls: list[bytes], noise: int = 0) -> None:
    """Make the calls in one transaction: the code of a contract that makes them and leaves nothing.

    With `noise` it ends with an event of its own of that many bytes, at most 16 MiB.
    """
    from assay402.sandbox.accounts import evm_account

    token, length = bytes.fromhex(chain.network.usdc[2:]), len(calls[0])

    def code(base: int) -> bytes:
        made = b""
        for number in range(len(calls)):
            # CODECOPY(0, where it stands, length), CALL(token), POP
            made += (
                b"\x61" + length.to_bytes(2) + b"\x61" + (base + number * length).to_bytes(2) + b"\x60\0\x39"
            )
            made += b"\x60\0\x60\0\x61" + length.to_bytes(2) + b"\x60\0\x60\0\x73" + token + b"\x5a\xf1\x50"
        if noise:
            # LOG0(0, noise)
            made += b"\x62" + noise.to_bytes(3) + b"\x60\0\xa0"
        return made + b"\x60\0\x60\0\xf3"

    bank = evm_account("bank")
    transaction = {
        "data": "0x" + (code(len(code(0))) + b"".join(calls)).hex(),
        "gas": 9_000_000 if noise else 3_000_000,
        "gasPrice": int(chain.call("eth_gasPrice"), 16),
        "nonce": int(chain.call("eth_getTransactionCount", bank.address, "latest"), 16),
        "chainId": chain.network.chain_id,
        "value": 0,
    }
    signed = bank.sign_transaction(transaction).raw_transaction
    name = chain.call("eth_sendRawTransaction", f"0x{bytes(signed).hex()}")
    receipt = chain.call("eth_getTransactionReceipt", name)
    assert (receipt["status"], len(receipt["logs"])) == ("0x1", 2 * len(calls) + bool(noise))


async def _nothing(_ask: object) -> Any:
    raise AssertionError


def told(
    chain: Any, facilitator: Any, folder: Path, mine: Mine, story: Callable[[Shop], Awaitable[None]]
) -> None:
    async def run() -> None:
        store = await open_store(f"sqlite:{folder / 'assay.sqlite3'}")
        try:
            await story(Shop(chain, facilitator, store, mine))
        finally:
            await store.close()

    asyncio.run(asyncio.wait_for(run(), BOUND))


async def bought(shop: Shop) -> tuple[list[Outcome], int]:
    """Send four payments at once; gives the answers, and what we got."""
    offered = await shop.take()
    assert isinstance(offered, Offered)
    accepted = json.loads(offered.payment_required)["accepts"][0]
    before = shop.chain.balance(shop.recipient)
    shop.payments = [signed_payment(shop.payer, accepted, int(time.time()) + 280) for _ in range(COUNT)]
    outcomes = await asyncio.gather(*map(shop.take, shop.payments))
    return list(outcomes), shop.chain.balance(shop.recipient) - before


@pytest.mark.parametrize("paid_at", ["the end", "the beginning", "between"])
def test_one_transfer_beside_four_used_authorizations_buys_no_answer(
    chain: Any, facilitator: Any, tmp_path: Path, paid_at: str
) -> None:
    """A past defect: it bought four. The payer uses all four to pay itself, and pays us once under a nonce of its own."""

    def mine(payments: list[Any]) -> list[bytes]:
        own = calls_of(payments, chain, {"to": payments[0]["payload"]["authorization"]["from"], "value": "1"})
        paid = calls_of(payments[:1], chain, {"nonce": "0x" + time.time_ns().to_bytes(32).hex()})
        return {"the end": own + paid, "the beginning": paid + own, "between": own[:2] + paid + own[2:]}[
            paid_at
        ]

    async def story(shop: Shop) -> None:
        outcomes, got = await bought(shop)
        assert got == PRICE
        assert [type(each) for each in outcomes] == [Pending] * COUNT
        assert [row async for row in shop.store.ledger.rows(None, None)] == []

    told(chain, facilitator, tmp_path, mine, story)


def test_payments_that_somebody_else_settles_in_one_transaction_are_each_answered(
    chain: Any, facilitator: Any, tmp_path: Path
) -> None:
    async def story(shop: Shop) -> None:
        outcomes, got = await bought(shop)
        assert got == COUNT * PRICE
        assert [type(each) for each in outcomes] == [Delivered] * COUNT
        rows = [row async for row in shop.store.ledger.rows(None, None)]
        assert (len(rows), len({row.transaction for row in rows})) == (COUNT, 1)
        assert await shop.store.ledger.mismatches() == ()
        named = await shop.store.database.read("SELECT transfer FROM payments ORDER BY transfer")
        assert len({row[0] for row in named}) == COUNT

    told(chain, facilitator, tmp_path, lambda payments: [call_of(each, chain) for each in payments], story)


def test_a_transaction_of_a_stranger_that_is_too_long_to_read_keeps_no_answer_back(
    chain: Any, facilitator: Any, tmp_path: Path
) -> None:
    """A past defect: its receipt was asked for whole, and 600 kB of an event of the stranger's were more than is read."""

    async def story(shop: Shop) -> None:
        shop.noise = 589_824
        outcomes, got = await bought(shop)
        assert got == COUNT * PRICE
        assert [type(each) for each in outcomes] == [Delivered] * COUNT

    told(chain, facilitator, tmp_path, lambda payments: [call_of(each, chain) for each in payments], story)


def test_of_what_was_paid_to_us_in_that_transaction_only_that_is_answered(
    chain: Any, facilitator: Any, tmp_path: Path
) -> None:
    """Two are used as they were signed, one for another amount, one for another recipient."""

    def mine(payments: list[Any]) -> list[bytes]:
        own = payments[0]["payload"]["authorization"]["from"]
        return [
            call_of(payments[0], chain),
            *calls_of(payments[1:2], chain, {"value": str(PRICE + 1)}),
            *calls_of(payments[2:3], chain, {"to": own}),
            call_of(payments[3], chain),
        ]

    async def story(shop: Shop) -> None:
        outcomes, got = await bought(shop)
        assert got == 3 * PRICE + 1
        assert [type(each) for each in outcomes] == [Delivered, Pending, Pending, Delivered]
        assert await shop.store.ledger.mismatches() == ()

    told(chain, facilitator, tmp_path, mine, story)
