"""A facilitator over HTTP on a loopback port, with a token of its own: what it moved can be counted."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any

FEE_PAYER = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
CARELESS_TEXT = "psql: no such role facilitator at 10.0.0.7"
"""What a careless facilitator says of itself; it must not come through."""


class Reply:
    """What is answered instead of the truth."""

    def __init__(self, status: int, body: bytes, *headers: tuple[str, str]) -> None:
        self.status, self.body, self.headers = status, body, headers


def said(status: int = 200, *headers: tuple[str, str], **members: Any) -> Reply:
    return Reply(status, json.dumps(members).encode(), *headers)


class FacilitatorServer:
    """Verifies and settles as the official ones do: a nonce moves once, a second time it is refused.

    `verify_says`, `settle_says` and `supported_says` may answer in its place; with `moves_anyway` the money moves
    before a settlement is answered otherwise. `hold` is awaited before a settlement is answered.
    """

    def __init__(self) -> None:
        self.url = ""
        self.networks: dict[str, dict[str, str]] = {}
        self.moved: dict[str, tuple[str, str, int, str]] = {}
        self.calls: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[str] = []
        self.verify_says: Callable[[int], Reply | None] = lambda _call: None
        self.settle_says: Callable[[int], Reply | None] = lambda _call: None
        self.supported_says: Callable[[], Reply | None] = lambda: None
        self.moves_anyway = False
        self.hold: asyncio.Event | None = None
        self.entered = asyncio.Event()
        self.is_down = False

    def count(self, call: str) -> int:
        """Count the calls of a kind."""
        return self.calls.count(call)

    async def answer(self, path: str, body: bytes) -> Reply:
        """Answer a request."""
        call = path.rpartition("/")[2]
        self.calls.append(call)
        if call == "supported":
            return self.supported_says() or said(kinds=self._kinds(), extensions=[], signers={})
        sent = json.loads(body)
        self.bodies.append(sent)
        if call == "verify":
            return self.verify_says(self.count(call)) or self._verified(sent)
        instead = self.settle_says(self.count(call))
        reply = self._settled(sent) if instead is None or self.moves_anyway else None
        self.entered.set()
        if self.hold is not None:
            await self.hold.wait()
        return instead or reply or said(success=False, errorReason="unexpected_settle_error")

    def _kinds(self) -> list[dict[str, Any]]:
        return [
            {"x402Version": 2, "scheme": "exact", "network": network, "extra": extra}
            for network, extra in self.networks.items()
        ]

    def _verified(self, sent: dict[str, Any]) -> Reply:
        payer, nonce, _ = parts(sent)
        if nonce in self.moved:
            return said(isValid=False, invalidReason="invalid_exact_evm_nonce_already_used", payer=payer)
        return said(isValid=True, payer=payer)

    def _settled(self, sent: dict[str, Any]) -> Reply:
        payer, nonce, pay_to = parts(sent)
        network = sent["paymentRequirements"]["network"]
        if nonce in self.moved:
            return said(
                success=False,
                errorReason="invalid_exact_evm_nonce_already_used",
                transaction="",
                network=network,
            )
        transaction = named(nonce, network)
        self.moved[nonce] = (payer, pay_to, int(sent["paymentRequirements"]["amount"]), transaction)
        return said(success=True, transaction=transaction, network=network, payer=payer)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            self.headers.append(head)
            length = next(
                (
                    int(line.partition(":")[2])
                    for line in head.split("\r\n")
                    if line.lower().startswith("content-length")
                ),
                0,
            )
            body = await reader.readexactly(length)
            reply = await self.answer(head.split(" ")[1], body)
            if not self.is_down:
                more = "".join(f"{name}: {value}\r\n" for name, value in reply.headers)
                writer.write(
                    f"HTTP/1.1 {reply.status} X\r\nContent-Length: {len(reply.body)}\r\n{more}\r\n".encode()
                    + reply.body
                )
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


def named(nonce: str, network: str) -> str:
    """Name the transaction that moves a nonce: its own, in hexadecimal, or as base58 of 64 bytes."""
    digest = sha256(nonce.encode()).hexdigest()
    if not network.startswith("solana:"):
        return f"0x{digest}"
    return "5" * 79 + digest[:8].translate(str.maketrans("0123456789abcdef", "123456789abcdefg"))


def parts(sent: dict[str, Any]) -> tuple[str, str, str]:
    payload = sent["paymentPayload"]["payload"]
    if "transaction" in payload:
        return "4Nd1mYQhWmWfYzYkY3mC1Jq8CkCSk9bKoQm3oT8r6zQv", payload["transaction"], ""
    authorization = payload["authorization"]
    return authorization["from"], authorization["nonce"].lower(), authorization["to"]


@asynccontextmanager
async def facilitator_server(*networks: str) -> AsyncIterator[FacilitatorServer]:
    server = FacilitatorServer()
    server.networks = {
        network: {"feePayer": FEE_PAYER} if network.startswith("solana:") else {} for network in networks
    }
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listening.close()
        if server.hold is not None:
            server.hold.set()
        await listening.wait_closed()
