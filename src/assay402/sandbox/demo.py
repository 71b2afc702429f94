"""One paid call of each product from start to finish: offered, paid, settled, signed, verified, and in the ledger."""

import asyncio
from collections.abc import Iterator
from http import HTTPStatus
from http.client import HTTPConnection
from urllib.parse import urlsplit

from msgspec import Struct

from assay402.attest.publication import JWKS_PATH, KeySet, read_keys
from assay402.attest.signature import SIGNATURE_HEADER, Valid, verify_answer
from assay402.core.strictjson import write
from assay402.sandbox.payer import Call, Exchange, pay
from assay402.sandbox.world import World
from assay402.service.discovery import examples
from assay402.service.order import Resource
from assay402.service.ports import LedgerRow
from assay402.service.resources import resources
from assay402.service.settings import Settings


class Sale(Struct, frozen=True, kw_only=True):
    """A call as it went."""

    operation: str
    path: str
    network: str
    price: int
    """Millionths of a US dollar, which the token's atomic units are as well."""
    status: int
    transaction: str | None
    is_settled: bool | None
    """Whether the chain confirms the transaction."""
    moved: tuple[int, ...]
    """What payer and recipient have more than before."""
    signature: str
    """`valid`, or why the answer's signature is not."""
    signed_for: str | None
    """The contract and version that the signature names."""

    @property
    def is_good(self) -> bool:
        """Whether everything went as it should."""
        has_moved = self.moved == (-self.price, self.price)
        return (
            self.status == HTTPStatus.OK
            and self.is_settled is True
            and has_moved
            and self.signature == "valid"
        )


class Books(Struct, frozen=True, kw_only=True):
    """The ledger after the calls."""

    rows: tuple[LedgerRow, ...]
    mismatches: tuple[str, ...]
    """What of it does not match the gate's own rows."""


def sales(world: World) -> Iterator[Sale]:
    """Buy one of everything that is sold, and the first thing once more on Solana."""
    evm, solana = world.chain.network.id, world.solana.network
    sold = {each.name: each for each in resources(Settings()) if each.price}
    first, *_ = sold
    for name, network in [*((name, evm) for name in sold), (first, solana)]:
        url = f"{world.service.url}{sold[name].path}"
        exchange = pay(Call(url=url, body=write(examples()[name].body)), world.nodes, network)
        yield _sale(sold[name], network, exchange, read_keys(_published_keys(world.service.url)))


def _sale(resource: Resource, network: str, exchange: Exchange, keys: KeySet) -> Sale:
    signature = dict(exchange.headers).get(SIGNATURE_HEADER.lower(), "")
    checked = verify_answer(exchange.body, signature, keys)
    receipt = exchange.receipt or {}
    return Sale(
        operation=resource.name,
        path=resource.path,
        network=network,
        price=resource.price,
        status=exchange.status,
        transaction=receipt.get("transaction"),
        is_settled=exchange.is_settled,
        moved=tuple(each.after - each.before for each in exchange.balances),
        signature="valid" if isinstance(checked, Valid) else checked.code,
        signed_for=checked.version if isinstance(checked, Valid) else None,
    )


def _published_keys(url: str) -> bytes:
    address = urlsplit(url)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=30)
    try:
        connection.request("GET", JWKS_PATH)
        return connection.getresponse().read()
    finally:
        connection.close()


def books(world: World) -> Books:
    """Read the ledger of the running service, as `assay ledger list` and `assay ledger verify` do."""
    return asyncio.run(_books(world))


async def _books(world: World) -> Books:
    from assay402.store.opening import open_store

    store = await open_store("sqlite", world.data_dir)
    try:
        rows = [row async for row in store.ledger.rows(None, None)]
        return Books(rows=tuple(rows), mismatches=await store.ledger.mismatches())
    finally:
        await store.close()
