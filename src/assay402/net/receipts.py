"""Which Transfer of a transaction belongs to which EIP-3009 authorization? Pure: read from the logs alone.

A token says `AuthorizationUsed` and, as its very next or its very last event, the `Transfer` that the authorization moved.
Only events of the payer count: a stranger can put any number of others around them, but of the payer's no more than the
payer signed, and transfers of nothing, which anybody can make in anybody's name. The order that pairs fewest authorizations
of the payer with a transfer of nothing is the token's; of two that are alike, the usual one. Each authorization has a
transfer of its own in either order.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from assay402.core.canon import keccak256_hex
from assay402.core.strictjson import JSON
from assay402.service.transactions import is_hash
from assay402.wire.requirements import text

USED: Final = f"0x{keccak256_hex(b'AuthorizationUsed(address,bytes32)')}"
CANCELLED: Final = f"0x{keccak256_hex(b'AuthorizationCanceled(address,bytes32)')}"
TRANSFER: Final = f"0x{keccak256_hex(b'Transfer(address,address,uint256)')}"
_INDEX: Final = re.compile(r"0x[0-9a-fA-F]{1,8}")
_TOPICS: Final = 3
"""Of either event: what it is, and two values."""


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

    @property
    def units(self) -> int | None:
        """What a transfer moved; None where it says nothing that can be read."""
        return int(self.data, 16) if is_hash(self.data) else None

    def is_a(self, kind: str) -> bool:
        """Tell whether it is of a kind, whole."""
        return len(self.topics) == _TOPICS and self.topics[0] == kind


def paying_transfer(receipt: Mapping[str, JSON], transaction: str, move: Move) -> int | None:
    """Give the log index of the Transfer that an authorization made, where it moved exactly what it was to move.

    None where the transaction failed, is another one or shows anything else: another amount, payer or recipient, or logs
    that are not whole.
    """
    logs = receipt.get("logs")
    is_whole = receipt.get("status") == "0x1" and _hash(receipt) == transaction and isinstance(logs, list)
    return _paying(logs, transaction, move) if is_whole and isinstance(logs, list) else None


def paying_log(logs: Sequence[JSON], transaction: str, move: Move) -> int | None:
    """Give the same from logs of a block, as asked for by `topics_of`. A log is there only of what succeeded."""
    of_it = [log for log in logs if isinstance(log, Mapping) and _hash(log) == transaction]
    is_numbered = all("logIndex" in log for log in of_it)
    return _paying(of_it, transaction, move) if is_numbered else None


def topics_of(payer: str) -> list[JSON]:
    """Give what to ask a node for: the events of a payer that matter here, and no others."""
    return [[USED, TRANSFER], word(payer)]


def _paying(logs: Sequence[JSON], transaction: str, move: Move) -> int | None:
    events = _events(logs, transaction, move)
    used = [
        place for place, event in enumerate(events) if event.topics[2:] == (move.nonce,) and event.is_a(USED)
    ]
    readings = [pairs for pairs in (_paired(events, 1), _paired(events, -1)) if pairs is not None]
    if len(used) != 1 or not readings:
        return None
    # Of two that are alike the first, which is the usual order.
    moved = min(readings, key=_idle)[used[0]]
    is_exact = moved.topics[2] == word(move.pay_to) and moved.units == move.amount
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


def _idle(pairs: Mapping[int, _Event]) -> int:
    """Count the authorizations that have a transfer of nothing."""
    return sum(moved.units == 0 for moved in pairs.values())


def _paired(events: Sequence[_Event], step: int) -> Mapping[int, _Event] | None:
    """Give each authorization its neighbour; None where one has none that is a transfer."""
    pairs: dict[int, _Event] = {}
    for place, event in enumerate(events):
        if not event.is_a(USED):
            continue
        other = place + step
        if not 0 <= other < len(events) or not events[other].is_a(TRANSFER):
            return None
        pairs[place] = events[other]
    return pairs


def _events(logs: Sequence[JSON], transaction: str, move: Move) -> list[_Event]:
    """Read the payer's events of the token in their order; none where any log is not whole, was taken back, or is of elsewhere."""
    are_numbered = any(isinstance(log, Mapping) and "logIndex" in log for log in logs)
    payer = word(move.payer)
    events: list[_Event] = []
    last = -1
    for place, log in enumerate(logs):
        if not isinstance(log, Mapping):
            return []
        index = _index(log) if are_numbered else place
        if index is None or index <= last or _hash(log) != transaction or _is_taken_back(log):
            return []
        last = index
        topics = _topics(log)
        is_told = topics[:1] in {(USED,), (TRANSFER,)} and topics[1:2] == (payer,)
        if is_told and _emitter(log) == move.asset:
            events.append(_Event(index=index, topics=topics, data=text(log, "data") or ""))
    return events


def _index(log: Mapping[str, JSON]) -> int | None:
    found = text(log, "logIndex")
    return int(found, 16) if found is not None and _INDEX.fullmatch(found) else None


def _is_taken_back(log: Mapping[str, JSON]) -> bool:
    return log.get("removed", False) not in (None, False)


def _hash(of: Mapping[str, JSON]) -> str | None:
    found = text(of, "transactionHash")
    return found.lower() if found is not None and is_hash(found) else None


def _emitter(log: Mapping[str, JSON]) -> str:
    return (text(log, "address") or "").lower()


def _topics(log: Mapping[str, JSON]) -> tuple[str, ...]:
    topics = log.get("topics")
    return tuple(str(topic).lower() for topic in topics) if isinstance(topics, list) else ()
