"""An Ethereum chain in pure Python (eth-tester on py-evm), answering the calls that wallets and facilitators make.

Every transaction is a block. Nothing is kept after the process.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from assay402.sandbox.jsonrpc import UNKNOWN_METHOD, RPCError

REVERTED: Final = 3
"""The error code of a call that the contract refused, as Ethereum nodes give it."""
_CAMEL: Final = {"coinbase": "miner", "sha3_uncles": "sha3Uncles"}
_DROPPED: Final = {"type", "total_difficulty", "state_root"}
_TEXT_SELECTOR: Final = bytes.fromhex("08c379a0")
"""Of `Error(string)`, in which a contract says why it refuses."""
_NOBODY: Final = "0x" + "00" * 20
_CALL_GAS: Final = 30_000_000
_READS_THE_TIME: Final = {"eth_call", "eth_estimateGas", "eth_getBlockByNumber", "eth_sendRawTransaction"}


class Account(Struct, frozen=True, kw_only=True):
    """An account as the chain begins with it."""

    address: str
    wei: int = 0
    code: bytes = b""


class EVMNode:
    """A chain of its own with the id of a public one."""

    def __init__(self, chain_id: int, accounts: tuple[Account, ...]) -> None:
        from eth_tester import EthereumTester, PyEVMBackend

        backend = PyEVMBackend(genesis_state=_genesis(accounts))
        # The id is a constant of eth-tester; the class of the chain is made anew for each.
        type(backend.chain).chain_id = chain_id
        self._tester = EthereumTester(backend)
        self._chain = backend.chain
        self._methods: Mapping[str, Callable[..., Any]] = {
            "web3_clientVersion": lambda: "assay-sandbox/py-evm",
            "net_version": lambda: str(chain_id),
            "eth_chainId": lambda: hex(chain_id),
            "eth_syncing": lambda: False,
            "eth_accounts": list,
            "eth_blockNumber": lambda: hex(self._tester.get_block_by_number()["number"]),
            "eth_gasPrice": lambda: hex(self._gas_price()),
            "eth_maxPriorityFeePerGas": lambda: hex(10**9),
            "eth_getBalance": lambda address, block="latest": hex(
                self._tester.get_balance(address, _block(block))
            ),
            "eth_getCode": lambda address, block="latest": self._tester.get_code(address, _block(block)),
            "eth_getTransactionCount": lambda address, block="latest": hex(
                self._tester.get_nonce(address, _block(block))
            ),
            "eth_call": self._call,
            "eth_estimateGas": self._estimate,
            "eth_sendRawTransaction": self._tester.send_raw_transaction,
            "eth_getTransactionReceipt": lambda name: self._found("get_transaction_receipt", name),
            "eth_getTransactionByHash": lambda name: self._found("get_transaction_by_hash", name),
            "eth_getBlockByNumber": lambda number, full=False: self._found(
                "get_block_by_number", _block(number), full_transactions=full
            ),
            "eth_getBlockByHash": lambda name, full=False: self._found(
                "get_block_by_hash", name, full_transactions=full
            ),
            "eth_getLogs": self._logs,
        }

    def answer(self, method: str, params: list[Any]) -> Any:  # noqa: ANN401  (any JSON value)
        """Answer a call; raises `RPCError` where the contract refuses, or the method is none of ours."""
        if method not in self._methods:
            raise RPCError(UNKNOWN_METHOD, "method not found")
        if method in _READS_THE_TIME:
            self._keep_time()
        return self._methods[method](*params)

    def _gas_price(self) -> int:
        return int(self._tester.get_block_by_number()["base_fee_per_gas"]) + 10**9

    def _keep_time(self) -> None:
        """Make an empty block where the clock has moved on: a contract sees the time of the last block."""
        now = int(time.time())
        if now > self._tester.get_block_by_number("pending")["timestamp"]:
            self._tester.time_travel(now)

    def _call(self, call: Mapping[str, Any], block: Any = "latest") -> str:  # noqa: ANN401  (any JSON value)
        """Run a view without a transaction, so that anybody may ask, who need not afford the gas."""
        number = self._tester.get_block_by_number(_block(block))["number"]
        machine = self._chain.get_vm(self._chain.get_canonical_block_header_by_number(number))
        sender, receiver = _data(call.get("from") or _NOBODY), _data(call["to"])
        ran = machine.execute_bytecode(
            origin=sender,
            gas_price=0,
            gas=_CALL_GAS,
            to=receiver,
            sender=sender,
            value=0,
            data=_data(call.get("data") or call.get("input") or "0x"),
            code=machine.state.get_code(receiver),
        )
        if ran.is_error:
            raise _refusal(ran.output)
        return f"0x{ran.output.hex()}"

    def _estimate(self, call: Mapping[str, Any], _block: Any = "latest") -> str:  # noqa: ANN401  (any JSON value)
        self._call(call)
        return hex(self._tester.estimate_gas(self._transaction(call)))

    def _transaction(self, call: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "from": call.get("from") or _NOBODY,
            "to": call["to"],
            "data": call.get("data") or call.get("input") or "0x",
            "gas": int(call.get("gas", "0xf4240"), 16),
            "gas_price": self._gas_price(),
            "value": int(call.get("value", "0x0"), 16),
        }

    def _found(self, method: str, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401  (any JSON value)
        from eth_tester.exceptions import BlockNotFound, TransactionNotFound

        try:
            return _wire(getattr(self._tester, method)(*arguments, **options))
        except (BlockNotFound, TransactionNotFound):
            return None

    def _logs(self, wanted: Mapping[str, Any]) -> list[Any]:
        found = self._tester.get_logs(
            from_block=_block(wanted.get("fromBlock", "latest")),
            to_block=_block(wanted.get("toBlock", "latest")),
            address=wanted.get("address"),
            topics=wanted.get("topics"),
        )
        return [_wire(log) | {"removed": False} for log in found]


def _genesis(accounts: tuple[Account, ...]) -> dict[bytes, dict[str, Any]]:
    return {
        _data(each.address): {
            "balance": each.wei,
            "nonce": 0,
            "code": each.code,
            "storage": {},
        }
        for each in accounts
    }


def _block(number: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """Read a block's number or name. A block is final here as soon as it is made."""
    if number in {"latest", "pending", "safe", "finalized", None}:
        return "latest"
    return 0 if number == "earliest" else int(number, 16)


def _wire(value: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """Write a value of eth-tester as nodes do: names in camel case, numbers in hexadecimal."""
    match value:
        case bool() | str() | None:
            return value
        case int():
            return hex(value)
        case Mapping():
            return {_camel(name): _wire(each) for name, each in value.items() if name not in _DROPPED}
        case _:
            return [_wire(each) for each in value]


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return _CAMEL.get(name) or first + "".join(each.capitalize() for each in rest)


def _data(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("0x"))


def _refusal(output: bytes) -> RPCError:
    """Say why a contract refused, in the form that the libraries of wallets read."""
    from eth_abi import decode

    if not output.startswith(_TEXT_SELECTOR):
        return RPCError(REVERTED, "execution reverted", f"0x{output.hex()}")
    (reason,) = decode(["string"], output[len(_TEXT_SELECTOR) :])
    return RPCError(REVERTED, f"execution reverted: {reason}", f"0x{output.hex()}")
