"""Who pays, who is paid, and who settles in the sandbox. The keys are made from words, so everybody has them."""

from hashlib import sha256
from typing import Any, Final

WARNING: Final = "These keys are public: never send them anything of worth."


def _secret(role: str) -> bytes:
    return sha256(f"assay402 sandbox: {role}".encode()).digest()


def evm_account(role: str) -> Any:  # noqa: ANN401  (the library has no types)
    """Give the account of a role on an Ethereum chain: `payer`, `recipient`, `settler` or `bank`."""
    from eth_account import Account

    return Account.from_key(_secret(role))


def solana_keypair(role: str) -> Any:  # noqa: ANN401  (not looked into)
    """Give the key pair of a role on Solana."""
    from solders.keypair import Keypair

    return Keypair.from_seed(_secret(role))
