"""Keys as values: who signs, who verifies, and the ring that holds all keys a service ever had.

A key is named once and for ever: `did:web:HOST#THUMBPRINT`, where the thumbprint is the one of RFC 7638. Where keys
are kept is in `key_files` and `ring_file`, how they are published in `publication`.
"""

import hashlib
import re
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

from assay402.attest.base64url import encode_url
from assay402.attest.codes import KeysUnusable

PUBLIC_BYTES: Final = 32
"""Length of an Ed25519 public key."""

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST: Final = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")
_NUMERIC_END: Final = re.compile(r"(?:.*\.)?[0-9]+")
"""A last label of digits makes a numeric address of a name (RFC 1123)."""
_THIS_MACHINE: Final = "127.0.0.1"


class Verifier(Struct, frozen=True, kw_only=True):
    """A public key with its name, and the time in which it signs where that is known."""

    kid: str
    public: bytes
    """The 32 bytes of RFC 8032."""
    not_before: datetime | None = None
    not_after: datetime | None = None
    """The first moment at which it signs no more."""

    def verify(self, data: bytes, signature: bytes) -> bool:
        """Tell whether these bytes were signed with the private part of this key."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, data)
        except InvalidSignature:
            return False
        return True

    def signs_at(self, moment: datetime) -> bool:
        """Tell whether the moment lies within the time in which the key signs."""
        return (self.not_before is None or self.not_before <= moment) and (
            self.not_after is None or moment < self.not_after
        )


class Signer:
    """A private key with its name. It shows nothing of itself."""

    __slots__ = ("_key", "kid")

    def __init__(self, kid: str, key: Ed25519PrivateKey) -> None:
        self.kid: Final = kid
        self._key: Final = key

    def sign(self, data: bytes) -> bytes:
        """Sign exact bytes; the same bytes give the same 64 bytes each time."""
        return self._key.sign(data)

    @property
    def public(self) -> bytes:
        """The public part, 32 bytes."""
        return public_bytes(self._key)


class KeyRing(Struct, frozen=True, kw_only=True):
    """All keys a service ever had, and those of them it can sign with."""

    did: str
    """The name of the service as it signs now, such as `did:web:example.com`."""
    keys: tuple[Verifier, ...]
    """Every key, oldest first, retired ones and the next one included."""
    signers: tuple[Signer, ...]
    """Those that sign now or later."""

    def signer(self, moment: datetime) -> Signer:
        """Give the key that signs at a moment; of two, the newer.

        Raises:
            KeysUnusable: `key_none_valid`.

        """
        valid = {key.kid for key in self.keys if key.signs_at(moment)}
        for signer in reversed(self.signers):
            if signer.kid in valid:
                return signer
        raise KeysUnusable("key_none_valid")


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """Give the public part of a private key, 32 bytes."""
    return key.public_key().public_bytes_raw()


def thumbprint(public: bytes) -> str:
    """Give the RFC 7638 thumbprint of an Ed25519 public key, 43 characters of base64url."""
    text = f'{{"crv":"Ed25519","kty":"OKP","x":"{encode_url(public)}"}}'
    return encode_url(hashlib.sha256(text.encode()).digest())


def kid_of(did: str, public: bytes) -> str:
    """Name a key: the service that has it, and its thumbprint."""
    return f"{did}#{thumbprint(public)}"


LOCAL: Final = "did:web:localhost"
"""The name of every service without a public address, on whichever port it listens."""


def is_local(did: str) -> bool:
    """Tell whether a name is one of this machine alone: whoever else resolves it comes to a machine of their own."""
    return did.partition("%3A")[0] in (LOCAL, f"did:web:{_THIS_MACHINE}")


def did_of(public_url: str | None) -> str:
    """Name a service by the host of its public address, or `LOCAL` where it has none.

    The port of an address is percent-encoded as did:web wants it and left out where it is the scheme's own. A path is
    not part of the name: keys are published under `/.well-known/` of the host.

    Raises:
        KeysUnusable: `did_host`, for a host that is no domain name.

    """
    if public_url is None:
        return LOCAL
    try:
        parts = urlsplit(public_url)
        host, own_port = parts.hostname or "", parts.port
    except ValueError:
        raise KeysUnusable("did_host") from None
    is_name = _HOST.fullmatch(host) and not _NUMERIC_END.fullmatch(host)
    if parts.scheme not in _DEFAULT_PORTS or not (is_name or host == _THIS_MACHINE):
        raise KeysUnusable("did_host")
    suffix = "" if own_port in (None, _DEFAULT_PORTS[parts.scheme]) else f"%3A{own_port}"
    return f"did:web:{host}{suffix}"
