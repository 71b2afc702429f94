"""The six axes: each is read from the artefact or reported as undetermined, and none is inferred from another."""

from collections.abc import Iterable
from typing import Literal, TypeVar

from assay402.checks.dialect.model import (
    UNDETERMINED,
    AmountField,
    Carrier,
    ClientHeader,
    DialectFacts,
    NetworkIdForm,
    PayloadShape,
    ReceiptHeaders,
    Undetermined,
)
from assay402.core.check import rule
from assay402.wire.transport import PAYMENT_SIGNATURE, X_PAYMENT, X_PAYMENT_TX

Form = TypeVar("Form", bound=str)


@rule("dialect/challenge-carrier", since="0.1", spec="axes_rule (1)")
def challenge_carrier(facts: DialectFacts) -> Carrier:
    """Say where the 402 answer carries its challenge.

    ## What it reports
    `v1-body` when only the body carries a challenge, `v2-header` when only the `PAYMENT-REQUIRED` header does,
    `both`, or `none`. UNDETERMINED when there was no inspectable 402, or nothing of one was submitted.

    ## Why it matters
    A payer that reads the wrong leg believes there is nothing to pay. Version 1 clients read the body only;
    version 2 clients read the header first.

    ## How to fix it
    Send the challenge in every leg your callers read: a JSON object whose `accepts` array is not empty, in the
    header as base64 of UTF-8 JSON. Do not wrap it in `detail`, `x402` or another object.

    ## Known limits
    The label names the place, not the dialect: a version 2 challenge in the body is `v1-body`. A capture that
    leaves the header out reads as if the server had sent none, so submit the header too. An answer over the limits
    of size is not inspected at all, even where its header alone could have been read.
    """
    if not facts.has_leg_to_inspect:
        return UNDETERMINED
    carrying = {leg.name for leg in facts.legs}
    if "body" in carrying:
        return "both" if "header" in carrying else "v1-body"
    return "v2-header" if "header" in carrying else "none"


@rule("dialect/client-header-names", since="0.1", spec="axes_rule (2)")
def client_header_names(facts: DialectFacts) -> tuple[ClientHeader, ...] | Undetermined:
    """Say which payment header names the artefact evidences for the client.

    ## What it reports
    `PAYMENT-SIGNATURE`, `X-PAYMENT` and `X-Payment-Tx`, where they stand as whole words in the `error` text of a
    leg that carries a challenge, or as names among the submitted payment headers. UNDETERMINED when none does.

    ## Why it matters
    A client that sends its payment in a header the server does not read is told to pay again.

    ## How to fix it
    Name the header in the challenge's `error`, spelled as your server reads it.

    ## Known limits
    A name in `message`, `hint`, `detail` or in a body without a challenge is not evidence. A name that is
    evidenced is not thereby accepted.
    """
    named = {*facts.payload_header_names, *(name for leg in facts.legs for name in leg.named_in_error)}
    in_order: tuple[ClientHeader, ...] = (PAYMENT_SIGNATURE, X_PAYMENT, X_PAYMENT_TX)
    return tuple(name for name in in_order if name in named) or UNDETERMINED


@rule("dialect/payload-shape", since="0.1", spec="axes_rule (3)")
def payload_shape(facts: DialectFacts) -> PayloadShape:
    """Say where a submitted payment payload names its scheme and network.

    ## What it reports
    `top-level` when scheme or network stand at the top of the payload (version 1), `inside-accepted` when they
    stand in its `accepted` object (version 2), or `both`. UNDETERMINED when no payload was submitted, or it
    carries neither.

    ## Why it matters
    A server that looks in the other place rejects the payment as malformed.

    ## How to fix it
    Build the payload for the version of the challenge you pay: version 2 echoes the chosen requirements in
    `accepted`.

    ## Known limits
    Only `payload_obj` is read. The value of a payment header is not decoded, and a facilitator's envelope is not
    unwrapped.
    """
    if facts.payload is None:
        return UNDETERMINED
    if facts.payload.at_top_level:
        return "both" if facts.payload.inside_accepted else "top-level"
    return "inside-accepted" if facts.payload.inside_accepted else UNDETERMINED


@rule("dialect/amount-field-name", since="0.1", spec="axes_rule (4)")
def amount_field_name(facts: DialectFacts) -> AmountField:
    """Say by which name the challenge states its amount.

    ## What it reports
    `maxAmountRequired` (version 1), `amount` (version 2), or `both`, read from `accepts[0]` of each leg and
    combined over the legs. UNDETERMINED when no leg has either. Null counts as absent.

    ## Why it matters
    A client of one version sees no price under the other version's name.

    ## How to fix it
    Use the name of the version that leg speaks; a server of both versions uses one name in each leg.

    ## Known limits
    `both` may mean one leg with both names or two legs with one each. The value is not looked at. Other entries
    than the first are not read, so reordering them can change the answer.
    """
    return _union(name for leg in facts.legs for name in leg.amount_names)


@rule("dialect/network-id-form", since="0.1", spec="axes_rule (5)")
def network_id_form(facts: DialectFacts) -> NetworkIdForm:
    """Say in which form the challenge names its network.

    ## What it reports
    `CAIP-2` for `namespace:reference` (version 2), `slug` for a bare lower-case name such as `base` (version 1),
    or `both`, read from `accepts[0]` of each leg and combined over the legs. UNDETERMINED when absent, or when
    the value has neither form.

    ## Why it matters
    A client looks the network up by its own version's form and finds no way to pay under the other.

    ## How to fix it
    Write `eip155:8453` where you speak version 2 and `base` where you speak version 1.

    ## Known limits
    Only the form is read: an unknown network of the right form is of that form. Namespaces over 8 characters and
    references over 32, or with characters beyond letters, digits, `-` and `_`, are not CAIP-2.
    """
    return _union(leg.network_form for leg in facts.legs if leg.network_form is not None)


@rule("dialect/receipt-headers", since="0.1", spec="axes_rule (6)")
def receipt_headers(facts: DialectFacts) -> ReceiptHeaders:
    """Say which receipt headers a paid response carried.

    ## What it reports
    `X-PAYMENT-RESPONSE` (version 1), `PAYMENT-RESPONSE` (version 2), `both`, or `none`, from a submitted set of
    paid-response headers. UNDETERMINED when no set was submitted; a probe never shows receipts.

    ## Why it matters
    A client that looks for the other name believes its payment was not acknowledged.

    ## How to fix it
    Answer a paid request with the receipt header of the version it was paid in.

    ## Known limits
    Any submitted `response_headers` are taken for those of a paid response. The headers of the 402 itself do not
    belong there: they read as `none`.
    """
    if facts.receipt_names is None:
        return UNDETERMINED
    combined = _union(facts.receipt_names)
    return "none" if combined == UNDETERMINED else combined


def _union(forms: Iterable[Form]) -> Form | Literal["both", "UNDETERMINED"]:
    """Combine what the legs carry: one form, both, or nothing known."""
    carried = set(forms)
    if len(carried) > 1:
        return "both"
    return next(iter(carried), UNDETERMINED)
