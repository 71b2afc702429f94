"""Signed answers: the exact bytes of an answer, signed beside it in a header or around it in one document.

The header `Assay-Signature` holds a compact JWS with the payload left out (RFC 7515, appendix F); the document of
`?envelope=1` is the same JWS in the flattened JSON form (RFC 7515, section 7.2.2). Both are one signature: each can
be made of the other. The answer's bytes are never touched.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from msgspec import Struct

from assay402.attest.base64url import decode_url, encode_url
from assay402.attest.jws import Invalid, Parts, check, compact, sign, split
from assay402.attest.keys import Signer
from assay402.attest.publication import KeySet, moment_of, seconds
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, RepeatedNames, read, write

SIGNATURE_HEADER: Final = "Assay-Signature"
ENVELOPE_TYPE: Final = "application/jose+json"
"""The media type of the document."""
TYPE: Final = "assay-answer"
"""Stands in each header as `typ`, so that nothing else signed with the same key passes for an answer."""
MAX_VERSION: Final = 200
"""Characters of the name and version of the criteria."""
_ENVELOPE: Final = frozenset({"payload", "protected", "signature"})


class Valid(Struct, frozen=True, kw_only=True):
    """The answer was signed by a key of the set, within the time in which that key signed."""

    body: bytes
    kid: str
    issued_at: datetime
    version: str
    """The contract and the version by whose criteria the answer was made, such as `dialect-check 1.0.0`."""


def sign_answer(body: bytes, signer: Signer, *, issued_at: datetime, version: str) -> str:
    """Sign the exact bytes of an answer; gives the value of the header `Assay-Signature`."""
    members: Mapping[str, JSON] = {"typ": TYPE, "iat": seconds(issued_at), "ver": version}
    parts = sign(signer, members, body)
    return f"{parts.header}..{parts.signature}"


def enveloped(body: bytes, signature: str) -> bytes:
    """Put an answer and its header value into one document."""
    header, _, signed = signature.split(".")
    return write({"payload": encode_url(body), "protected": header, "signature": signed})


def verify_answer(body: bytes, signature: str, keys: KeySet) -> Valid | Invalid:
    """Verify an answer by the value of its header. A value with a payload of its own must hold these bytes."""
    parts = split(signature.strip(" \t\r\n"))
    if isinstance(parts, Invalid):
        return parts
    encoded = encode_url(body)
    if parts.payload not in ("", encoded):
        return Invalid(code="signature_wrong")
    return _answer(Parts(header=parts.header, payload=encoded, signature=parts.signature), keys)


def verify_document(document: bytes, keys: KeySet) -> Valid | Invalid:
    """Verify a signed document of `?envelope=1`, or the same as a compact JWS."""
    parts = parts_of(document)
    return parts if isinstance(parts, Invalid) else _answer(parts, keys)


def parts_of(document: bytes) -> Parts | Invalid:
    """Read a signature with its payload inside, in either of its two forms."""
    if not document.lstrip(b" \t\r\n").startswith(b"{"):
        return split(document.decode("latin-1").strip(" \t\r\n"))
    try:
        value = read(document)
    except JSONUnreadable:
        return Invalid(code="signature_malformed")
    if not isinstance(value, Mapping) or isinstance(value, RepeatedNames) or value.keys() != _ENVELOPE:
        return Invalid(code="signature_malformed")
    texts = {name: text for name, text in value.items() if isinstance(text, str)}
    if texts.keys() != _ENVELOPE:
        return Invalid(code="signature_malformed")
    return split(
        compact(Parts(header=texts["protected"], payload=texts["payload"], signature=texts["signature"]))
    )


def _answer(parts: Parts, keys: KeySet) -> Valid | Invalid:
    checked = check(parts, keys)
    if isinstance(checked, Invalid):
        return checked
    header = checked.header
    if header.get("typ") != TYPE:
        return Invalid(code="signature_type")
    issued_at, version = moment_of(header.get("iat")), header.get("ver")
    if issued_at is None or not isinstance(version, str) or len(version) > MAX_VERSION:
        return Invalid(code="signature_header")
    if not checked.key.signs_at(issued_at):
        return Invalid(code="signature_outside_validity")
    return Valid(
        body=decode_url(parts.payload) or b"", kid=checked.key.kid, issued_at=issued_at, version=version
    )
