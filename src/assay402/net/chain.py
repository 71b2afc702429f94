"""The ChainLookup port over JSON-RPC. For EIP-3009: was an authorization used, and did it pay whom it had to pay?

A yes needs three things of one transaction: the token's AuthorizationUsed event with payer and nonce, the Transfer that
belongs to that very authorization (`net.receipts`) with exactly its amount, payer and recipient, and success. A no is dated by the
block that shows it: the authorization is unused there, or its payer cancelled it in a block that is final. Whatever is
missing, late or odd is no answer.
Of Solana it tells what a transaction cost, and nothing else: its name is not known before it was sent.
"""

import asyncio
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from assay402.core.asks import Failed, Fetch, Limits
from assay402.core.canon import keccak256_hex
from assay402.core.strictjson import JSON, integer, write
from assay402.net.facilitator import Fetching
from assay402.net.receipts import (
    CANCELLED,
    USED,
    Move,
    is_of,
    only_transaction,
    paying_log,
    paying_transfer,
    topics_of,
    word,
)
from assay402.net.verdicts import read_object
from assay402.service.ports import NotMoved, Settled, Unknown
from assay402.service.timing import FEE_SECONDS, LOOK_SECONDS
from assay402.service.transactions import is_hash
from assay402.wire.requirements import mapping, text
from assay402.wire.validity import is_amount

BLOCKS: Final = 9_000
"""Blocks whose events are asked for at once: many nodes refuse more."""
WINDOWS: Final = 24
"""How often further back: days on a chain of two seconds, as a service may be down for a night or two."""
LOG_BYTES: Final = 4_194_304
"""Of the events of one payer in one block, about 5,000: anybody can add transfers of nothing, at a price."""
_LATEST_TIME: Final = int(datetime(9999, 1, 1, tzinfo=UTC).timestamp())
_HEX: Final = re.compile(r"0x[0-9a-fA-F]{1,64}")
_FEE_MS: Final = FEE_SECONDS * 1_000
"""A fee is nice to know; a payer waits for it, and a settlement for being written."""
_MAX_LAMPORTS: Final = 2**63 - 1
_KEY_PARTS: Final = 5
"""Kind, network, token, payer, nonce."""


class _Wanted(Move, frozen=True, kw_only=True):
    """What is looked for, and where."""

    url: str
    network: str
    asset_as_written: str


class _Block(Struct, frozen=True, kw_only=True):
    """A block of the chain."""

    number: int
    time: datetime


class EVMLookup:
    """Looks EIP-3009 authorizations up at the operator's own nodes, one for each network.

    `fetcher` is made for addresses of the settings. The state as of the latest block decides `NotMoved`, which bears
    that block's time: whoever acts on it waits until the authorization has run out by the chain's own clock.
    """

    def __init__(
        self,
        nodes: Mapping[str, str],
        *,
        fetcher: Fetching,
        deadline_ms: int = 5_000,
        retry_after_seconds: int = 10,
    ) -> None:
        self._nodes: Final = nodes
        self._fetcher: Final = fetcher
        self._limits: Final = Limits(deadline_ms=deadline_ms, body_bytes=1_048_576, wire_bytes=2_097_152)
        self._log_limits: Final = Limits(
            deadline_ms=deadline_ms, body_bytes=LOG_BYTES, wire_bytes=2 * LOG_BYTES
        )
        self._fee_limits: Final = Limits(
            deadline_ms=min(deadline_ms, _FEE_MS), body_bytes=1_048_576, wire_bytes=2_097_152
        )
        self._unknown: Final = Unknown(retry_after_seconds=retry_after_seconds)

    def can_find(self, key: str) -> bool:
        """Tell whether a node is named for the network of an EIP-3009 key."""
        parts = key.split(" ")
        return len(parts) == _KEY_PARTS and parts[0] == "eip3009" and parts[1] in self._nodes

    async def fee(self, network: str, transaction: str) -> int | None:
        """Give the fee of a Solana transaction, of which only a node can tell; None where it cannot be told at once."""
        url = self._nodes.get(network)
        if url is None or not network.startswith("solana:"):
            return None
        how: dict[str, JSON] = {
            "commitment": "confirmed",
            "encoding": "json",
            "maxSupportedTransactionVersion": 0,
        }
        found = await self._call(url, "getTransaction", transaction, how, limits=self._fee_limits)
        paid = integer((mapping(found, "meta") or {}).get("fee")) if isinstance(found, Mapping) else None
        return paid if paid is not None and 0 <= paid <= _MAX_LAMPORTS else None

    async def find(self, key: str, requirements: Mapping[str, JSON]) -> Settled | NotMoved | Unknown:
        """Tell whether the authorization of a key moved the amount to the recipient, and in which transaction."""
        wanted = self._wanted(key, requirements)
        if wanted is None:
            return self._unknown
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                return await self._found(wanted)
        except TimeoutError:
            return self._unknown

    async def _found(self, wanted: _Wanted) -> Settled | NotMoved | Unknown:
        head = await self._block(wanted, "latest")
        if head is None:
            return self._unknown
        # The state of that very block: of two nodes behind one address, one may be behind the other.
        state = await self._call(wanted.url, "eth_call", _state_call(wanted), hex(head.number))
        if not isinstance(state, str) or not is_hash(state) or int(state, 16) > 1:
            return self._unknown
        if int(state, 16) == 0:
            return NotMoved(as_of=head.time)
        logs = await self._logs(wanted, USED, head)
        if logs == ():
            return await self._cancelled(wanted)
        transaction = only_transaction(logs, USED, wanted)
        if transaction is None:
            return self._unknown
        index = await self._place(wanted, transaction, logs)
        if index is None:
            return self._unknown
        return Settled(
            transaction=transaction,
            network=wanted.network,
            payer=wanted.payer,
            amount=wanted.amount,
            asset=wanted.asset_as_written,
            log_index=index,
        )

    async def _place(self, wanted: _Wanted, transaction: str, used: tuple[JSON, ...] | None) -> int | None:
        """Find the transfer of an authorization among its payer's events of the block, or else in the whole receipt.

        Whoever sends a transaction can make its receipt longer than is read: what is asked for is the payer's alone.
        """
        block = text(used[0], "blockNumber") if used and isinstance(used[0], Mapping) else None
        if block is not None and _HEX.fullmatch(block):
            asked: dict[str, JSON] = {
                "address": wanted.asset,
                "fromBlock": block,
                "toBlock": block,
                "topics": topics_of(wanted.payer),
            }
            logs = await self._call(wanted.url, "eth_getLogs", asked, limits=self._log_limits)
            place = paying_log(logs, transaction, wanted) if isinstance(logs, list) else None
            if place is not None:
                return place
        receipt = await self._call(wanted.url, "eth_getTransactionReceipt", transaction)
        return paying_transfer(receipt, transaction, wanted) if isinstance(receipt, Mapping) else None

    def _wanted(self, key: str, requirements: Mapping[str, JSON]) -> _Wanted | None:
        parts = key.split(" ")
        pay_to, amount = text(requirements, "payTo"), requirements.get("amount")
        if len(parts) != _KEY_PARTS or parts[0] != "eip3009" or pay_to is None or not is_amount(amount):
            return None
        _, network, asset, payer, nonce = parts
        url = self._nodes.get(network)
        if url is None:
            return None
        return _Wanted(
            url=url,
            network=network,
            asset=asset,
            asset_as_written=text(requirements, "asset") or asset,
            payer=payer,
            nonce=nonce,
            pay_to=pay_to.lower(),
            amount=int(str(amount)),
        )

    async def _cancelled(self, wanted: _Wanted) -> NotMoved | Unknown:
        """Tell whether the payer cancelled an authorization, in a block that no reorganisation takes back.

        Until then the transfer could still take the place of the cancellation.
        """
        final = await self._block(wanted, "finalized")
        logs = None if final is None else await self._logs(wanted, CANCELLED, final)
        if final is None or not logs or len(logs) > 1 or not is_of(logs[0], CANCELLED, wanted):
            return self._unknown
        return NotMoved(as_of=final.time)

    async def _logs(self, wanted: _Wanted, kind: str, last: _Block) -> tuple[JSON, ...] | None:
        """Give the events of an authorization up to a block, those of the newest window that has any; None: no answer."""
        to = last.number
        for _ in range(WINDOWS):
            window: dict[str, JSON] = {
                "address": wanted.asset,
                "fromBlock": hex(max(to - BLOCKS, 0)),
                "toBlock": hex(to),
                "topics": [kind, word(wanted.payer), wanted.nonce],
            }
            logs = await self._call(wanted.url, "eth_getLogs", window)
            if not isinstance(logs, list):
                return None
            to -= BLOCKS + 1
            if logs or to < 0:
                return tuple(logs)
        return ()

    async def _block(self, wanted: _Wanted, name: str) -> _Block | None:
        block = await self._call(wanted.url, "eth_getBlockByNumber", name, False)
        if not isinstance(block, Mapping):
            return None
        number, time = (text(block, member) or "" for member in ("number", "timestamp"))
        if not _HEX.fullmatch(number) or not _HEX.fullmatch(time) or int(time, 16) > _LATEST_TIME:
            return None
        return _Block(number=int(number, 16), time=datetime.fromtimestamp(int(time, 16), UTC))

    async def _call(self, url: str, method: str, *parameters: JSON, limits: Limits | None = None) -> JSON:
        """Call a node; None for an error, and for anything that is no answer."""
        body = write({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(parameters)})
        ask = Fetch(
            url=url,
            method="POST",
            headers=(("Content-Type", "application/json"),),
            body=body,
            limits=limits or self._limits,
        )
        got = await self._fetcher(ask)
        if isinstance(got, Failed):
            return None
        answer = read_object(got.body)
        return None if answer is None or "error" in answer else answer.get("result")


def _state_call(wanted: _Wanted) -> Mapping[str, JSON]:
    selector = keccak256_hex(b"authorizationState(address,bytes32)")[:8]
    return {"to": wanted.asset, "data": f"0x{selector}{word(wanted.payer)[2:]}{wanted.nonce[2:]}"}
