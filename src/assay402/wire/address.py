"""Account addresses of the eip155 family: 20 bytes in hexadecimal, with the checksum of EIP-55 in the letters' case."""

import re
from functools import lru_cache
from typing import Final

from assay402.core.canon import keccak256_hex

_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}")
_HIGH_NIBBLE: Final = 8


def is_evm_address(value: object) -> bool:
    """Tell whether a value is an address: in one case throughout, or with a right checksum where cases are mixed."""
    if not isinstance(value, str) or _ADDRESS.fullmatch(value) is None:
        return False
    digits = value[2:]
    return digits in (digits.lower(), digits.upper()) or value == checksummed(value)


@lru_cache(maxsize=1024)  # the same few tokens and recipients stand in every payment
def checksummed(address: str) -> str:
    """Spell an address as EIP-55 does."""
    digits = address[2:].lower()
    nibbles = keccak256_hex(digits.encode())
    return "0x" + "".join(
        digit.upper() if int(nibble, 16) >= _HIGH_NIBBLE else digit
        for digit, nibble in zip(digits, nibbles, strict=False)
    )
