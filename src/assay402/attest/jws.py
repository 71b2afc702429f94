"""Compact JSON Web Signatures (RFC 7515) with Ed25519 (RFC 8037), strictly: one spelling, one algorithm, no surprises.

What is signed is always `BASE64URL(header) "." BASE64URL(payload)`. Reading never raises, whatever it is given: what
is not valid is `Invalid`, with a code.
"""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from assay402.attest.base64url import decode_url, encode_url
from assay402.attest.keys import Signer, Verifier
from assay402.attest.publication import ACCEPTED_ALGORITHMS, ALGORITHM, KeySet
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, RepeatedNames, read, write

MAX_HEADER: Final = 2_048
"""Characters of an encoded header; ours have about 250."""
MAX_PAYLOAD: Final = 32 << 20
"""Bytes of a payload; an answer is far below."""
SIGNATURE_BYTES: Final = 64

_COMPACT: Final = re.compile(r"([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]+)")
_UNWANTED: Final = ("crit", "b64")
"""Members that change how a signature is read. This project needs neither and obeys neither."""


class Invalid(Struct, frozen=True, kw_only=True):
    """Not valid, or not shown to be: never to be taken for signed."""

    code: str
    """One of the codes that begin with `signature_`, explained in `codes`."""


class Parts(Struct, frozen=True, kw_only=True):
    """The three parts of a signature, still encoded; the payload is empty where it is detached."""

    header: str
    payload: str
    signature: str


class Checked(Struct, frozen=True, kw_only=True):
    """A signature that holds: the key's name and the signed header."""

    key: Verifier
    header: Mapping[str, JSON]


def sign(signer: Signer, members: Mapping[str, JSON], payload: bytes) -> Parts:
    """Sign a payload under a header of the algorithm, the key's name and further members."""
    header = encode_url(write({"alg": ALGORITHM, "kid": signer.kid, **members}))
    encoded = encode_url(payload)
    return Parts(
        header=header,
        payload=encoded,
        signature=encode_url(signer.sign(f"{header}.{encoded}".encode("ascii"))),
    )


def compact(parts: Parts) -> str:
    """Write a signature in one line."""
    return f"{parts.header}.{parts.payload}.{parts.signature}"


def split(text: str) -> Parts | Invalid:
    """Read a signature in one line."""
    if len(text) > MAX_HEADER + MAX_PAYLOAD * 4 // 3 + SIGNATURE_BYTES * 2:
        return Invalid(code="signature_too_long")
    found = _COMPACT.fullmatch(text)
    if found is None:
        return Invalid(code="signature_malformed")
    return Parts(header=found[1], payload=found[2], signature=found[3])


def check(parts: Parts, keys: KeySet) -> Checked | Invalid:
    """Check a signature by the key that it names, which must be in the set.

    Nothing of the header is believed before the signature holds but the name of the key; the algorithm is that of
    the key, and the header must agree.
    """
    if len(parts.header) > MAX_HEADER:
        return Invalid(code="signature_too_long")
    header, signature = _header(parts.header), decode_url(parts.signature)
    if isinstance(header, Invalid):
        return header
    if signature is None or len(signature) != SIGNATURE_BYTES or decode_url(parts.payload) is None:
        return Invalid(code="signature_malformed")
    kid = header.get("kid")
    if not isinstance(kid, str):
        return Invalid(code="signature_header")
    key = keys.get(kid)
    if key is None:
        return Invalid(code="signature_key_unknown")
    if not key.verify(f"{parts.header}.{parts.payload}".encode("ascii"), signature):
        return Invalid(code="signature_wrong")
    return Checked(key=key, header=header)


def _header(encoded: str) -> Mapping[str, JSON] | Invalid:
    source = decode_url(encoded)
    if source is None:
        return Invalid(code="signature_malformed")
    try:
        header = read(source)
    except JSONUnreadable:
        return Invalid(code="signature_malformed")
    if not isinstance(header, Mapping) or isinstance(header, RepeatedNames):
        return Invalid(code="signature_header")
    algorithm = header.get("alg")
    if not isinstance(algorithm, str) or algorithm not in ACCEPTED_ALGORITHMS:
        return Invalid(code="signature_algorithm")
    if any(name in header for name in _UNWANTED):
        return Invalid(code="signature_critical")
    return header
