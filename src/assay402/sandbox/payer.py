"""Pays a resource on loopback with the official client, and tells what was offered, answered and moved."""

import asyncio
import base64
import ipaddress
import json
import socket
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec import Struct

from assay402.core.errors import TheirError
from assay402.sandbox import chain, solana
from assay402.sandbox.accounts import evm_account, solana_keypair
from assay402.sandbox.jsonrpc import NodeUnreachable, RPCError

EXCHANGE_SECONDS: Final = 60.0
"""How long a paid call may take as a whole."""
MAX_ANSWER: Final = 4 << 20
"""Bytes of an answer that are read."""


class Balances(Struct, frozen=True, kw_only=True):
    """What an account held before the payment and after it, in atomic units."""

    account: str
    before: int
    after: int


class Exchange(Struct, frozen=True, kw_only=True):
    """A call from start to finish."""

    offer: Any
    """The PaymentRequired of the first answer; None where nothing had to be paid."""
    payment: Any
    """The PaymentPayload that was sent; None where none was."""
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    receipt: Any
    """The SettlementResponse; None where there is none."""
    is_settled: bool | None
    """Whether the chain confirms the receipt's transaction; None where there is no transaction or no node to ask."""
    balances: tuple[Balances, ...]
    """Of payer and recipient; empty where nothing was paid or no node answers."""


class Nodes(Struct, frozen=True, kw_only=True):
    """Where the chains of the sandbox answer."""

    evm_url: str | None = None
    solana_url: str | None = None

    def url_of(self, network: str) -> str | None:
        """Give the node of a network's family."""
        return self.solana_url if network.startswith("solana:") else self.evm_url


class Call(Struct, frozen=True, kw_only=True):
    """What to ask of the resource."""

    url: str
    body: bytes | None = None
    """Sent by POST as JSON; without it the resource is got."""
    headers: tuple[tuple[str, str], ...] = ()


def pay(call: Call, nodes: Nodes, network: str | None = None) -> Exchange:
    """Call a resource, paying what it asks for up to a dollar, with the sandbox's payer, on one network or on any.

    Raises:
        TheirError: `sandbox_not_loopback`, where the address is not this machine's; `sandbox_not_paid`, where the official
            client does not pay the offer; `sandbox_unanswered`, where the resource does not answer in time.
    """
    for url in (call.url, nodes.evm_url, nodes.solana_url):
        if url is not None:
            require_loopback(url)
    return asyncio.run(_exchange(call, nodes, network))


def require_loopback(url: str) -> None:
    """Raise `sandbox_not_loopback` unless every address of the host is this machine's."""
    try:
        parts = urlsplit(url)
        is_ours = parts.scheme in {"http", "https"} and _is_loopback(parts.hostname or "", parts.port or 80)
    except (ValueError, OSError):
        is_ours = False
    if not is_ours:
        raise TheirError("sandbox_not_loopback")


def _is_loopback(host: str, port: int) -> bool:
    # Names are not looked up but for the one that means this machine: a look-up would leave it.
    if host == "localhost":
        found = {each[4][0] for each in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
        return all(ipaddress.ip_address(each).is_loopback for each in found)
    return ipaddress.ip_address(host).is_loopback


async def _exchange(call: Call, nodes: Nodes, network: str | None) -> Exchange:
    import httpx
    from x402.http.clients.httpx import PaymentError, x402AsyncTransport

    seen = _Seen(nodes)
    watched = _watched(httpx.AsyncHTTPTransport(), seen)
    transport = x402AsyncTransport(_client(nodes, network), watched)
    headers = dict(call.headers) | ({} if call.body is None else {"Content-Type": "application/json"})
    try:
        async with (
            asyncio.timeout(EXCHANGE_SECONDS),
            httpx.AsyncClient(transport=transport, trust_env=False, timeout=EXCHANGE_SECONDS) as client,
            client.stream(
                "GET" if call.body is None else "POST", call.url, content=call.body, headers=headers
            ) as answer,
        ):
            body = await _body(answer)
    except PaymentError:
        raise TheirError("sandbox_not_paid") from None
    except (httpx.HTTPError, TimeoutError):
        raise TheirError("sandbox_unanswered") from None
    return await asyncio.to_thread(seen.told, answer, body)


async def _body(answer: Any) -> bytes:  # noqa: ANN401  (not looked into)
    kept = bytearray()
    async for part in answer.aiter_bytes():
        kept += part
        if len(kept) > MAX_ANSWER:
            raise TheirError("sandbox_unanswered")
    return bytes(kept)


def _client(nodes: Nodes, network: str | None) -> Any:  # noqa: ANN401  (not looked into)
    from x402 import x402Client
    from x402.mechanisms.evm.exact import register_exact_evm_client

    client = x402Client()
    if network is None or network.startswith("eip155:"):
        register_exact_evm_client(client, evm_account("payer"), networks=network)
    if nodes.solana_url is not None and (network is None or network.startswith("solana:")):
        from x402.mechanisms.svm import KeypairSigner
        from x402.mechanisms.svm.exact import register_exact_svm_client

        signer = KeypairSigner(solana_keypair("payer"))
        register_exact_svm_client(client, signer, networks=network, rpc_url=nodes.solana_url)
    return client


class _Seen:
    """What went over the wire under the official client."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._before: tuple[tuple[str, int], ...] = ()
        self.offer: Any = None
        self.payment: Any = None

    def paying(self, header: str) -> None:
        """Keep the payment that is about to be sent, and what its parties hold now."""
        self.payment = decoded(header)
        self._before = self._balances()

    def told(self, answer: Any, body: bytes) -> Exchange:  # noqa: ANN401  (not looked into)
        """Put together what came of it."""
        receipt = decoded(answer.headers.get("payment-response"))
        before = self._before
        after = dict(self._balances())
        return Exchange(
            offer=self.offer,
            payment=self.payment,
            status=answer.status_code,
            headers=tuple(answer.headers.items()),
            body=body,
            receipt=receipt,
            is_settled=self._settled(receipt),
            balances=tuple(
                Balances(account=account, before=units, after=after[account])
                for account, units in before
                if account in after
            ),
        )

    def _accepted(self) -> Mapping[str, Any]:
        """Give the offer that was taken; empty where the payment says none."""
        match self.payment:
            case {"accepted": {"network": str(), "asset": str(), "payTo": str()}}:
                return dict(self.payment["accepted"])
            case _:
                return {}

    def _balances(self) -> tuple[tuple[str, int], ...]:
        accepted = self._accepted()
        url = self._nodes.url_of(accepted["network"]) if accepted else None
        if url is None:
            return ()
        ask: Callable[[str], int]
        if accepted["network"].startswith("solana:"):
            payer, ask = str(solana_keypair("payer").pubkey()), lambda owner: solana.balance_of(url, owner)
        else:
            payer = evm_account("payer").address
            ask = lambda owner: chain.balance_of(url, accepted["asset"], owner)  # noqa: E731  (the twin of the line above)
        try:
            return tuple((account, ask(account)) for account in (payer, accepted["payTo"]))
        except (NodeUnreachable, RPCError, ValueError):
            return ()

    def _settled(self, receipt: Any) -> bool | None:  # noqa: ANN401  (any JSON value)
        match receipt:
            case {"transaction": str() as transaction, "network": str() as network} if transaction:
                url = self._nodes.url_of(network)
            case _:
                return None
        try:
            of = solana if network.startswith("solana:") else chain
            return None if url is None else of.is_settled(url, transaction)
        except (NodeUnreachable, RPCError):
            return None


def decoded(header: str | None) -> Any:  # noqa: ANN401  (any JSON value)
    """Read one of x402's headers; None where there is none, or it is not base64 of JSON."""
    if header is None:
        return None
    try:
        return json.loads(base64.b64decode(header, validate=True))
    except ValueError:
        return None


def _watched(inner: Any, seen: _Seen) -> Any:  # noqa: ANN401  (not looked into)
    """Make a transport that looks at what passes: the first offer, and the payment on its way."""
    import httpx

    class Watched(httpx.AsyncBaseTransport):  # type: ignore[misc]  # (not looked into)
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            header = request.headers.get("payment-signature")
            if header is not None:
                await asyncio.to_thread(seen.paying, header)
            answer = await inner.handle_async_request(request)
            if answer.status_code == HTTPStatus.PAYMENT_REQUIRED and header is None:
                await answer.aread()
                seen.offer = decoded(answer.headers.get("payment-required"))
            return answer

        async def aclose(self) -> None:
            await inner.aclose()

    return Watched()
