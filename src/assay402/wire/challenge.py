"""A challenge as received: the whole unpaid answer, and the PaymentRequired in each of its legs.

A leg is one place of a challenge: the body of the 402, or its PAYMENT-REQUIRED header. A leg *carries a
challenge* when it is a JSON object whose `accepts` is an array that is not empty. Wrapped or flat objects and
other header names carry none.
"""

from collections.abc import Mapping, Sequence
from enum import Enum

from msgspec import Struct

from assay402.core.asks import Fetched
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, is_deeper, read
from assay402.wire.requirements import PaymentRequired, PaymentRequirements
from assay402.wire.transport import PAYMENT_REQUIRED, decode_header


class NoChallenge(Enum):
    """Why a leg carries no challenge."""

    ABSENT = "absent"
    VALUES_DIFFER = "values-differ"
    """Several PAYMENT-REQUIRED headers that are not identical."""
    NOT_BASE64 = "not-base64"
    NOT_JSON = "not-json"
    TOO_DEEP = "too-deep"
    """An object that was already decoded and nests deeper than the reader takes; such a text is `NOT_JSON`."""
    NOT_AN_OBJECT = "not-an-object"
    NO_ACCEPTS = "no-accepts"
    """`accepts` is absent, no array, or empty."""


Leg = PaymentRequired | NoChallenge


class Challenge(Struct, frozen=True, kw_only=True):
    """An unpaid answer with its two legs, each judged apart from the other."""

    received: Fetched
    body: Leg
    header: Leg

    @property
    def legs_differ(self) -> bool:
        """Both legs carry a challenge, and not the same one."""
        return (
            isinstance(self.body, PaymentRequired)
            and isinstance(self.header, PaymentRequired)
            and self.body.sent != self.header.sent
        )


def challenge_of(received: Fetched) -> Challenge:
    """Read both legs of an answer, whatever its status and content type."""
    return Challenge(
        received=received,
        body=body_leg(received.body),
        header=header_leg(received.header(PAYMENT_REQUIRED)),
    )


def body_leg(source: bytes | str) -> Leg:
    """Read the body of an answer, exactly as sent."""
    try:
        return _leg(read(source))
    except JSONUnreadable:
        return NoChallenge.NOT_JSON


def header_leg(values: Sequence[str]) -> Leg:
    """Read the values of the PAYMENT-REQUIRED headers: one, or several that are identical.

    Joining several, as RFC 9110 allows, would break the base64; choosing one would hide the other.
    """
    if not values:
        return NoChallenge.ABSENT
    if len(set(values)) > 1:
        return NoChallenge.VALUES_DIFFER
    data = decode_header(values[0])
    return NoChallenge.NOT_BASE64 if data is None else body_leg(data)


def leg_of(value: JSON) -> Leg:
    """Read a leg that is already decoded, held to the depth of the reader."""
    return NoChallenge.TOO_DEEP if is_deeper(value) else _leg(value)


def _leg(value: JSON) -> Leg:
    if not isinstance(value, Mapping):
        return NoChallenge.NOT_AN_OBJECT
    accepts = value.get("accepts")
    if not isinstance(accepts, list | tuple) or not accepts:
        return NoChallenge.NO_ACCEPTS
    return PaymentRequired(
        sent=value,
        accepts=tuple(
            PaymentRequirements(sent=entry) if isinstance(entry, Mapping) else None for entry in accepts
        ),
    )
