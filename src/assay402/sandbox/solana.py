"""A local Solana chain (LiteSVM) over HTTP, with a mint where the development network has its USDC.

It answers the calls that the official SDK's clients and facilitators make, and `getTransaction` for look-ups.
"""

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from assay402.sandbox.accounts import solana_keypair
from assay402.sandbox.jsonrpc import UNKNOWN_METHOD, NodeServer, RPCError, call_node

SOLANA_DEVNET: Final = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
USDC: Final = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
FUNDS: Final = 1_000_000_000
"""Atomic units that the payer begins with: a thousand dollars."""
LAMPORTS: Final = 10**11
_TOKEN: Final = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"  # noqa: S105  (the address of a program)
_ASSOCIATED: Final = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
_AMOUNT: Final = slice(64, 72)
"""Where a token account holds its balance."""
_CONFIRMED: Final = {
    "slot": 1,
    "confirmations": None,
    "status": {"Ok": None},
    "confirmationStatus": "finalized",
}


class SolanaChain:
    """A chain that runs until it is closed."""

    network: Final = SOLANA_DEVNET

    def __init__(self, port: int = 0) -> None:
        self._server = NodeServer(SolanaNode, port)
        self.url = self._server.url

    def balance(self, owner: str) -> int:
        """Give an owner's balance of the token in atomic units; none where there is no account for it."""
        return balance_of(self.url, owner)

    def is_settled(self, signature: str) -> bool:
        """Tell whether a transaction is on the chain and went through."""
        return is_settled(self.url, signature)

    def close(self) -> None:
        """Stop the chain; nothing of it is kept."""
        self._server.close()


class SolanaNode:
    """The chain itself, with its accounts written as it begins: a mint, a payer with money, a recipient without."""

    def __init__(self) -> None:
        from solders.litesvm import LiteSVM

        self._svm = LiteSVM()
        self._slot = 1
        self._outcomes: dict[str, Any] = {}
        self._sent: dict[str, str] = {}
        self._svm.airdrop(solana_keypair("settler").pubkey(), LAMPORTS)
        self._write(USDC, _mint())
        for role, units in (("payer", FUNDS), ("recipient", 0)):
            owner = solana_keypair(role).pubkey()
            self._svm.airdrop(owner, LAMPORTS)
            self._write(token_account(str(owner)), _holding(str(owner), units))
        self._methods: Mapping[str, Callable[..., Any]] = {
            "getHealth": lambda: "ok",
            "getSlot": lambda _options=None: self._slot,
            "getBlockHeight": lambda _options=None: self._slot,
            "getLatestBlockhash": self._blockhash,
            "getAccountInfo": self._account,
            "getTokenAccountBalance": self._holding,
            "simulateTransaction": self._simulate,
            "sendTransaction": self._send,
            "getSignatureStatuses": self._statuses,
            "getTransaction": self._transaction,
        }

    def answer(self, method: str, params: list[Any]) -> Any:  # noqa: ANN401  (any JSON value)
        """Answer a call; raises `RPCError`."""
        if method not in self._methods:
            raise RPCError(UNKNOWN_METHOD, "method not found")
        return self._methods[method](*params)

    def _write(self, address: str, data: bytes) -> None:
        from solders.account import Account
        from solders.pubkey import Pubkey

        lamports = self._svm.minimum_balance_for_rent_exemption(len(data))
        self._svm.set_account(
            Pubkey.from_string(address), Account(lamports, data, Pubkey.from_string(_TOKEN))
        )

    def _context(self, value: Any) -> dict[str, Any]:  # noqa: ANN401  (any JSON value)
        return {"context": {"slot": self._slot}, "value": value}

    def _blockhash(self, _options: Any = None) -> Any:  # noqa: ANN401  (any JSON value)
        found = {"blockhash": str(self._svm.latest_blockhash()), "lastValidBlockHeight": self._slot + 150}
        return self._context(found)

    def _account(self, address: str, _options: Any = None) -> Any:  # noqa: ANN401  (any JSON value)
        from solders.pubkey import Pubkey

        found = self._svm.get_account(Pubkey.from_string(address))
        if found is None:
            return self._context(None)
        return self._context(
            {
                "data": [base64.b64encode(found.data).decode(), "base64"],
                "executable": found.executable,
                "lamports": found.lamports,
                "owner": str(found.owner),
                "rentEpoch": 0,
                "space": len(found.data),
            }
        )

    def _holding(self, address: str, _options: Any = None) -> Any:  # noqa: ANN401  (any JSON value)
        from solders.pubkey import Pubkey

        found = self._svm.get_account(Pubkey.from_string(address))
        if found is None:
            raise RPCError(-32602, "could not find account")
        units = int.from_bytes(bytes(found.data)[_AMOUNT], "little")
        return self._context({"amount": str(units), "decimals": 6, "uiAmountString": f"{units / 10**6:f}"})

    def _read(self, sent: str) -> Any:  # noqa: ANN401  (not looked into)
        from solders.transaction import VersionedTransaction

        return VersionedTransaction.from_bytes(base64.b64decode(sent))

    def _simulate(self, sent: str, _options: Any = None) -> Any:  # noqa: ANN401  (any JSON value)
        ran = self._svm.simulate_transaction(self._read(sent))
        return self._context(
            {"err": _failure(ran), "logs": ran.meta().logs(), "accounts": None, "unitsConsumed": 0}
        )

    def _send(self, sent: str, _options: Any = None) -> str:  # noqa: ANN401  (any JSON value)
        transaction = self._read(sent)
        signature = str(transaction.signatures[0])
        if signature not in self._outcomes:
            ran = self._svm.send_transaction(transaction)
            self._outcomes[signature], self._sent[signature] = _failure(ran), sent
            # Every transaction is a slot, and the next one needs another blockhash.
            self._slot += 1
            self._svm.expire_blockhash()
        return signature

    def _statuses(self, signatures: list[str], _options: Any = None) -> Any:  # noqa: ANN401  (any JSON value)
        return self._context(
            [
                _CONFIRMED | {"err": self._outcomes[each]} if each in self._outcomes else None
                for each in signatures
            ]
        )

    def _transaction(self, signature: str, _options: Any = None) -> Any:  # noqa: ANN401  (any JSON value)
        if signature not in self._outcomes:
            return None
        transaction = [self._sent[signature], "base64"]
        meta = {"err": self._outcomes[signature], "fee": 10_000}
        return {"slot": self._slot, "transaction": transaction, "meta": meta, "version": 0}


def token_account(owner: str) -> str:
    """Give the address at which an owner's account for the token stands."""
    from solders.pubkey import Pubkey

    seeds = [bytes(Pubkey.from_string(each)) for each in (owner, _TOKEN, USDC)]
    found, _ = Pubkey.find_program_address(seeds, Pubkey.from_string(_ASSOCIATED))
    return str(found)


def balance_of(url: str, owner: str) -> int:
    """Ask a node for an owner's balance of the token; raises what `call_node` raises but for an account that is not there."""
    try:
        found = call_node(url, "getTokenAccountBalance", token_account(owner))
    except RPCError:
        return 0
    return int(found["value"]["amount"])


def is_settled(url: str, signature: str) -> bool:
    """Ask a node whether a transaction is on its chain and went through; raises what `call_node` raises."""
    (status,) = call_node(url, "getSignatureStatuses", [signature])["value"]
    return status is not None and status["err"] is None


def _mint() -> bytes:
    """Write a mint of six decimals whose authority nobody holds."""
    nobody, supply, decimals, is_made = bytes(36), FUNDS.to_bytes(8, "little"), b"\x06", b"\x01"
    return nobody + supply + decimals + is_made + bytes(36)


def _holding(owner: str, units: int) -> bytes:
    """Write an account of the token: its mint, its owner, its balance, and nothing delegated or frozen."""
    from solders.pubkey import Pubkey

    mint, holder = (bytes(Pubkey.from_string(each)) for each in (USDC, owner))
    is_made = b"\x01"
    return mint + holder + units.to_bytes(8, "little") + bytes(36) + is_made + bytes(56)


def _failure(ran: Any) -> Any:  # noqa: ANN401  (not looked into)
    """Give the failure of a run as JSON has it; None where there is none."""
    from solders.transaction_metadata import FailedTransactionMetadata

    return json.loads(ran.to_json())["err"] if isinstance(ran, FailedTransactionMetadata) else None
