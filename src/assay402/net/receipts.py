"""Which Transfer of a transaction belongs to which EIP-3009 authorization? Pure: read from the receipt alone.

A token says `AuthorizationUsed` and, as its very next or its very last event, the `Transfer` that the authorization moved.
A transaction may hold any number of either, and a payer may write one that holds more transfers, or more authorizations,
than belong together: so each authorization takes the neighbour that is its own, and where more than one reading would do,
none is believed.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from assay402.core.canon import keccak256_hex
from assay402.core.strictjson import JSON
from assay402.wire.requirements import text

USED: Final = f"0x{keccak256_hex(b'AuthorizationUsed(address,bytes32)')}"
CANCELLED: Final = f"0x{keccak256_hex(b'AuthorizationCanceled(address,bytes32)')}"
TRANSFER: Final = f"0x{keccak256_hex(b'Transfer(address,address,uint256)')}"
_HASH: Final = re.compile(r"0x[0-9a-fA-F]{64}")
_INDEX: Final = re.compile(r"0x[0-9a-fA-F]{1,8}")
_PARTS: Final = 3
"""Topics of either event: what it is, and two values."""


class Move(Struct, frozen=True, kw_only=True):
    """What an authorization is to move, all in lower case."""

    asset: str
    payer: str
    nonce: str
    pay_to: str
    amount: int


class _Event(Struct, frozen=True, kw_only=True):
    """An event of the token itself."""

    index: int
    topics: tuple[str, ...]
    data: str

    def is_a(self, kind: str) -> bool:
        """Tell whether it is of a kind, whole."""
        return len(self.topics) == _PARTS and self.topics[0] == kind


def paying_transfer(receipt: Mapping[str, JSON], transaction: str, move: Move) -> int | None:
    """Give the log index of the Transfer that an authorization made, where it moved exactly what it was to move.

    None where the transaction failed, is another one or shows anything else: another amount, payer or recipient, an order of
    events that can be read in two ways, or logs that are not whole.
    """
    is_whole = receipt.get("status") == "0x1" and _hash(receipt) == transaction
    events = _events(receipt, transaction, move.asset) if is_whole else None
    if events is None:
        return None
    wanted = (USED, word(move.payer), move.nonce)
    used = [place for place, event in enumerate(events) if event.topics == wanted]
    readings = [moved for moved in (_paired(events, 1), _paired(events, -1)) if moved is not None]
    if len(used) != 1 or len(readings) != 1:
        return None
    moved = readings[0][used[0]]
    is_exact = moved.topics == (TRANSFER, word(move.payer), word(move.pay_to)) and (
        _HASH.fullmatch(moved.data) is not None and int(moved.data, 16) == move.amount
    )
    return moved.index if is_exact else None


def is_of(log: JSON, kind: str, move: Move) -> bool:
    """Tell whether a log is the token's own event of an authorization, on the chain as it is now."""
    return (
        isinstance(log, Mapping)
        and _emitter(log) == move.asset
        and _topics(log) == (kind, word(move.payer), move.nonce)
        and not _is_taken_back(log)
    )


def only_transaction(logs: Sequence[JSON] | None, kind: str, move: Move) -> str | None:
    """Give the transaction of the one event of an authorization; None where there is not exactly one."""
    if logs is None or len(logs) != 1 or not isinstance(logs[0], Mapping):
        return None
    return _hash(logs[0]) if is_of(logs[0], kind, move) else None


def word(address: str) -> str:
    """Write an address as 32 bytes."""
    return f"0x{address[2:].lower():0>64}"


def _paired(events: Sequence[_Event], step: int) -> Mapping[int, _Event] | None:
    """Give each authorization its neighbour; None where one has none that moves something of its own payer."""
    pairs: dict[int, _Event] = {}
    for place, event in enumerate(events):
        if not event.is_a(USED):
            continue
        other = place + step
        if not 0 <= other < len(events):
            return None
        moved = events[other]
        if not moved.is_a(TRANSFER) or moved.topics[1] != event.topics[1]:
            return None
        pairs[place] = moved
    return pairs


def _events(receipt: Mapping[str, JSON], transaction: str, asset: str) -> list[_Event] | None:
    """Read the token's own events in their order; None where any log is not whole, was taken back, or is of elsewhere."""
    logs = receipt.get("logs")
    if not isinstance(logs, list):
        return None
    are_numbered = any(isinstance(log, Mapping) and "logIndex" in log for log in logs)
    events: list[_Event] = []
    last = -1
    for place, log in enumerate(logs):
        if not isinstance(log, Mapping):
            return None
        index = _index(log) if are_numbered else place
        if index is None or index <= last or _hash(log) != transaction or _is_taken_back(log):
            return None
        last = index
        if _emitter(log) == asset:
            events.append(_Event(index=index, topics=_topics(log), data=text(log, "data") or ""))
    return events


def _index(log: Mapping[str, JSON]) -> int | None:
    found = text(log, "logIndex")
    return int(found, 16) if found is not None and _INDEX.fullmatch(found) else None


def _is_taken_back(log: Mapping[str, JSON]) -> bool:
    return log.get("removed", False) not in (None, False)


def _hash(of: Mapping[str, JSON]) -> str | None:
    found = text(of, "transactionHash")
    return found.lower() if found is not None and _HASH.fullmatch(found) else None


def _emitter(log: Mapping[str, JSON]) -> str:
    return (text(log, "address") or "").lower()


def _topics(log: Mapping[str, JSON]) -> tuple[str, ...]:
    topics = log.get("topics")
    return tuple(str(topic).lower() for topic in topics) if isinstance(topics, list) else ()
