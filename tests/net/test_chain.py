"""The look-up of an authorization at a node: a yes needs everything, and any doubt is no answer."""

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from assay402.core.canon import keccak256_hex
from assay402.net.chain import BLOCKS, WINDOWS, EVMLookup
from assay402.net.facilitator import operators_fetcher
from assay402.service.ports import NotMoved, Settled, Unknown
from service.facilitator_server import Reply, facilitator_server
from service.world import ALICE, BASE, BOB, PAY_TO, SOLANA

ASSET = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
NONCE = "0x" + "0a" * 32
KEY = f"eip3009 {BASE} {ASSET.lower()} {ALICE} {NONCE}"
REQUIREMENTS = {"scheme": "exact", "network": BASE, "amount": "10000", "asset": ASSET, "payTo": PAY_TO}
HASH = "0x" + "cd" * 32
USED, CANCELLED = "AuthorizationUsed(address,bytes32)", "AuthorizationCanceled(address,bytes32)"
ERROR = Reply(200, b'{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"secret"},"result":"0x"}')
TIME = datetime(2026, 11, 30, 12, tzinfo=UTC)
HEAD = {"number": "0x4e20", "timestamp": hex(int(TIME.timestamp()))}


def word(address: str) -> str:
    return "0x" + "0" * 24 + address[2:].lower()


def topic(signature: str) -> str:
    return "0x" + keccak256_hex(signature.encode())


def used(payer: str = ALICE, nonce: str = NONCE, token: str = ASSET) -> dict[str, Any]:
    return {
        "address": token,
        "topics": [topic("AuthorizationUsed(address,bytes32)"), word(payer), nonce],
        "transactionHash": HASH,
        "data": "0x",
    }


def other(token: str = ASSET) -> dict[str, Any]:
    return {
        **used(token=token),
        "topics": [topic("Approval(address,address,uint256)"), word(ALICE), word(BOB)],
    }


def moved(amount: int = 10_000, to: str = PAY_TO, payer: str = ALICE, token: str = ASSET) -> dict[str, Any]:
    return {
        "address": token,
        "topics": [topic("Transfer(address,address,uint256)"), word(payer), word(to)],
        "transactionHash": HASH,
        "data": f"0x{amount:064x}",
    }


def receipt(*logs: Any, status: str = "0x1", transaction: str = HASH) -> dict[str, Any]:
    numbered = [
        {"logIndex": hex(number), **log} if isinstance(log, dict) else log
        for number, log in enumerate(logs, 7)
    ]
    return {"status": status, "transactionHash": transaction, "logs": numbered}


class Node:
    """A node that answers as it is told, and remembers what it was asked."""

    def __init__(self, **results: Any) -> None:
        self.results = {
            "eth_call": "0x" + "0" * 63 + "1",
            "eth_getBlockByNumber": HEAD,
            "eth_getLogs": [used()],
            "eth_getTransactionReceipt": receipt(used(), moved()),
            **results,
        }
        self.asked: list[dict[str, Any]] = []

    async def answer(self, path: str, body: bytes) -> Reply:
        """Answer a call, whatever the path."""
        assert path
        asked = json.loads(body)
        self.asked.append(asked)
        result = self.results[asked["method"]]
        if callable(result):
            result = result(*asked["params"])
        if isinstance(result, Reply):
            return result
        return Reply(200, json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode())


def found(node: Node, key: str = KEY, requirements: Any = REQUIREMENTS, networks: Any = (BASE,)) -> Any:
    async def told() -> Any:
        async with asyncio.timeout(30), facilitator_server() as server:
            server.answer = node.answer  # type: ignore[method-assign]
            lookup = EVMLookup(
                dict.fromkeys(networks, server.url), fetcher=operators_fetcher(), deadline_ms=2_000
            )
            return await lookup.find(key, requirements)

    return asyncio.run(told())


def test_a_used_authorization_that_paid_us_is_settled_in_its_transaction() -> None:
    node = Node()
    assert found(node) == Settled(
        transaction=HASH, network=BASE, payer=ALICE, amount=10_000, asset=ASSET, log_index=8
    )
    head, state, logs, of_receipt = node.asked
    assert head["params"] == ["latest", False]
    selector = keccak256_hex(b"authorizationState(address,bytes32)")[:8]
    assert state["params"] == [
        {"to": ASSET.lower(), "data": f"0x{selector}{word(ALICE)[2:]}{NONCE[2:]}"}, hex(20_000),
    ]  # fmt: skip
    assert (logs["params"][0]["fromBlock"], logs["params"][0]["toBlock"]) == (
        hex(20_000 - BLOCKS),
        hex(20_000),
    )
    assert of_receipt["params"] == [HASH]


OTHER_NONCE = "0x" + "0b" * 32
PAIRED: dict[str, tuple[list[Any], int]] = {
    "a token that says the transfer first": ([moved(), used()], 7),
    "a batch": ([used(BOB), moved(payer=BOB), used(), moved(), used(nonce=OTHER_NONCE), moved()], 10),
    "a batch of a token that says the transfer first": (
        [moved(payer=BOB), used(BOB), moved(), used(), moved(), used(nonce=OTHER_NONCE)], 9,
    ),
    "within a wrapped call": ([moved(token=BOB), other(token=BOB), used(), moved(), moved(token=BOB)], 10),
    "with logs of another contract between": ([used(), moved(1, token=BOB), moved()], 9),
    "behind an approval": ([other(), used(), moved(), other()], 9),
    "a stranger's transfer of nothing before": ([moved(0, to=BOB), used(), moved()], 9),
    "a stranger's transfers of nothing around": (
        [moved(0, to=BOB), used(), moved(), moved(0), moved(0, to=BOB)], 9,
    ),
    "the same of a token that says the transfer first": (
        [moved(0), moved(), used(), moved(0, to=BOB), moved(0)], 8,
    ),
    "a batch with nothing before it": (
        [moved(0), used(nonce="0x" + "0b" * 32), moved(), used(), moved()], 11,
    ),
    "a batch with nothing behind it of a token that says the transfer first": (
        [moved(), used(nonce="0x" + "0b" * 32), moved(), used(), moved(0, to=BOB)], 9,
    ),
    "a stranger's own authorizations before": (
        [moved(0, payer=BOB), used(BOB), moved(1, payer=BOB), used(BOB, OTHER_NONCE), moved(0, payer=BOB),
         moved(0), used(), moved()], 14,
    ),
    "the payer's other transfer before": ([moved(), used(), moved()], 9),
    "something of the token between": ([used(), other(), moved()], 9),
    "used at the end by another": ([used(), moved(), used(BOB)], 8),
}  # fmt: skip


@pytest.mark.parametrize(("logs", "index"), PAIRED.values(), ids=PAIRED)
def test_an_authorization_has_the_transfer_that_stands_beside_it(logs: list[Any], index: int) -> None:
    got = found(Node(eth_getTransactionReceipt=receipt(*logs)))
    assert isinstance(got, Settled)
    assert got.log_index == index


def block_logs(*logs: Any) -> Any:
    """Answer for the one authorization, and for all events of its payer in its block."""
    numbered = receipt(*logs)["logs"]

    def answer(asked: dict[str, Any]) -> Any:
        if isinstance(asked["topics"][0], str):
            return [{**used(), "blockNumber": "0x4e1f"}]
        assert (asked["address"], asked["fromBlock"], asked["toBlock"]) == (ASSET.lower(), "0x4e1f", "0x4e1f")
        assert asked["topics"] == [[topic(USED), topic("Transfer(address,address,uint256)")], word(ALICE)]
        return numbered

    return answer


ELSEWHERE = {"transactionHash": "0x" + "ef" * 32}


def test_a_receipt_is_not_asked_for_where_the_events_of_the_payer_tell() -> None:
    """Whoever sends the transaction can make its receipt as long as it likes."""
    logs = block_logs({**moved(), **ELSEWHERE}, moved(0, to=BOB), used(), moved(), {**used(), **ELSEWHERE})
    node = Node(eth_getLogs=logs, eth_getTransactionReceipt=None)
    got = found(node)
    assert isinstance(got, Settled)
    assert got.log_index == 10
    assert [asked["method"] for asked in node.asked][2:] == ["eth_getLogs", "eth_getLogs"]


UNTOLD: dict[str, Any] = {
    "nothing": block_logs(),
    "of another transaction": block_logs({**used(), **ELSEWHERE}, {**moved(), **ELSEWHERE}),
    "text": block_logs("x"),
    "not numbered": lambda asked: (
        [{**used(), "blockNumber": "0x4e1f"}] if isinstance(asked["topics"][0], str) else [used(), moved()]
    ),
    "an error": lambda asked: (
        [{**used(), "blockNumber": "0x4e1f"}] if isinstance(asked["topics"][0], str) else ERROR
    ),
    "no block": [{**used(), "blockNumber": "latest"}],
}


@pytest.mark.parametrize("logs", UNTOLD.values(), ids=UNTOLD)
def test_where_the_events_of_the_block_do_not_tell_the_receipt_does(logs: Any) -> None:
    node = Node(eth_getLogs=logs)
    got = found(node)
    assert isinstance(got, Settled)
    assert got.log_index == 8
    assert node.asked[-1]["method"] == "eth_getTransactionReceipt"


def test_where_a_node_numbers_no_logs_their_order_does() -> None:
    got = found(Node(eth_getTransactionReceipt={**receipt(), "logs": [other(), used(), moved()]}))
    assert isinstance(got, Settled)
    assert got.log_index == 2


@pytest.mark.parametrize("takes_first", [False, True])
def test_one_transfer_pays_for_one_authorization(takes_first: bool) -> None:
    """The payer uses four authorizations to pay itself, and pays us once beside them, in one transaction of its own."""
    nonces = [f"0x{number:064x}" for number in range(1, 5)]
    pairs = [(used(nonce=nonce), moved(1, to=ALICE)) for nonce in nonces]
    logs = [log for pair in pairs for log in (reversed(pair) if takes_first else pair)]
    for paid in ([*logs, moved()], [moved(), *logs], [*logs[:2], moved(), *logs[2:]]):
        for nonce in nonces:
            node = Node(eth_getLogs=[used(nonce=nonce)], eth_getTransactionReceipt=receipt(*paid))
            got = found(node, KEY.replace(NONCE, nonce))
            if isinstance(got, Settled):
                # Money that came, once: it stands where a token of the usual order has it.
                assert (takes_first, paid[-1], nonce) == (True, moved(), nonces[-1])
            else:
                assert got == Unknown(retry_after_seconds=10)


def test_an_unused_authorization_did_not_move_as_of_the_block_that_was_looked_at() -> None:
    assert found(Node(eth_call="0x" + "0" * 64)) == NotMoved(as_of=TIME)


def logs_of(*events: tuple[str, int, Any]) -> Any:
    """Answer a question for events as a node does; each is of a topic, in a block."""

    def answer(asked: dict[str, Any]) -> list[Any]:
        first, last = (int(asked[name], 16) for name in ("fromBlock", "toBlock"))
        wanted = asked["topics"][0]
        return [log for event, block, log in events if topic(event) == wanted and first <= block <= last]

    return answer


def cancelled(**changes: Any) -> dict[str, Any]:
    return {**used(), "topics": [topic(CANCELLED), word(ALICE), NONCE], **changes}


def blocks(final: int | None) -> Any:
    """Answer which block is the latest and which is final."""

    def answer(name: str, _full: bool) -> Any:
        number = 20_000 if name == "latest" else final
        return None if number is None else {"number": hex(number), "timestamp": hex(1_800_000_000 + number)}

    return answer


def test_an_authorization_that_was_used_a_night_ago_is_found() -> None:
    """A service that was down for a while finds what settled before."""
    node = Node(
        eth_getBlockByNumber={**HEAD, "number": hex(1_000_000)},
        eth_getLogs=logs_of((USED, 1_000_000 - 5 * BLOCKS, used())),
    )
    assert isinstance(found(node), Settled)


def test_how_far_back_is_looked_has_an_end() -> None:
    node = Node(
        eth_getBlockByNumber={**HEAD, "number": hex(1_000_000)}, eth_getLogs=logs_of((USED, 1, used()))
    )
    assert found(node) == Unknown(retry_after_seconds=10)
    assert [asked["method"] for asked in node.asked].count("eth_getLogs") == 2 * WINDOWS


def test_a_cancellation_in_a_final_block_shows_that_nothing_moved() -> None:
    node = Node(eth_getBlockByNumber=blocks(19_000), eth_getLogs=logs_of((CANCELLED, 18_000, cancelled())))
    assert found(node) == NotMoved(as_of=datetime.fromtimestamp(1_800_019_000, UTC))


CANCELLATIONS: dict[str, dict[str, Any]] = {
    "not final yet": {"eth_getBlockByNumber": blocks(17_999)},
    "nothing is final": {"eth_getBlockByNumber": blocks(None)},
    "two": {"eth_getLogs": logs_of((CANCELLED, 18_000, cancelled()), (CANCELLED, 18_001, cancelled()))},
    "taken back": {"eth_getLogs": logs_of((CANCELLED, 18_000, cancelled(removed=True)))},
    "of another token": {"eth_getLogs": logs_of((CANCELLED, 18_000, cancelled(address=BOB)))},
    "of another nonce": {
        "eth_getLogs": logs_of((CANCELLED, 18_000, cancelled(topics=[topic(CANCELLED), word(ALICE), HASH])))
    },
    "text": {"eth_getLogs": logs_of((CANCELLED, 18_000, "x"))},
    "used as well": {
        "eth_getLogs": logs_of((CANCELLED, 18_000, cancelled()), (USED, 19_500, used())),
        "eth_getTransactionReceipt": receipt(used()),
    },
}


@pytest.mark.parametrize("results", CANCELLATIONS.values(), ids=CANCELLATIONS)
def test_a_cancellation_that_may_not_stand_is_no_answer(results: dict[str, Any]) -> None:
    plain = {
        "eth_getBlockByNumber": blocks(19_000),
        "eth_getLogs": logs_of((CANCELLED, 18_000, cancelled())),
    }
    assert found(Node(**plain | results)) == Unknown(retry_after_seconds=10)


DOUBTS: dict[str, dict[str, Any]] = {
    "state is an error": {"eth_call": ERROR},
    "state is empty": {"eth_call": "0x"},
    "state is no boolean": {"eth_call": "0x" + "0" * 63 + "2"},
    "state is null": {"eth_call": None},
    "node is down": {"eth_call": Reply(500, b"")},
    "node talks html": {"eth_call": Reply(200, b"<html>")},
    "node talks a list": {"eth_call": Reply(200, b"[]")},
    "no block": {"eth_getBlockByNumber": None},
    "block number is text": {"eth_getBlockByNumber": {"number": "latest", "timestamp": "0x1"}},
    "block without a time": {"eth_getBlockByNumber": {"number": "0x1"}},
    "block of a time that never comes": {
        "eth_getBlockByNumber": {"number": "0x1", "timestamp": "0x" + "f" * 16}
    },
    "logs are text": {"eth_getLogs": "x"},
    "logs too many for the node": {"eth_getLogs": ERROR},
    "no log in the window": {"eth_getLogs": []},
    "two logs": {"eth_getLogs": [used(), used()]},
    "log is text": {"eth_getLogs": ["x"]},
    "log without a transaction": {"eth_getLogs": [{**used(), "transactionHash": None}]},
    "log of a transfer": {"eth_getLogs": [moved()]},
    "log of another payer": {"eth_getLogs": [used(BOB)]},
    "log that was taken back": {"eth_getLogs": [{**used(), "removed": True}]},
    "no receipt": {"eth_getTransactionReceipt": None},
    "receipt of another transaction": {
        "eth_getTransactionReceipt": receipt(used(), moved(), transaction="0x" + "ef" * 32)
    },
    "reverted": {"eth_getTransactionReceipt": receipt(used(), moved(), status="0x0")},
    "logs of the receipt missing": {"eth_getTransactionReceipt": {"status": "0x1", "transactionHash": HASH}},
    "paid less": {"eth_getTransactionReceipt": receipt(used(), moved(9_999))},
    "paid another": {"eth_getTransactionReceipt": receipt(used(), moved(to=BOB))},
    "paid by another": {"eth_getTransactionReceipt": receipt(used(), moved(payer=BOB))},
    "paid in another token": {"eth_getTransactionReceipt": receipt(used(), moved(token=BOB))},
    "used in another token": {"eth_getTransactionReceipt": receipt(used(token=BOB), moved())},
    "another nonce": {"eth_getTransactionReceipt": receipt(used(nonce="0x" + "0b" * 32), moved())},
    "odd logs": {
        "eth_getTransactionReceipt": receipt("x", {"address": ASSET, "topics": "x"}, {"address": 1}, used())
    },
    "paid more": {"eth_getTransactionReceipt": receipt(used(), moved(10_001))},
    "paid itself, and us beside it": {
        "eth_getTransactionReceipt": receipt(used(), moved(1, to=ALICE), moved())
    },
    "paid itself, and us before it": {
        "eth_getTransactionReceipt": receipt(moved(), used(), moved(1, to=ALICE))
    },
    "moved nothing, and us beside it": {"eth_getTransactionReceipt": receipt(used(), moved(0), moved())},
    "a transfer that is not whole": {
        "eth_getTransactionReceipt": receipt(used(), {**moved(), "topics": moved()["topics"][:2]})
    },
    "nested": {"eth_getTransactionReceipt": receipt(used(), used(nonce="0x" + "0b" * 32), moved(), moved(1))},
    "used alone": {"eth_getTransactionReceipt": receipt(used())},
    "used twice": {"eth_getTransactionReceipt": receipt(used(), moved(), used(), moved())},
    "logs out of order": {
        "eth_getTransactionReceipt": receipt({**used(), "logIndex": "0x9"}, {**moved(), "logIndex": "0x8"})
    },
    "a log whose number is none": {"eth_getTransactionReceipt": receipt({**used(), "logIndex": 1}, moved())},
    "a log without a number beside one": {
        "eth_getTransactionReceipt": {**receipt(), "logs": [used(), {**moved(), "logIndex": "0x1"}]}
    },
    "a log of another transaction": {
        "eth_getTransactionReceipt": receipt(used(), {**moved(), "transactionHash": "0x" + "ef" * 32})
    },
    "a log that was taken back": {"eth_getTransactionReceipt": receipt(used(), {**moved(), "removed": True})},
    "a log that is oddly taken back": {
        "eth_getTransactionReceipt": receipt(used(), {**moved(), "removed": []})
    },
    "a name twice": {
        "eth_getTransactionReceipt": Reply(
            200, b'{"result":' + json.dumps(receipt(used(), moved())).encode()[:-1] + b',"status":"0x1"}}'
        )
    },
    "odd amount": {"eth_getTransactionReceipt": receipt(used(), {**moved(), "data": "0x"})},
}


@pytest.mark.parametrize("results", DOUBTS.values(), ids=DOUBTS)
def test_any_doubt_is_no_answer(results: dict[str, Any]) -> None:
    assert found(Node(**results)) == Unknown(retry_after_seconds=10)


@pytest.mark.parametrize(
    ("key", "requirements"),
    [
        ("permit2 eip155:8453 0x0 0x1 7", REQUIREMENTS),
        ("solana solana:x message ab", REQUIREMENTS),
        (KEY.replace(BASE, "eip155:1"), REQUIREMENTS),
        (KEY, {**REQUIREMENTS, "payTo": None}),
        (KEY, {**REQUIREMENTS, "amount": 10_000}),
    ],
)
def test_what_cannot_be_looked_up_is_not_asked(key: str, requirements: Any) -> None:
    node = Node()
    assert found(node, key, requirements) == Unknown(retry_after_seconds=10)
    assert node.asked == []


def test_a_node_that_is_not_there_is_no_answer() -> None:
    async def told() -> Any:
        async with facilitator_server() as server:
            url = server.url
        lookup = EVMLookup({BASE: url}, fetcher=operators_fetcher(), deadline_ms=2_000)
        return await lookup.find(KEY, REQUIREMENTS)

    assert asyncio.run(told()) == Unknown(retry_after_seconds=10)


SIGNATURE = "5" * 87


def fee(node: Node, network: str, named: str = SOLANA) -> int | None:
    async def told() -> int | None:
        async with asyncio.timeout(30), facilitator_server() as server:
            server.answer = node.answer  # type: ignore[method-assign]
            lookup = EVMLookup({named: server.url}, fetcher=operators_fetcher())
            return await lookup.fee(network, SIGNATURE)

    return asyncio.run(told())


def test_a_node_of_solana_tells_the_fee_of_a_transaction() -> None:
    node = Node(getTransaction={"meta": {"fee": 5_000, "err": None}, "slot": 1})
    assert fee(node, SOLANA) == 5_000
    ((signature, how),) = [each["params"] for each in node.asked]
    assert (signature, how["commitment"], how["maxSupportedTransactionVersion"]) == (
        SIGNATURE,
        "confirmed",
        0,
    )


@pytest.mark.parametrize(
    "said",
    [
        None, "x", {}, {"meta": None}, {"meta": {}}, {"meta": {"fee": "5000"}}, {"meta": {"fee": -1}},
        {"meta": {"fee": 2**63}}, {"meta": {"fee": 0.5}}, {"meta": {"fee": True}}, Reply(500, b"x"), ERROR,
    ],
)  # fmt: skip
def test_a_fee_that_cannot_be_told_is_none(said: Any) -> None:
    assert fee(Node(getTransaction=said), SOLANA) is None


def test_no_fee_is_asked_for_elsewhere() -> None:
    node = Node()
    assert fee(node, BASE, named=BASE) is None
    assert fee(node, SOLANA, named=BASE) is None
    assert node.asked == []


def test_a_look_up_says_which_authorizations_it_can_look_up() -> None:
    lookup = EVMLookup(
        {BASE: "http://127.0.0.1:1", SOLANA: "http://127.0.0.1:1"}, fetcher=operators_fetcher()
    )
    assert lookup.can_find(KEY)
    assert not lookup.can_find(KEY.replace(BASE, "eip155:1"))
    assert not lookup.can_find(KEY.replace("eip3009", "permit2"))
    assert not lookup.can_find(f"solana {SOLANA} message ab")
