"""SIGN-IN-WITH-X: whose wallet signed a statement addressed to this service? Used for receipts alone.

The header is base64 of a JSON object: the members of the statement, and address, chain and signature. The text that was
signed is written anew from them (EIP-4361, and its like on Solana), so nothing counts that was not signed. Contracts'
signatures are not read, as no chain is asked.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct

from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, RepeatedNames, read
from assay402.service.transactions import base58
from assay402.wire.address import is_evm_address
from assay402.wire.authorization import can_recover, personal_signer
from assay402.wire.requirements import text
from assay402.wire.transport import decode_header
from assay402.wire.validity import SIGNATURE_BYTES, signature_bytes

MAX_AGE: Final = timedelta(minutes=5)
"""How old a statement may be."""
TOLERANCE: Final = timedelta(seconds=30)
"""How far ahead of ours the signer's clock may be."""
LONGEST: Final = 8_192
"""Characters of the header."""
_LONGEST_NONCE: Final = 128
_SHORTEST_NONCE: Final = 8
_KEY_BYTES: Final = 32
_ED25519_BYTES: Final = 64
_REQUIRED: Final = ("domain", "uri", "version", "nonce", "issuedAt", "address", "chainId", "signature")
_OPTIONAL: Final = ("statement", "expirationTime", "notBefore", "requestId")


class SignedIn(Struct, frozen=True, kw_only=True):
    """Who signed, and the nonce that may be used once."""

    address: str
    """Lower-case on an EVM chain."""
    nonce: str


def signed_in(header: str, public_url: str, now: datetime) -> SignedIn | None:
    """Give who signed a statement that is addressed to us and holds now; None for anything else."""
    sent = _read(header)
    if sent is None or not _is_for(sent, public_url) or not _holds_now(sent, now):
        return None
    address, chain, signature = (sent[name] for name in ("address", "chainId", "signature"))
    namespace, _, reference = chain.partition(":")
    if namespace == "eip155" and is_evm_address(address):
        return _of_evm(sent, address, reference, signature)
    if namespace == "solana" and _is_ed25519(_lines(sent, "Solana", reference), address, signature):
        return SignedIn(address=address, nonce=sent["nonce"])
    return None


class _Sent(dict[str, str]):
    """The members of a statement that are texts."""

    resources: Sequence[str] = ()


def _read(header: str) -> _Sent | None:
    data = decode_header(header) if len(header) <= LONGEST else None
    try:
        value: JSON = None if data is None else read(data)
    except JSONUnreadable:
        return None
    if not isinstance(value, Mapping) or isinstance(value, RepeatedNames):
        return None
    sent = _Sent()
    for name in (*_REQUIRED, *_OPTIONAL):
        member = text(value, name)
        if member is None and (name in _REQUIRED or value.get(name) is not None):
            return None
        if member is not None and (not member or "\n" in member or "\r" in member):
            return None
        if member is not None:
            sent[name] = member
    resources = value.get("resources") or ()
    if not isinstance(resources, list | tuple):
        return None
    sent.resources = [each for each in resources if isinstance(each, str) and "\n" not in each]
    return sent if len(sent.resources) == len(resources) else None


def _is_for(sent: _Sent, public_url: str) -> bool:
    """Tell whether a statement names this service: its host, an address under it, and a nonce long enough to be one."""
    host, uri = urlsplit(public_url).netloc, sent["uri"]
    return (
        bool(host)
        and sent["domain"] == host
        and (uri == public_url or uri.startswith((f"{public_url}/", f"{public_url}?")))
        and sent["version"] == "1"
        and _SHORTEST_NONCE <= len(sent["nonce"]) <= _LONGEST_NONCE
        and sent["nonce"].isalnum()
        and sent["nonce"].isascii()
    )


def _holds_now(sent: _Sent, now: datetime) -> bool:
    issued, ends, begins = (_moment(sent.get(name)) for name in ("issuedAt", "expirationTime", "notBefore"))
    if any(name in sent and _moment(sent[name]) is None for name in ("expirationTime", "notBefore")):
        return False
    return (
        issued is not None
        and issued <= now + TOLERANCE
        and now <= issued + MAX_AGE
        and (ends is None or now < ends)
        and (begins is None or begins <= now + TOLERANCE)
    )


def _moment(value: str | None) -> datetime | None:
    try:
        moment = None if value is None else datetime.fromisoformat(value)
    except ValueError:
        return None
    if moment is None:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _of_evm(sent: _Sent, address: str, reference: str, signature: str) -> SignedIn | None:
    if signature_bytes(signature) != SIGNATURE_BYTES or not can_recover():
        return None
    lines = _lines(sent, "Ethereum", reference)
    # Without a statement EIP-4361 has two empty lines; some wallets write one. Both say the same.
    spellings = (lines,) if "statement" in sent else (lines, [*lines[:2], "", *lines[2:]])
    if address.lower() not in {personal_signer("\n".join(each), signature) for each in spellings}:
        return None
    return SignedIn(address=address.lower(), nonce=sent["nonce"])


def _lines(sent: _Sent, family: str, reference: str) -> list[str]:
    statement = [sent["statement"], ""] if "statement" in sent else []
    told = [
        f"{sent['domain']} wants you to sign in with your {family} account:",
        sent["address"],
        "",
        *statement,
        f"URI: {sent['uri']}",
        f"Version: {sent['version']}",
        f"Chain ID: {reference}",
        f"Nonce: {sent['nonce']}",
        f"Issued At: {sent['issuedAt']}",
    ]
    named = (("Expiration Time", "expirationTime"), ("Not Before", "notBefore"), ("Request ID", "requestId"))
    told += [f"{label}: {sent[name]}" for label, name in named if name in sent]
    return told + (["Resources:", *(f"- {each}" for each in sent.resources)] if sent.resources else [])


def _is_ed25519(lines: list[str], address: str, signature: str) -> bool:
    key, signed = base58(address), base58(signature)
    if key is None or signed is None or len(key) != _KEY_BYTES or len(signed) != _ED25519_BYTES:
        return False
    # A compiled package, loaded where somebody signs in.
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signed, "\n".join(lines).encode())
    except InvalidSignature:
        return False
    return True
