"""The wire form of a Solana transaction: which of its bytes the signatures are about.

Nothing is interpreted. The layout is walked to its last byte, because some readers pass over bytes that follow a
message, and two texts of one transaction must not look like two.
"""

import binascii
from typing import Final

MAX_TRANSACTION: Final = 1_232
"""Bytes of a transaction: one packet of the network."""
_SIGNATURE: Final = 64
_KEY: Final = 32
_HEADER: Final = 3
_VERSIONED: Final = 0x80
_MORE: Final = 0x80
_LENGTH_BYTES: Final = 3
_MAX_LENGTH: Final = 0xFFFF


class _Broken(Exception):
    """The bytes end early, or a length is spelled longer than it need be."""


def transaction_message(transaction: str) -> bytes | None:
    """Give the message of a transaction in base64, which is all its signatures cover; None for anything else.

    Both alphabets are read, with and without padding: the bytes are the same.
    """
    data = _decoded(transaction)
    if data is None or len(data) > MAX_TRANSACTION:
        return None
    reader = _Reader(data)
    try:
        signatures = reader.length()
        reader.skip(signatures * _SIGNATURE)
        start = reader.position
        reader.message()
    except _Broken:
        return None
    return data[start:] if signatures and reader.position == len(data) else None


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data: Final = data
        self.position = 0

    def skip(self, count: int) -> None:
        self.position += count
        if self.position > len(self._data):
            raise _Broken

    def byte(self) -> int:
        self.skip(1)
        return self._data[self.position - 1]

    def length(self) -> int:
        """Read a compact length: seven bits a byte, low ones first, in no more bytes than it needs."""
        value = 0
        for index in range(_LENGTH_BYTES):
            digit = self.byte()
            value |= (digit & ~_MORE) << (7 * index)
            if digit & _MORE:
                continue
            if (index and not digit) or value > _MAX_LENGTH:
                raise _Broken
            return value
        raise _Broken

    def message(self) -> None:
        """Walk a message of the old form or of version 0."""
        version = self.byte()
        is_versioned = version >= _VERSIONED
        if version > _VERSIONED:
            raise _Broken
        self.skip(_HEADER if is_versioned else _HEADER - 1)
        self.skip(self.length() * _KEY)
        self.skip(_KEY)
        for _ in range(self.length()):
            self.skip(1)
            self.skip(self.length())
            self.skip(self.length())
        for _ in range(self.length() if is_versioned else 0):
            self.skip(_KEY)
            self.skip(self.length())
            self.skip(self.length())


def _decoded(text: str) -> bytes | None:
    digits = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return binascii.a2b_base64(digits + "=" * (-len(digits) % 4), strict_mode=True)
    except ValueError:
        return None
