"""A real local chain in pure Python, with a token where the test network has its USDC, and a facilitator on it.

Nothing listens anywhere: the chain, the facilitator, the seller and the client live in one process.
"""

import json
import threading
from pathlib import Path
from typing import Any

from eth_account import Account
from eth_tester import EthereumTester, PyEVMBackend
from web3 import Web3
from web3.providers.eth_tester import EthereumTesterProvider
from x402 import x402Facilitator
from x402.mechanisms.evm import FacilitatorWeb3Signer
from x402.mechanisms.evm.exact import register_exact_evm_facilitator

CHAIN_ID = 84532
NETWORK = f"eip155:{CHAIN_ID}"
USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
TOKEN = Path(__file__).with_name("token.json")
ABI = [
    {
        "type": "function",
        "name": name,
        "inputs": [{"name": f"a{index}", "type": kind} for index, kind in enumerate(kinds)],
        "outputs": [{"name": "", "type": out}] if out else [],
        "stateMutability": "view" if out else "nonpayable",
    }
    for name, kinds, out in (("balanceOf", ["address"], "uint256"), ("mint", ["address", "uint256"], None))
]


class _Provider(EthereumTesterProvider):  # type: ignore[misc]  # (not looked into)
    """Tells our chain id, and takes one call at a time: the SDK calls from several threads."""

    def __init__(self, tester: Any) -> None:
        super().__init__(tester)
        self._one_at_a_time = threading.Lock()

    def make_request(self, method: Any, params: Any) -> Any:
        """Answer a request of the node's interface."""
        if method == "eth_chainId":
            return {"jsonrpc": "2.0", "id": 1, "result": hex(CHAIN_ID)}
        with self._one_at_a_time:
            return super().make_request(method, params)


class Chain:
    """The chain, its facilitator, and an account with money."""

    def __init__(self) -> None:
        self.payer = Account.from_key("0x" + "11" * 32)
        settler = Account.from_key("0x" + "22" * 32)
        ether = 10**24
        genesis = {
            Web3.to_bytes(hexstr=address): {"balance": balance, "nonce": 0, "code": code, "storage": {}}
            for address, balance, code in (
                (settler.address, ether, b""),
                # The node's own first account, in whose name views are called.
                (Account.from_key("0x" + "00" * 31 + "01").address, ether, b""),
                (USDC, 0, bytes.fromhex(json.loads(TOKEN.read_bytes())["runtime"][2:])),
            )
        }
        backend = PyEVMBackend(genesis_state=genesis)
        type(backend.chain).chain_id = CHAIN_ID
        self._web3 = Web3(_Provider(EthereumTester(backend)))
        self._token = self._web3.eth.contract(address=USDC, abi=ABI)
        signer = FacilitatorWeb3Signer(private_key=settler.key.hex(), rpc_url="http://127.0.0.1:1")
        signer._w3 = self._web3
        self._send(settler, self._token.functions.mint(self.payer.address, 1_000_000))
        self.facilitator = x402Facilitator()
        register_exact_evm_facilitator(self.facilitator, signer, networks=NETWORK)

    def balance(self, address: str) -> int:
        """Give an account's balance in atomic units."""
        found: int = self._token.functions.balanceOf(address).call()
        return found

    def settled(self, transaction: str) -> bool:
        """Tell whether a transaction is on the chain and went through."""
        return bool(self._web3.eth.get_transaction_receipt(transaction)["status"] == 1)

    def _send(self, account: Any, call: Any) -> None:
        transaction = call.build_transaction(
            {
                "from": account.address,
                "nonce": 0,
                "gas": 200_000,
                "gasPrice": self._web3.eth.gas_price,
                "chainId": CHAIN_ID,
            }
        )
        signed = account.sign_transaction(transaction)
        self._web3.eth.send_raw_transaction(signed.raw_transaction)
