"""Are the x402 objects well formed? Offline shape rules: no clock, no chain, no facilitator.

Each object has its rules in a fixed order, and the first one that does not hold names the fault. A member that stands
there with null is a member with the wrong type, except `extra`. Addresses, amounts and windows are compared by value.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from assay402.core.strictjson import JSON, integer
from assay402.wire.address import is_evm_address
from assay402.wire.network import network_form, network_of
from assay402.wire.requirements import AMOUNT, MAX_AMOUNT_REQUIRED, mapping, text

Version: TypeAlias = Literal[1, 2]
ObjectName: TypeAlias = Literal[
    "payment_required", "payment_requirements", "payment_payload", "settlement_response"
]
Members: TypeAlias = Mapping[str, JSON]

EXACT: Final = "exact"
EIP155: Final = "eip155"
MAX_AMOUNT: Final = 2**256 - 1
SIGNATURE_BYTES: Final = 65
"""Of an ordinary account; a contract's signature may be longer."""

VIOLATIONS: Final = (
    "X402_NOT_OBJECT", "X402_SHAPE", "X402_VERSION", "X402_ERROR", "X402_RESOURCE", "X402_ACCEPTS", "X402_SCHEME",
    "X402_NETWORK", "X402_AMOUNT", "X402_ASSET", "X402_PAY_TO", "X402_TIMEOUT", "X402_EXTRA", "X402_DESCRIPTION",
    "X402_EXTENSIONS", "X402_ACCEPTED", "X402_PAYLOAD", "X402_SIGNATURE", "X402_AUTHORIZATION",
    "X402_RECIPIENT_MISMATCH", "X402_VALUE_MISMATCH", "X402_WINDOW", "X402_SUCCESS", "X402_TRANSACTION",
)  # fmt: skip
"""The code of every rule."""

_DECIMAL: Final = re.compile(r"0|[1-9][0-9]{0,77}")
_CHAIN_ID: Final = re.compile(r"0|[1-9][0-9]*")
_ROLE: Final = re.compile(r"[A-Za-z][A-Za-z_-]{0,31}")
_HEX: Final = re.compile(r"0x[0-9a-fA-F]+")
_NONCE_LENGTH: Final = 2 + 2 * 32


class Validity(Struct, frozen=True, kw_only=True):
    """The outcome: the code of the first rule that does not hold, or None; and how far the rules were read."""

    violation: str | None
    rules_checked: int
    accepts_index: int | None = None
    """Which entry of `accepts` the violated rule is about."""


class _Rule(Struct, frozen=True):
    code: str
    holds: bool
    accepts_index: int | None = None


_Rules: TypeAlias = Iterator[_Rule]


def object_name(sent: Members) -> ObjectName | None:
    """Tell which x402 object the members make; None where they make none."""
    if "accepts" in sent:
        return "payment_required"
    if "accepted" in sent or "payload" in sent:
        return "payment_payload"
    if "success" in sent and "transaction" in sent:
        return "settlement_response"
    return "payment_requirements" if "scheme" in sent else None


def validity(value: JSON, name: ObjectName | None = None, version: Version | None = None) -> Validity:
    """Judge a value as the named x402 object, or as the one its members make.

    `version` must be met by objects that state theirs; for the others it decides which rules hold, 2 by default.
    """
    checked = 0
    for rule in _rules(value, name, version):
        checked += 1
        if not rule.holds:
            return Validity(violation=rule.code, rules_checked=checked, accepts_index=rule.accepts_index)
    return Validity(violation=None, rules_checked=checked)


def is_eip155(network: str | None) -> bool:
    """Tell whether a network, by id or by version 1 name, is of the eip155 family."""
    found = None if network is None else network_of(network)
    return found is not None and found.namespace == EIP155


def _rules(value: JSON, name: ObjectName | None, version: Version | None) -> _Rules:
    sent = _members(value)
    yield _Rule("X402_NOT_OBJECT", sent is value)
    name = name or object_name(sent)
    if name == "payment_required":
        yield from _payment_required(sent, version)
    elif name == "payment_payload":
        yield from _payment_payload(sent, version)
    elif name == "settlement_response":
        yield from _settlement(sent, version or 2)
    elif name == "payment_requirements":
        yield from _requirement(sent, version or 2)
    else:
        yield _Rule("X402_SHAPE", False)


def _version(sent: Members, wanted: Version | None) -> _Rules:
    stated = integer(sent.get("x402Version"))
    yield _Rule("X402_VERSION", stated in (1, 2) and wanted in (None, stated))


def _payment_required(sent: Members, wanted: Version | None) -> _Rules:
    yield from _version(sent, wanted)
    version: Version = 1 if integer(sent.get("x402Version")) == 1 else 2
    yield _Rule("X402_ERROR", "error" not in sent or isinstance(sent["error"], str))
    if version != 1:
        yield _Rule("X402_RESOURCE", _is_resource(sent.get("resource")))
    accepts = sent.get("accepts")
    entries = accepts if isinstance(accepts, list) else []
    yield _Rule("X402_ACCEPTS", bool(entries))
    for index, entry in enumerate(entries):
        for rule in _requirement(entry, version):
            yield _Rule(rule.code, rule.holds, index)
    if version != 1:
        yield _extensions(sent)


def _requirement(value: JSON, version: Version) -> _Rules:
    sent = _members(value)
    yield _Rule("X402_NOT_OBJECT", sent is value)
    yield _Rule("X402_SCHEME", bool(text(sent, "scheme")))
    yield _Rule("X402_NETWORK", _is_network(sent.get("network"), version))
    yield _Rule("X402_AMOUNT", is_amount(sent.get(MAX_AMOUNT_REQUIRED if version == 1 else AMOUNT)))
    evm = is_eip155(text(sent, "network"))
    asset, pay_to = text(sent, "asset"), text(sent, "payTo")
    yield _Rule("X402_ASSET", is_evm_address(asset) if evm else bool(asset))
    yield _Rule("X402_PAY_TO", is_evm_address(pay_to) or _is_role(pay_to) if evm else bool(pay_to))
    yield _Rule("X402_TIMEOUT", (integer(sent.get("maxTimeoutSeconds")) or 0) > 0)
    yield _Rule("X402_EXTRA", sent.get("extra") is None or isinstance(sent["extra"], Mapping))
    if version == 1:
        yield _Rule("X402_RESOURCE", bool(text(sent, "resource")))
        yield _Rule("X402_DESCRIPTION", text(sent, "description") is not None)


def _payment_payload(sent: Members, wanted: Version | None) -> _Rules:
    yield from _version(sent, wanted)
    if integer(sent.get("x402Version")) == 1:
        yield _Rule("X402_SCHEME", bool(text(sent, "scheme")))
        yield _Rule("X402_NETWORK", bool(text(sent, "network")))
        payload = mapping(sent, "payload")
        yield _Rule("X402_PAYLOAD", payload is not None)
        if payload is not None and "authorization" in payload:
            yield from _authorization(payload, None)
        return
    accepted = mapping(sent, "accepted")
    yield _Rule("X402_ACCEPTED", accepted is not None)
    yield from _requirement(accepted, 2)
    if "resource" in sent:
        yield _Rule("X402_RESOURCE", _is_resource(sent["resource"]))
    yield _extensions(sent)
    payload = mapping(sent, "payload")
    yield _Rule("X402_PAYLOAD", payload is not None)
    if (
        payload is not None
        and accepted is not None
        and "authorization" in payload
        and _is_exact_evm(accepted)
    ):
        yield from _authorization(payload, accepted)


def _authorization(payload: Members, accepted: Members | None) -> _Rules:
    """Give the rules of an EIP-3009 authorization; without requirements there is nothing to compare it with."""
    yield _Rule("X402_SIGNATURE", signature_bytes(payload.get("signature")) >= SIGNATURE_BYTES)
    authorization = mapping(payload, "authorization") or {}
    yield _Rule("X402_AUTHORIZATION", _is_authorization(authorization))
    if accepted is not None:
        to, pay_to = str(authorization.get("to")), str(accepted.get("payTo"))
        yield _Rule("X402_RECIPIENT_MISMATCH", to.lower() == pay_to.lower())
        yield _Rule("X402_VALUE_MISMATCH", authorization.get("value") == accepted.get(AMOUNT))
    after, before = (str(authorization.get(name)) for name in ("validAfter", "validBefore"))
    yield _Rule("X402_WINDOW", int(before) > int(after))


def _settlement(sent: Members, version: Version) -> _Rules:
    success = sent.get("success")
    yield _Rule("X402_SUCCESS", isinstance(success, bool))
    transaction = text(sent, "transaction")
    yield _Rule("X402_TRANSACTION", transaction is not None and (success is False or transaction != ""))
    yield _Rule("X402_NETWORK", _is_network(sent.get("network"), version))


def is_amount(value: object) -> bool:
    """Tell whether a value is an amount of atomic units: decimal digits without leading zeros, up to 2^256 - 1."""
    return isinstance(value, str) and _DECIMAL.fullmatch(value) is not None and int(value) <= MAX_AMOUNT


def signature_bytes(value: object) -> int:
    """Count the bytes of a signature in hexadecimal; 0 for anything else."""
    if not isinstance(value, str) or len(value) % 2 or _HEX.fullmatch(value) is None:
        return 0
    return len(value) // 2 - 1


def _members(value: JSON) -> Members:
    """Give the members of an object, and none of anything else: the rule before has named that already."""
    return value if isinstance(value, Mapping) else {}


def _is_network(value: object, version: Version) -> bool:
    if not isinstance(value, str):
        return False
    if version == 1:
        return value != ""
    namespace, _, reference = value.partition(":")
    return network_form(value) == "CAIP-2" and (
        namespace != EIP155 or _CHAIN_ID.fullmatch(reference) is not None
    )


def _is_exact_evm(accepted: Members) -> bool:
    return accepted.get("scheme") == EXACT and is_eip155(text(accepted, "network"))


def _is_role(value: str | None) -> bool:
    return value is not None and _ROLE.fullmatch(value) is not None


def _is_resource(value: JSON) -> bool:
    return isinstance(value, Mapping) and bool(text(value, "url"))


def _extensions(sent: Members) -> _Rule:
    extensions = sent.get("extensions", {})
    holds = isinstance(extensions, Mapping) and all(map(_is_extension, extensions.values()))
    return _Rule("X402_EXTENSIONS", holds)


def _is_extension(value: JSON) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(value.get(name), Mapping) for name in ("info", "schema")
    )


def _is_authorization(sent: Members) -> bool:
    nonce = sent.get("nonce")
    return (
        all(is_evm_address(sent.get(name)) for name in ("from", "to"))
        and all(is_amount(sent.get(name)) for name in ("value", "validAfter", "validBefore"))
        and isinstance(nonce, str)
        and len(nonce) == _NONCE_LENGTH
        and _HEX.fullmatch(nonce) is not None
    )
