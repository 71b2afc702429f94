"""Network identifiers: CAIP-2 ids of version 2 and the short names of version 1."""

import re
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from msgspec import Struct

NetworkForm: TypeAlias = Literal["CAIP-2", "slug"]

_CAIP_2: Final = re.compile(r"([-a-z0-9]{3,8}):([-_a-zA-Z0-9]{1,32})")
"""The CAIP-2 grammar. Longer namespaces (`cloudflare:402`) and references (Algorand) are not of this form."""
_SLUG: Final = re.compile(r"[a-z][a-z0-9-]*")

_EIP155_NAMES: Final = {
    "abstract": 2741,
    "abstract-testnet": 11124,
    "avalanche": 43114,
    "avalanche-fuji": 43113,
    "base": 8453,
    "base-sepolia": 84532,
    "celo": 42220,
    "ethereum": 1,
    "flare": 14,
    "iotex": 4689,
    "megaeth": 4326,
    "monad": 143,
    "monad-testnet": 10143,
    "peaq": 3338,
    "polygon": 137,
    "polygon-amoy": 80002,
    "sei": 1329,
    "sei-testnet": 1328,
    "stable": 988,
    "stable-testnet": 2201,
}
LEGACY_NAMES: Final[Mapping[str, str]] = {
    **{name: f"eip155:{chain_id}" for name, chain_id in _EIP155_NAMES.items()},
    "solana": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
    "solana-devnet": "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
    "solana-testnet": "solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z",
}
"""Version 1 short names with their CAIP-2 id. Three names on which the official tables disagree are left out:
`story`, `educhain` and `skale-base-sepolia`."""


class Network(Struct, frozen=True, kw_only=True):
    """A CAIP-2 network id, `namespace:reference`."""

    namespace: str
    reference: str

    def __str__(self) -> str:
        """Write the id as the wire has it."""
        return f"{self.namespace}:{self.reference}"


def network_form(value: object) -> NetworkForm | None:
    """Tell the form of a network value by its spelling alone; None for anything that has neither form."""
    if not isinstance(value, str):
        return None
    if _CAIP_2.fullmatch(value):
        return "CAIP-2"
    return "slug" if _SLUG.fullmatch(value) else None


def network_of(value: str) -> Network | None:
    """Give the network a CAIP-2 id or a known version 1 name stands for, or None."""
    match = _CAIP_2.fullmatch(LEGACY_NAMES.get(value, value))
    return Network(namespace=match[1], reference=match[2]) if match else None
