"""The chains of the sandbox themselves: the token speaks as Circle's does, and both nodes answer alike."""

import asyncio
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay402.net.chain import EVMLookup
from assay402.net.facilitator import operators_fetcher
from assay402.sandbox.accounts import evm_account
from assay402.sandbox.jsonrpc import RPCError
from assay402.service.ports import NotMoved, Settled, Unknown
from interop.payments import TYPES, signed_payment

NODES = [(node, network) for node in ("python", "anvil") for network in ("base-sepolia", "base")]
WORD = 32


@pytest.fixture(scope="module", params=NODES, ids="-".join)
def start_chain(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Run a chain of each kind; anvil comes with the packages of node."""
    from assay402.sandbox.chain import NETWORKS, Chain

    node, network = request.param
    before = set(threading.enumerate())
    with pytest.MonkeyPatch.context() as environment:
        if node == "anvil":
            installed: Path = request.getfixturevalue("node_packages") / "node_modules" / "@foundry-rs"
            programs = [str(each.parent) for each in installed.glob("anvil-*/bin/anvil*")]
            environment.setenv("PATH", os.pathsep.join([*programs, os.environ["PATH"]]))
        running = Chain(NETWORKS[network], node)
    yield running
    running.close()
    assert set(threading.enumerate()) == before


def test_the_token_has_the_domain_of_the_networks_usdc(start_chain: Any) -> None:
    from eth_account.messages import encode_typed_data
    from x402.mechanisms.evm.default_assets import DEFAULT_ASSETS

    chain = start_chain
    official = DEFAULT_ASSETS[chain.network.id][0]
    assert [official[name] for name in ("asset", "name", "version", "decimals")] == [
        chain.network.usdc,
        chain.network.domain_name,
        "2",
        6,
    ]
    domain = {
        "name": chain.network.domain_name,
        "version": "2",
        "chainId": chain.network.chain_id,
        "verifyingContract": chain.network.usdc,
    }
    message = {
        "from": chain.network.usdc,
        "to": chain.network.usdc,
        "value": 0,
        "validAfter": 0,
        "validBefore": 0,
    }
    signable = encode_typed_data(domain, TYPES, message | {"nonce": b"\0" * WORD})
    assert view(chain, "DOMAIN_SEPARATOR()") == "0x" + bytes(signable.header).hex()
    assert int(view(chain, "decimals()"), 16) == 6
    assert chain.network.domain_name.encode() in bytes.fromhex(view(chain, "name()")[2:])


def test_views_may_be_asked_by_anybody(start_chain: Any) -> None:
    stranger = {"from": "0x" + "77" * 20, "to": start_chain.network.usdc, "data": selector("totalSupply()")}
    assert int(start_chain.call("eth_call", stranger, "latest"), 16) == 1_000_000_000
    assert start_chain.balance("0x" + "77" * 20) == 0


Change = Callable[[dict[str, Any], int], None]
REFUSALS: dict[str, Change] = {
    "authorization is expired": lambda told, now: told.update(validBefore=str(now - 60)),
    "authorization is not yet valid": lambda told, now: told.update(validAfter=str(now + 60)),
    "transfer amount exceeds balance": lambda told, _now: told.update(value="1000000001"),
    "transfer to the zero address": lambda told, _now: told.update(to="0x" + "00" * 20),
}


@pytest.mark.parametrize("words", REFUSALS)
def test_the_token_refuses_in_circles_words(start_chain: Any, words: str) -> None:
    """Facilitators tell failures apart by them."""
    now, changes = int(time.time()), dict[str, Any]()
    REFUSALS[words](changes, now)
    valid_before = int(changes.pop("validBefore", now + 60))
    call = {"to": start_chain.network.usdc, "data": transfer(start_chain, valid_before, changes)}
    with pytest.raises(RPCError, match=words) as refused:
        start_chain.call("eth_call", call, "latest")
    assert refused.value.code == 3
    assert refused.value.message.startswith("execution reverted")
    assert str(refused.value.data).startswith("0x08c379a0")


def test_a_transfer_happens_once_and_leaves_its_logs(start_chain: Any) -> None:
    from eth_utils import keccak

    from assay402.sandbox.accounts import evm_account

    chain, payer = start_chain, evm_account("payer").address
    nonce = "0x" + "cd" * WORD
    data = transfer(chain, int(time.time()) + 60, {"nonce": nonce, "value": "5"})
    before = chain.balance(payer)
    assert not chain.is_used(payer, nonce)
    chain._send(data)
    assert chain.is_used(payer, nonce)
    assert chain.balance(payer) == before - 5
    with pytest.raises(RPCError, match="authorization is used or canceled"):
        chain.call("eth_call", {"to": chain.network.usdc, "data": data}, "latest")
    topic = "0x" + keccak(text="AuthorizationUsed(address,bytes32)").hex()
    wanted = {"fromBlock": "0x0", "toBlock": "latest", "address": chain.network.usdc}
    (used,) = chain.call("eth_getLogs", wanted | {"topics": [topic, None, nonce]})
    receipt = chain.call("eth_getTransactionReceipt", used["transactionHash"])
    assert receipt["status"] == "0x1"
    assert [log["topics"][0] for log in receipt["logs"]] == [
        topic,
        "0x" + keccak(text="Transfer(address,address,uint256)").hex(),
    ]
    assert int(receipt["logs"][1]["data"], 16) == 5
    block = chain.call("eth_getBlockByHash", receipt["blockHash"], False)
    assert receipt["transactionHash"] in block["transactions"]
    assert (
        chain.call("eth_getTransactionByHash", receipt["transactionHash"])["hash"] == used["transactionHash"]
    )


def test_what_became_of_an_authorization_is_read_from_its_chain(start_chain: Any) -> None:
    """Unused, used and cancelled: the node of an operator tells them apart."""
    chain = start_chain
    used, gone = ("0x" + digit * 2 * WORD for digit in "89")
    assert isinstance(looked_up(chain, used), NotMoved)
    before = looked_up(chain, gone)
    assert isinstance(before, NotMoved)
    valid_before = int(time.time()) + 60
    chain._send(transfer(chain, valid_before, {"nonce": used}))
    settled = looked_up(chain, used)
    assert isinstance(settled, Settled)
    assert chain.is_settled(settled.transaction)
    chain._send(cancellation(chain, gone))
    assert chain.is_used(evm_account("payer").address, gone)
    data = transfer(chain, valid_before, {"nonce": gone})
    with pytest.raises(RPCError, match="authorization is used or canceled"):
        chain.call("eth_call", {"to": chain.network.usdc, "data": data}, "latest")
    if chain.kind == "anvil":
        # There a block is final when enough others stand on it.
        chain.call("anvil_mine", hex(200))
    after = looked_up(chain, gone)
    assert isinstance(after, NotMoved)
    assert after.as_of >= before.as_of


def looked_up(chain: Any, nonce: str) -> Settled | NotMoved | Unknown:
    """Look an authorization of the payer for the recipient up, as the service does."""
    payer, token = evm_account("payer").address.lower(), chain.network.usdc
    key = f"eip3009 {chain.network.id} {token.lower()} {payer} {nonce}"
    wanted = {"amount": "1", "asset": token, "payTo": evm_account("recipient").address}
    lookup = EVMLookup({chain.network.id: chain.url}, fetcher=operators_fetcher())
    return asyncio.run(lookup.find(key, wanted))


def cancellation(chain: Any, nonce: str) -> str:
    """Write the call with which the payer cancels an authorization."""
    from eth_account.messages import encode_typed_data

    from assay402.sandbox.chain import call_data

    payer = evm_account("payer")
    domain = {
        "name": chain.network.domain_name,
        "version": "2",
        "chainId": chain.network.chain_id,
        "verifyingContract": chain.network.usdc,
    }
    types = {
        "CancelAuthorization": [
            {"name": "authorizer", "type": "address"},
            {"name": "nonce", "type": "bytes32"},
        ]
    }
    message = {"authorizer": payer.address, "nonce": bytes.fromhex(nonce[2:])}
    signed = payer.sign_message(encode_typed_data(domain, types, message))
    signature = bytes(signed.signature)
    return call_data(
        "cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)",
        bytes.fromhex(payer.address[2:]),
        bytes.fromhex(nonce[2:]),
        signature[64:],
        signature[:32],
        signature[32:64],
    )


def test_what_is_not_there_is_null_and_what_is_unknown_is_an_error(start_chain: Any) -> None:
    nothing = "0x" + "00" * WORD
    assert start_chain.call("eth_getTransactionReceipt", nothing) is None
    assert start_chain.call("eth_getTransactionByHash", nothing) is None
    assert start_chain.call("eth_getBlockByNumber", "0xffffff", False) is None
    assert not start_chain.is_settled(nothing)
    assert start_chain.call("eth_chainId") == hex(start_chain.network.chain_id)
    with pytest.raises(RPCError) as unknown:
        start_chain.call("eth_nothing")
    assert unknown.value.code == -32601


def view(chain: Any, signature: str) -> str:
    return str(chain.call("eth_call", {"to": chain.network.usdc, "data": selector(signature)}, "latest"))


def selector(signature: str) -> str:
    from assay402.sandbox.chain import call_data

    return call_data(signature)


def transfer(chain: Any, valid_before: int, changes: dict[str, Any]) -> str:
    """Write the call that settles a payment from the payer to the recipient."""
    from assay402.sandbox.accounts import evm_account
    from assay402.sandbox.chain import call_data

    accepted = {
        "network": chain.network.id,
        "asset": chain.network.usdc,
        "payTo": evm_account("recipient").address,
        "amount": "1",
        "extra": {"name": chain.network.domain_name, "version": "2"},
    }
    payment = signed_payment(evm_account("payer"), accepted, valid_before, **changes)["payload"]
    told = payment["authorization"]
    signature = bytes.fromhex(payment["signature"][2:])
    return call_data(
        "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
        *(bytes.fromhex(told[name][2:]) for name in ("from", "to")),
        *(int(told[name]).to_bytes(WORD) for name in ("value", "validAfter", "validBefore")),
        bytes.fromhex(told["nonce"][2:]),
        signature[64:],
        signature[:32],
        signature[32:64],
    )
