"""Signed offers and receipts of x402's extension `offer-receipt` (version 0.6), in its JWS form.

An offer says what a resource costs until when; a receipt says that a payer was served. The payload is canonical JSON
(RFC 8785: all members are texts and small integers), the header holds exactly the algorithm and the key's name.
Another form, EIP-712, is not written here. The extension calls itself unstable: everything about it is in this module.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, Literal

from msgspec import Struct

from assay402.attest.base64url import decode_url
from assay402.attest.jws import Checked, Invalid, check, compact, sign, split
from assay402.attest.keys import Signer
from assay402.attest.publication import KeySet, moment_of, seconds
from assay402.core.canon import canonical
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, RepeatedNames, integer, read

EXTENSION: Final = "offer-receipt"
"""Its key under `extensions`, in a PaymentRequired and in a SettlementResponse."""
PAYLOAD_VERSION: Final = 1
MAX_ARTIFACT: Final = 16_384
"""Characters of a signed offer or receipt."""

_TERMS: Final = ("scheme", "network", "asset", "payTo", "amount")
"""What an offer repeats of the PaymentRequirements it is about."""
_OFFER: Final = frozenset({"version", "resourceUrl", *_TERMS})
_RECEIPT: Final = frozenset({"version", "network", "resourceUrl", "payer", "issuedAt"})
_HEADER: Final = frozenset({"alg", "kid"})


class Signed(Struct, frozen=True, kw_only=True):
    """An offer or a receipt that was signed by a key of the set."""

    kind: Literal["offer", "receipt"]
    kid: str
    payload: Mapping[str, JSON]
    """As it was signed: an offer may be over, which `validUntil` tells; numbers keep their spelling."""


def sign_offer(
    signer: Signer,
    resource_url: str,
    requirements: Mapping[str, JSON],
    *,
    valid_until: datetime | None,
    accept_index: int | None = None,
) -> dict[str, JSON]:
    """Sign one of the PaymentRequirements of a resource, given as it stands in `accepts`.

    `accept_index` is its place there: an unsigned hint.
    """
    payload: dict[str, JSON] = {
        "version": PAYLOAD_VERSION,
        "resourceUrl": resource_url,
        **{name: requirements[name] for name in _TERMS},
    }
    if valid_until is not None:
        payload["validUntil"] = seconds(valid_until)
    hint: dict[str, JSON] = {} if accept_index is None else {"acceptIndex": accept_index}
    return {"format": "jws", **hint, "signature": _signed(signer, payload)}


def sign_receipt(  # noqa: PLR0913  (the members of a receipt)
    signer: Signer,
    *,
    resource_url: str,
    network: str,
    payer: str,
    issued_at: datetime,
    transaction: str | None = None,
) -> dict[str, JSON]:
    """Sign that a payer was served. The transaction stays out unless it is given, for the payer's privacy."""
    payload: dict[str, JSON] = {
        "version": PAYLOAD_VERSION,
        "network": network,
        "resourceUrl": resource_url,
        "payer": payer,
        "issuedAt": seconds(issued_at),
    }
    if transaction:
        payload["transaction"] = transaction
    return {"format": "jws", "signature": _signed(signer, payload)}


def offers_extension(offers: Sequence[Mapping[str, JSON]]) -> dict[str, JSON]:
    """Give what a PaymentRequired carries under `offer-receipt`."""
    return {"info": {"offers": list(offers)}, "schema": _OFFERS_SCHEMA}


def receipt_extension(receipt: Mapping[str, JSON]) -> dict[str, JSON]:
    """Give what a SettlementResponse carries under `offer-receipt`."""
    return {"info": {"receipt": receipt}, "schema": _RECEIPT_SCHEMA}


def verify_artifact(artifact: JSON, keys: KeySet) -> Signed | Invalid:
    """Verify a signed offer or receipt in JWS form. Whether an offer still stands is the caller's to judge."""
    match artifact:
        case RepeatedNames() | {"payload": _}:
            # Beside a JWS stands no payload: it could say something else than what was signed.
            return Invalid(code="signature_payload")
        case {"format": "jws", "signature": str(text)}:
            parts = split(text) if len(text) <= MAX_ARTIFACT else Invalid(code="signature_too_long")
        case _:
            return Invalid(code="signature_payload")
    if isinstance(parts, Invalid):
        return parts
    checked = check(parts, keys)
    if isinstance(checked, Invalid):
        return checked
    if checked.header.keys() != _HEADER:
        return Invalid(code="signature_type")
    return _read(checked, decode_url(parts.payload) or b"")


def _signed(signer: Signer, payload: Mapping[str, JSON]) -> str:
    return compact(sign(signer, {}, canonical(payload)))


def _read(checked: Checked, source: bytes) -> Signed | Invalid:
    try:
        payload = read(source)
    except JSONUnreadable:
        return Invalid(code="signature_payload")
    if not isinstance(payload, Mapping) or isinstance(payload, RepeatedNames):
        return Invalid(code="signature_payload")
    if integer(payload.get("version")) != PAYLOAD_VERSION:
        return Invalid(code="signature_payload")
    if _is_shaped(payload, _OFFER, "validUntil"):
        return Signed(kind="offer", kid=checked.key.kid, payload=payload)
    if not _is_shaped(payload, _RECEIPT, "transaction"):
        return Invalid(code="signature_payload")
    if not checked.key.signs_at(_issued_at(payload)):
        return Invalid(code="signature_outside_validity")
    return Signed(kind="receipt", kid=checked.key.kid, payload=payload)


def _issued_at(payload: Mapping[str, JSON]) -> datetime:
    moment = moment_of(payload["issuedAt"])
    assert moment is not None  # noqa: S101  (the shape was judged)
    return moment


def _is_shaped(payload: Mapping[str, JSON], wanted: frozenset[str], optional: str) -> bool:
    """Tell whether a payload has the members of its kind, times as whole seconds and all else as text."""
    return payload.keys() - {optional} == wanted and all(
        moment_of(value) is not None if name in ("validUntil", "issuedAt") else isinstance(value, str)
        for name, value in payload.items()
        if name != "version"
    )


def _schema(member: str, shape: Mapping[str, JSON]) -> dict[str, JSON]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {member: shape},
        "required": [member],
    }


_ARTIFACT: Final[Mapping[str, JSON]] = {
    "type": "object",
    "properties": {
        "format": {"const": "jws"},
        "acceptIndex": {"type": "integer", "minimum": 0},
        "signature": {"type": "string"},
    },
    "required": ["format", "signature"],
}
_OFFERS_SCHEMA: Final = _schema("offers", {"type": "array", "items": _ARTIFACT})
_RECEIPT_SCHEMA: Final = _schema("receipt", _ARTIFACT)
