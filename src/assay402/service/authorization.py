"""Which authorization does a payment carry? One key for each, however the payment is spelled.

The key is what the chain itself lets happen at most once. A spelling that could stand for the same authorization
under another key is refused instead: the shapes taken here are those of the specification and no others.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, Literal

from msgspec import Struct

from assay402.core.canon import canonical, canonical_if_plain, sha256_hex
from assay402.core.strictjson import JSON, MAX_DEPTH, Number, RepeatedNames, integer
from assay402.wire.address import is_evm_address
from assay402.wire.network import network_form
from assay402.wire.requirements import mapping, text
from assay402.wire.solana import transaction_message
from assay402.wire.validity import MAX_AMOUNT, SIGNATURE_BYTES, is_amount, signature_bytes

PERMIT2: Final = "0x000000000022d473030f116ddee9f6b43ac78ba3"
"""The Permit2 contract, at the same address on every chain."""
PERMIT2_PROXY: Final = "0x402085c248eea27d92e8b30b2c58ed07f9e20001"
"""The spender an exact payment over Permit2 names."""

_PAYMENT: Final = frozenset({"x402Version", "resource", "accepted", "payload", "extensions"})
_RESOURCE_TEXTS: Final = ("description", "mimeType", "serviceName", "iconUrl")
_EIP3009: Final = frozenset({"signature", "authorization"})
_EIP3009_AUTHORIZATION: Final = frozenset({"from", "to", "value", "validAfter", "validBefore", "nonce"})
_PERMIT2: Final = frozenset({"signature", "permit2Authorization"})
_PERMIT2_AUTHORIZATION: Final = frozenset({"permitted", "from", "spender", "nonce", "deadline", "witness"})
_SOLANA: Final = frozenset({"transaction"})
_NONCE_DIGITS: Final = 64
_FAR: Final = datetime(9999, 12, 31, tzinfo=UTC)
"""Later than any calendar, which an authorization without an end may name."""
_FAR_SECONDS: Final = int(_FAR.timestamp())

Kind = Literal["eip3009", "permit2", "solana"]


class Authorization(Struct, frozen=True, kw_only=True):
    """What a payment authorizes, read from its payload and not yet verified by anybody."""

    kind: Kind
    key: str
    """`kind network asset from nonce`, or what stands in for them on another chain; lower case where case says nothing."""
    payload_sha256: str
    """Of the whole payment as canonical JSON, in hex."""
    logical_payment_id: str
    """SHA-256 of payer, nonce, network and asset, in hex: what `ARBITER-LOGICAL-PAYMENT-ID` says."""
    network: str
    asset: str
    payer: str | None
    """Lower-case; None on Solana, where the facilitator tells."""
    pay_to: str | None
    """Who is paid, lower-case; None on Solana, where the facilitator judges the transaction."""
    amount: int | None
    """Atomic units; None on Solana."""
    valid_after: datetime | None
    valid_before: datetime | None
    """None on Solana, where a transaction lives as long as the blockhash it names."""


class InvalidPayload(Struct, frozen=True, kw_only=True):
    """The payment is no PaymentPayload of version 2 with an exact payment of a kind known here."""

    code: str = "invalid_payload"


def read_authorization(payment: Mapping[str, JSON]) -> Authorization | InvalidPayload:
    """Read the authorization of a payment as sent. Nothing is coerced and no member passed over."""
    accepted, payload = mapping(payment, "accepted"), mapping(payment, "payload")
    if (
        accepted is None
        or payload is None
        or not _PAYMENT.issuperset(payment)
        or integer(payment.get("x402Version")) != 2  # noqa: PLR2004  (the version)
        or not isinstance(payment.get("extensions"), Mapping | None)
        or not _is_resource(payment.get("resource"))
    ):
        return InvalidPayload()
    network, asset = text(accepted, "network"), text(accepted, "asset")
    if network is None or asset is None or network_form(network) != "CAIP-2":
        return InvalidPayload()
    digest = _digest(payment)
    if digest is None:
        return InvalidPayload()
    if network.startswith("solana:"):
        found = _solana(network, asset, payload)
    elif not network.startswith("eip155:") or not is_evm_address(asset):
        found = None
    else:
        found = _eip3009(network, asset.lower(), payload) or _permit2(network, asset.lower(), payload)
    return InvalidPayload() if found is None else _authorization(found, digest)


def _is_resource(value: JSON) -> bool:
    """Tell whether a `resource` is none, or has members of the specification's types: no facilitator reads another."""
    if value is None or not isinstance(value, Mapping):
        return value is None
    tags = value.get("tags")
    return (
        isinstance(value.get("url"), str)
        and all(isinstance(value.get(name), str | None) for name in _RESOURCE_TEXTS)
        and (tags is None or (isinstance(tags, list | tuple) and all(isinstance(each, str) for each in tags)))
    )


def accepted_text(accepted: Mapping[str, JSON]) -> str:
    """Give requirements as the row of a payment holds them: canonical JSON."""
    return canonical(accepted).decode()


class _Found(Struct, frozen=True, kw_only=True):
    kind: Kind
    network: str
    asset: str
    scope: str
    """What a nonce is unique within, besides network and payer: the token, or the Permit2 contract."""
    payer: str | None
    nonce: str
    pay_to: str | None = None
    amount: int | None = None
    valid_after: datetime | None = None
    valid_before: datetime | None = None


def _authorization(found: _Found, digest: str) -> Authorization:
    key = (found.kind, found.network, found.scope, found.payer, found.nonce)
    logical: list[JSON] = [found.payer, found.nonce, found.network, found.asset]
    return Authorization(
        kind=found.kind,
        key=" ".join(part for part in key if part is not None),
        payload_sha256=digest,
        logical_payment_id=sha256_hex(canonical(logical)),
        network=found.network,
        asset=found.asset,
        payer=found.payer,
        pay_to=found.pay_to,
        amount=found.amount,
        valid_after=found.valid_after,
        valid_before=found.valid_before,
    )


def _eip3009(network: str, asset: str, payload: Mapping[str, JSON]) -> _Found | None:
    sent = mapping(payload, "authorization")
    if sent is None or set(payload) != _EIP3009 or set(sent) != _EIP3009_AUTHORIZATION:
        return None
    payer, pay_to, nonce = (text(sent, name) for name in ("from", "to", "nonce"))
    amounts = [_amount(sent.get(name)) for name in ("value", "validAfter", "validBefore")]
    value, after, before = amounts
    if (
        payer is None
        or pay_to is None
        or nonce is None
        or value is None
        or after is None
        or before is None
        or not _is_signed(payload)
        or not (is_evm_address(payer) and is_evm_address(pay_to))
        or len(nonce) != len("0x") + _NONCE_DIGITS
        or signature_bytes(nonce) == 0
    ):
        return None
    return _Found(
        kind="eip3009", network=network, asset=asset, scope=asset, payer=payer.lower(), nonce=nonce.lower(),
        pay_to=pay_to.lower(), amount=value, valid_after=_moment(after), valid_before=_moment(before),
    )  # fmt: skip


def _permit2(network: str, asset: str, payload: Mapping[str, JSON]) -> _Found | None:
    sent = mapping(payload, "permit2Authorization")
    permitted, witness = (None if sent is None else mapping(sent, name) for name in ("permitted", "witness"))
    if (
        sent is None
        or permitted is None
        or witness is None
        or set(payload) != _PERMIT2
        or set(sent) != _PERMIT2_AUTHORIZATION
        or set(permitted) != {"token", "amount"}
        or set(witness) != {"to", "validAfter"}
    ):
        return None
    payer, spender = text(sent, "from"), text(sent, "spender")
    token, pay_to = text(permitted, "token"), text(witness, "to")
    amount, nonce = _amount(permitted.get("amount")), _amount(sent.get("nonce"))
    after, before = _amount(witness.get("validAfter")), _amount(sent.get("deadline"))
    if (
        payer is None
        or spender is None
        or token is None
        or pay_to is None
        or amount is None
        or nonce is None
        or after is None
        or before is None
        or not _is_signed(payload)
        or not all(map(is_evm_address, (payer, spender, token, pay_to)))
        or spender.lower() != PERMIT2_PROXY
        or token.lower() != asset
    ):
        return None
    return _Found(
        kind="permit2", network=network, asset=asset, scope=PERMIT2, payer=payer.lower(), nonce=str(nonce),
        pay_to=pay_to.lower(), amount=amount, valid_after=_moment(after), valid_before=_moment(before),
    )  # fmt: skip


def _solana(network: str, asset: str, payload: Mapping[str, JSON]) -> _Found | None:
    transaction = text(payload, "transaction")
    if transaction is None or set(payload) != _SOLANA:
        return None
    message = transaction_message(transaction)
    if message is None:
        return None
    return _Found(
        kind="solana", network=network, asset=asset, scope="message", payer=None, nonce=sha256_hex(message)
    )


def _amount(value: JSON) -> int | None:
    """Read a number of up to 256 bits, spelled in the one way the specification has."""
    return int(value) if isinstance(value, str) and is_amount(value) else None


def _is_signed(payload: Mapping[str, JSON]) -> bool:
    return signature_bytes(payload.get("signature")) >= SIGNATURE_BYTES


def _moment(seconds: int) -> datetime:
    assert seconds <= MAX_AMOUNT  # noqa: S101  (`is_amount` says so)
    return datetime.fromtimestamp(seconds, UTC) if seconds < _FAR_SECONDS else _FAR


def _digest(payment: Mapping[str, JSON]) -> str | None:
    """Give the SHA-256 of a payment's canonical form; None where it has none, or where it is not clear what was signed."""
    quick = canonical_if_plain(payment)
    if quick is not None:
        return sha256_hex(quick)
    if not is_clear(payment):
        return None
    try:
        return sha256_hex(canonical(payment))
    except ValueError:
        # Half a surrogate pair, or an exponent beyond reason.
        return None


def is_clear(payment: Mapping[str, JSON]) -> bool:
    """Tell whether no name stands twice in any object of a payment, and it nests no deeper than the reader would take.

    Of two of a name, readers may take the first or the last. A tool call hands its payment over as values, which no
    reader of ours has bounded: a shared value is met once a level, so that neither cycles nor sharing make it long.
    """
    level: list[Mapping[str, JSON] | list[JSON] | tuple[JSON, ...]] = [payment]
    for _ in range(MAX_DEPTH):
        if not level:
            return True
        inner = {}
        for found in level:
            if type(found) is RepeatedNames:
                return False
            parts = found.values() if isinstance(found, Mapping) else found
            if _LEAVES.issuperset(map(type, parts)):
                continue
            for each in parts:
                if type(each) not in _LEAVES and isinstance(each, Mapping | list | tuple):
                    inner[id(each)] = each
        level = list(inner.values())
    return not level


_LEAVES: Final = frozenset({str, bool, int, float, Number, type(None)})
