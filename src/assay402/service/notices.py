"""Every code the service itself answers with, explained. The rooms' own codes stand in their rooms."""

from collections.abc import Mapping
from typing import Final

from assay402.core.errors import Notice

NOTICES: Final[Mapping[str, Notice]] = {
    "invalid_payload": Notice(
        "The payment cannot be read.",
        "Send PAYMENT-SIGNATURE as base64 of one PaymentPayload of version 2, as official clients do: `accepted` from"
        " our offer and an exact payment in `payload`, with no members beyond those of the specification.",
    ),
    "payment_version": Notice(
        "The payment is of version 1 of x402.",
        "Ask without a payment, then pay the offer of the 402 in the header PAYMENT-SIGNATURE.",
    ),
    "payment_already_claimed": Notice(
        "This authorization is taken by another payment or another request.",
        "Send the payment exactly as it was sent first, to the same address, or sign a new authorization.",
    ),
    "payment_already_used": Notice(
        "This payment is settled and was used.",
        "Sign a new authorization. A kept answer is given again for the same request only.",
    ),
    "payment_identifier_invalid": Notice(
        "The id of the extension `payment-identifier` has a form it does not take.",
        "Use 16 to 128 letters, digits, hyphens and underscores.",
    ),
    "payment_identifier_required": Notice(
        "The payment carries no id.",
        "Add `info.id` to the extension `payment-identifier`, and keep it for retries.",
    ),
    "payment_identifier_conflict": Notice(
        "The id of this payment stands for another request or another offer.",
        "Use a new id for a new request.",
    ),
    "idempotency_key_invalid": Notice(
        "The Idempotency-Key has a form this service does not take.",
        "Use 8 to 128 letters, digits, hyphens and underscores.",
    ),
    "idempotency_key_conflict": Notice(
        "The Idempotency-Key stands for another request.", "Use a new key for a new request."
    ),
    "too_many_unsettled": Notice(
        "This payer has as many payments under way as one may have.",
        "Wait until one of them is answered, then send this one again.",
    ),
    "not_produced": Notice(
        "The work could not be done. Nothing was charged.",
        "Send the same request and the same payment again.",
    ),
    "not_admitting": Notice(
        "The service takes no new orders at the moment.", "Ask again after the time that Retry-After names."
    ),
    "facilitator_unavailable": Notice(
        "Payments cannot be verified at the moment. Nothing was charged.",
        "Ask again after the time that Retry-After names.",
    ),
    "store_unavailable": Notice(
        "The service cannot read or write its records at the moment. This request charged nothing.",
        "Send the same request and the same payment again after the time that Retry-After names.",
    ),
    "receipt_unknown": Notice(
        "There is no such receipt, or this request does not show whose it is.",
        "Use the `request_id` of an answer, and for a paid one `Authorization: Bearer <binding.nonce>` or a"
        " SIGN-IN-WITH-X header of the payer.",
    ),
    "payment_unknown": Notice(
        "The gate has no payment with this key.",
        "`assay ledger review` lists the keys of payments in doubt; put the key in quotes.",
    ),
    "payment_not_in_doubt": Notice(
        "The outcome of this payment is known, or the service is at work on it now.",
        "Nothing was changed. `assay ledger review` lists what is in doubt.",
    ),
    "payment_usable": Notice(
        "The authorization of this payment can still be used.",
        "Nothing was changed. Wait until 120 seconds after it ran out, and look at the chain again.",
    ),
    "transaction_invalid": Notice(
        "This is no transaction of the payment's network.",
        "Give its hash, `0x` and 64 digits, or on Solana its signature in base58.",
    ),
    "transaction_counted": Notice(
        "This transaction, or this transfer of it, is in the ledger as another payment's, or may be the same.",
        "Nothing was changed. Look whether it holds a transfer of its own for this payment, and name that: `--log-index N`."
        " Where the other payment was counted without its place, say that first: the same command with its own key.",
    ),
    "facilitator_unset": Notice(
        "Payments are required and no facilitator is named.", "Set `ASSAY_FACILITATOR_URL`."
    ),
    "asset_unknown": Notice(
        "A network has no token this release knows.",
        "Name its token: `ASSAY_ASSETS=NETWORK=ADDRESS/NAME/VERSION`.",
    ),
    "pay_to_missing": Notice(
        "A network has nobody to pay.", "Add it to `ASSAY_PAY_TO`, by itself or as `eip155:*=…`."
    ),
    "offer_too_long": Notice(
        "An offer does not fit the PAYMENT-REQUIRED header.",
        "Offer fewer networks, or shorten the address of the terms.",
    ),
    "terms_not_placed": Notice(
        "The terms of the settings cannot be placed into an offer.",
        "`assay terms place` says what is wrong with them.",
    ),
}
"""Texts and hints, by code."""
