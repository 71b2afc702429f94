"""The x402 objects of both versions, as views of what was sent.

A view keeps the object whole (`sent`, unknown members included) and reads the members the specification names,
each only in the type the specification gives it: anything else reads as None, and `sent` still tells what stood
there. Nothing is coerced, defaulted or dropped. Null counts as absent.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from assay402.core.strictjson import JSON, integer

AmountName = Literal["amount", "maxAmountRequired"]
AMOUNT: Final = "amount"
"""Version 2's name of the amount."""
MAX_AMOUNT_REQUIRED: Final = "maxAmountRequired"
"""Version 1's."""

_ATOMIC: Final = re.compile(r"[0-9]{1,78}")


class PaymentRequirements(Struct, frozen=True, kw_only=True):
    """One entry of `accepts`: one way to pay."""

    sent: Mapping[str, JSON]

    @property
    def scheme(self) -> str | None:
        """How value moves, such as `exact`."""
        return text(self.sent, "scheme")

    @property
    def network(self) -> str | None:
        """The network as spelled: a CAIP-2 id, a version 1 name, or something else."""
        return text(self.sent, "network")

    @property
    def amount_names(self) -> tuple[AmountName, ...]:
        """The amount members that stand here, whatever their value, null excepted."""
        has_v1, has_v2 = is_present(self.sent, MAX_AMOUNT_REQUIRED), is_present(self.sent, AMOUNT)
        if has_v1:
            return (MAX_AMOUNT_REQUIRED, AMOUNT) if has_v2 else (MAX_AMOUNT_REQUIRED,)
        return (AMOUNT,) if has_v2 else ()

    @property
    def amount(self) -> int | None:
        """Atomic units, where exactly one amount member stands here and is a string of decimal digits."""
        names = self.amount_names
        return atomic_amount(self.sent[names[0]]) if len(names) == 1 else None

    @property
    def asset(self) -> str | None:
        """Token address, mint or currency code."""
        return text(self.sent, "asset")

    @property
    def pay_to(self) -> str | None:
        """Address or role that is paid."""
        return text(self.sent, "payTo")

    @property
    def max_timeout_seconds(self) -> int | None:
        """Seconds the payment may take."""
        return integer(self.sent.get("maxTimeoutSeconds"))

    @property
    def extra(self) -> Mapping[str, JSON] | None:
        """Scheme-specific members."""
        return mapping(self.sent, "extra")


class PaymentRequired(Struct, frozen=True, kw_only=True):
    """What may be paid: the object of a 402 answer, of either version."""

    sent: Mapping[str, JSON]
    accepts: tuple[PaymentRequirements | None, ...]
    """The entries in order; None where an entry is no object (`sent` tells what it is)."""

    @property
    def x402_version(self) -> int | None:
        """The version member, where it is an integer."""
        return integer(self.sent.get("x402Version"))

    @property
    def error(self) -> str | None:
        """The error text, where it is a string."""
        return text(self.sent, "error")

    @property
    def resource(self) -> Mapping[str, JSON] | None:
        """Version 2's ResourceInfo; version 1 puts a URL into each entry instead."""
        return mapping(self.sent, "resource")

    @property
    def extensions(self) -> Mapping[str, JSON] | None:
        """Version 2's extensions by name."""
        return mapping(self.sent, "extensions")


class PaymentPayload(Struct, frozen=True, kw_only=True):
    """What a client sends to pay, of either version."""

    sent: Mapping[str, JSON]

    @property
    def x402_version(self) -> int | None:
        """The version member, where it is an integer."""
        return integer(self.sent.get("x402Version"))

    @property
    def scheme(self) -> str | None:
        """Version 1's place of the scheme."""
        return text(self.sent, "scheme")

    @property
    def network(self) -> str | None:
        """Version 1's place of the network."""
        return text(self.sent, "network")

    @property
    def accepted(self) -> PaymentRequirements | None:
        """Version 2's chosen requirements."""
        accepted = mapping(self.sent, "accepted")
        return None if accepted is None else PaymentRequirements(sent=accepted)

    @property
    def payload(self) -> Mapping[str, JSON] | None:
        """The scheme-specific part: signature and authorization, or transaction."""
        return mapping(self.sent, "payload")


class SettlementResponse(Struct, frozen=True, kw_only=True):
    """What came of settling, as PAYMENT-RESPONSE or X-PAYMENT-RESPONSE carries it."""

    sent: Mapping[str, JSON]

    @property
    def success(self) -> bool | None:
        """Whether the payment was settled."""
        value = self.sent.get("success")
        return value if isinstance(value, bool) else None

    @property
    def transaction(self) -> str | None:
        """Transaction id; empty where nothing was broadcast."""
        return text(self.sent, "transaction")

    @property
    def network(self) -> str | None:
        """The network as spelled."""
        return text(self.sent, "network")

    @property
    def payer(self) -> str | None:
        """Who paid."""
        return text(self.sent, "payer")

    @property
    def error_reason(self) -> str | None:
        """Why it was not settled."""
        return text(self.sent, "errorReason")


def atomic_amount(value: JSON) -> int | None:
    """Read an amount of atomic units: a string of 1 to 78 decimal digits, as x402 spells it, or None."""
    return int(value) if isinstance(value, str) and _ATOMIC.fullmatch(value) else None


def is_present(sent: Mapping[str, JSON], name: str) -> bool:
    """Tell whether a member stands in an object with a value other than null."""
    return sent.get(name) is not None


def text(sent: Mapping[str, JSON], name: str) -> str | None:
    """Give a member that is a string, or None."""
    value = sent.get(name)
    return value if isinstance(value, str) else None


def mapping(sent: Mapping[str, JSON], name: str) -> Mapping[str, JSON] | None:
    """Give a member that is an object, or None."""
    value = sent.get(name)
    # What a mapping is, is asked of the abstract class, which takes ten times as long as to see that it is a dict.
    return value if type(value) is dict or isinstance(value, Mapping) else None
