"""A local Ethereum chain over HTTP, with a token where the public network of the same id has its USDC.

The chain is pure Python, or `anvil` where that program is on the PATH: the same calls, the same token, the same accounts.
"""

import json
from contextlib import ExitStack
from importlib import resources
from typing import Any, Final, Literal

from msgspec import Struct

from assay402.sandbox.accounts import evm_account
from assay402.sandbox.anvil import Anvil, AnvilFailed, find_anvil
from assay402.sandbox.evm_node import Account, EVMNode
from assay402.sandbox.jsonrpc import NodeServer, call_node

FUNDS: Final = 1_000_000_000
"""Atomic units that the payer begins with: a thousand dollars."""
WEI: Final = 10**24
_GAS: Final = 300_000
_WORD: Final = 32
_RECEIPT_TRIES: Final = 50

NodeKind = Literal["auto", "python", "anvil"]
"""Which node: pure Python, the program `anvil`, or that program where there is one."""


class Network(Struct, frozen=True, kw_only=True):
    """A public network that the sandbox can stand in for."""

    chain_id: int
    usdc: str
    domain_name: str
    """Of the token's EIP-712 domain; its version is 2 everywhere."""

    @property
    def id(self) -> str:
        """Its CAIP-2 id."""
        return f"eip155:{self.chain_id}"


NETWORKS: Final = {
    "base-sepolia": Network(
        chain_id=84532, usdc="0x036CbD53842c5426634e7929541eC2318f3dCF7e", domain_name="USDC"
    ),
    "base": Network(chain_id=8453, usdc="0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", domain_name="USD Coin"),
}


class Chain:
    """A chain that runs until it is closed, and what a test wants to know of it."""

    def __init__(self, network: Network, node: NodeKind = "auto", port: int = 0) -> None:
        self.network = network
        self._closing = ExitStack()
        try:
            self._start(node, port)
            self.mint(evm_account("payer").address, FUNDS)
        except BaseException:
            self._closing.close()
            raise

    def _start(self, node: NodeKind, port: int) -> None:
        program = None if node == "python" else find_anvil()
        if node == "anvil" and program is None:
            raise AnvilFailed
        rich = [evm_account(role).address for role in ("bank", "settler")]
        if program is None:
            accounts = (
                *(Account(address=each, wei=WEI) for each in rich),
                Account(address=self.network.usdc, code=token_code()),
            )
            served = NodeServer(lambda: EVMNode(self.network.chain_id, accounts), port)
            self._closing.callback(served.close)
            self.kind, self.url = "python", served.url
        else:
            anvil = Anvil(program, self.network.chain_id, port)
            self._closing.callback(anvil.close)
            self.kind, self.url = "anvil", anvil.url
            for each in rich:
                self.call("anvil_setBalance", each, hex(WEI))
            self.call("anvil_setCode", self.network.usdc, f"0x{token_code().hex()}")

    def call(self, method: str, *params: Any) -> Any:  # noqa: ANN401  (any JSON value)
        """Call the node."""
        return call_node(self.url, method, *params)

    def balance(self, address: str) -> int:
        """Give an account's balance of the token in atomic units."""
        return balance_of(self.url, self.network.usdc, address)

    def is_used(self, authorizer: str, nonce: str) -> bool:
        """Tell whether the token has seen an authorization."""
        data = call_data("authorizationState(address,bytes32)", _address(authorizer), _data(nonce))
        return bool(int(self.call("eth_call", {"to": self.network.usdc, "data": data}, "latest"), 16))

    def is_settled(self, transaction: str) -> bool:
        """Tell whether a transaction is on the chain and went through."""
        return is_settled(self.url, transaction)

    def mint(self, address: str, amount: int) -> None:
        """Give an account more of the token."""
        self._send(call_data("mint(address,uint256)", _address(address), amount.to_bytes(_WORD)))

    def _send(self, data: str) -> None:
        bank = evm_account("bank")
        transaction = {
            "to": self.network.usdc,
            "data": data,
            "gas": _GAS,
            "gasPrice": int(self.call("eth_gasPrice"), 16),
            "nonce": int(self.call("eth_getTransactionCount", bank.address, "latest"), 16),
            "chainId": self.network.chain_id,
            "value": 0,
        }
        signed = bank.sign_transaction(transaction).raw_transaction
        name = self.call("eth_sendRawTransaction", f"0x{bytes(signed).hex()}")
        # Either node makes a block of a transaction at once; anvil answers a moment before.
        for _ in range(_RECEIPT_TRIES):
            if self.is_settled(name):
                return
        raise RuntimeError("The chain did not take a transaction of the sandbox itself.")

    def close(self) -> None:
        """Stop the chain; nothing of it is kept."""
        self._closing.close()


def token_code() -> bytes:
    """Give the runtime code of the token, as compiled from `data/token.vy`."""
    text = resources.files(__package__).joinpath("data", "token.json").read_text()
    return _data(json.loads(text)["runtime"])


def call_data(signature: str, *words: bytes) -> str:
    """Write a call of a contract whose arguments are words of 32 bytes or fewer, numbers and addresses."""
    from eth_utils import function_signature_to_4byte_selector

    selector: bytes = function_signature_to_4byte_selector(signature)
    return "0x" + (selector + b"".join(word.rjust(_WORD, b"\0") for word in words)).hex()


def balance_of(url: str, token: str, address: str) -> int:
    """Ask a node for an account's balance of a token; raises what `call_node` raises."""
    data = call_data("balanceOf(address)", _address(address))
    return int(call_node(url, "eth_call", {"to": token, "data": data}, "latest"), 16)


def is_settled(url: str, transaction: str) -> bool:
    """Ask a node whether a transaction is on its chain and went through; raises what `call_node` raises."""
    receipt = call_node(url, "eth_getTransactionReceipt", transaction)
    return receipt is not None and receipt["status"] == "0x1"


def _address(text: str) -> bytes:
    return _data(text)


def _data(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("0x"))
