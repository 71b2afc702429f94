"""Is what a payment accepted what we offer? Compared exactly, and by ourselves: no facilitator is asked."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from assay402.core.strictjson import JSON, integer
from assay402.service.authorization import Authorization
from assay402.service.offer import OFFER_RECEIPT, Offer
from assay402.wire.requirements import mapping

CORE: Final = ("scheme", "network", "amount", "asset", "payTo")
"""The members in which two offers are the same offer."""
_RESERVED: Final = ("assetTransferMethod", "paymentFlow")
"""Members of `extra` that change what a payment means: a client may not add them."""


def taken(accepted: Mapping[str, JSON], offer: Offer) -> Mapping[str, JSON] | None:
    """Give the entry of an offer that was accepted; None where none was.

    The core members are equal as strings, the time is the same integer, and `extra` holds at least what ours holds.
    """
    return next((entry for entry in offer.accepts if _is_taken(accepted, entry)), None)


def is_same_offer(one: Mapping[str, JSON], other: Mapping[str, JSON]) -> bool:
    """Tell whether two accepted requirements pay the same amount to the same recipient, whatever quote they carry."""
    return all(one.get(name) == other.get(name) for name in CORE)


def echo_fault(payment: Mapping[str, JSON], offer: Offer, resource_url: str) -> str | None:
    """Name what a payment says that contradicts the offer it answers: its resource, or an extension it changed.

    The resource is not signed, so a payment for another of our routes could be sent here; one that says so itself is
    a client's mistake and is not taken. An extension may be left out and added to, not changed or cut. Signed offers
    are made anew each time and are not compared.
    """
    resource = mapping(payment, "resource")
    if resource is not None and resource.get("url") != resource_url:
        return "resource_mismatch"
    sent = mapping(payment, "extensions") or {}
    for name, ours in offer.extensions.items():
        if name in sent and name != OFFER_RECEIPT and not _holds_info(sent[name], ours):
            return "extension_echo_mismatch"
    return None


def window_fault(
    authorization: Authorization, entry: Mapping[str, JSON], now: datetime, seconds: int
) -> str | None:
    """Name what of an authorization does not fit the entry it is to pay; `seconds` is how long it must still live.

    A chain without these members in the payload leaves the judgement to the facilitator.
    """
    if authorization.kind == "solana":
        return None
    if authorization.kind == "permit2":
        # Offered nowhere here, so nobody was asked for it.
        return "unsupported_scheme"
    if authorization.pay_to != str(entry["payTo"]).lower():
        return "invalid_exact_evm_payload_recipient_mismatch"
    if str(authorization.amount) != entry["amount"]:
        return "invalid_exact_evm_payload_authorization_value_mismatch"
    if authorization.valid_after is not None and authorization.valid_after > now:
        return "invalid_exact_evm_payload_authorization_valid_after"
    if authorization.valid_before is None or authorization.valid_before < now + timedelta(seconds=seconds):
        return "invalid_exact_evm_payload_authorization_valid_before"
    return None


def _is_taken(accepted: Mapping[str, JSON], entry: Mapping[str, JSON]) -> bool:
    extra, ours = mapping(accepted, "extra") or {}, mapping(entry, "extra") or {}
    return (
        is_same_offer(accepted, entry)
        and integer(accepted.get("maxTimeoutSeconds")) == entry["maxTimeoutSeconds"]
        and _holds(extra, ours)
        and all(name in ours or name not in extra for name in _RESERVED)
    )


def _holds_info(sent: JSON, ours: JSON) -> bool:
    told = mapping(sent, "info") if isinstance(sent, Mapping) else None
    wanted = mapping(ours, "info") if isinstance(ours, Mapping) else None
    return wanted is None or (told is not None and _holds(told, wanted))


def _holds(sent: JSON, ours: JSON) -> bool:
    """Tell whether everything of ours stands in what was sent: objects may have more members, all else is equal."""
    if type(ours) is str:
        return type(sent) is str and sent == ours
    if isinstance(ours, Mapping):
        return isinstance(sent, Mapping) and all(
            name in sent and _holds(sent[name], value) for name, value in ours.items()
        )
    if isinstance(ours, list | tuple):
        return isinstance(sent, list | tuple) and len(sent) == len(ours) and all(map(_holds, sent, ours))
    if isinstance(ours, int) and not isinstance(ours, bool):
        return integer(sent) == ours
    return type(sent) is type(ours) and sent == ours
