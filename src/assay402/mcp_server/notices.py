"""What went wrong, in the words of this face: an agent has tools and resources, and no command line."""

import re
from collections.abc import Mapping
from typing import Final

from assay402.core.check import Check
from assay402.core.errors import NOTICES, Notice
from assay402.core.fetch_states import NOTICES as FETCH_NOTICES
from assay402.mcp_server.codes import NOTICES as MCP_NOTICES
from assay402.service.notices import NOTICES as SERVICE_NOTICES

OWN_WORDS: Final[Mapping[str, Notice]] = {
    "invalid_payload": Notice(
        "The payment cannot be read.",
        "Send the PaymentPayload of version 2 as an object in `_meta` under `x402/payment`: `accepted` from our offer and"
        " an exact payment in `payload`, with no members beyond those of the specification.",
    ),
    "payment_version": Notice(
        "The payment is of version 1 of x402.",
        "Call without a payment, then pay the offer of the error in `_meta` under `x402/payment`.",
    ),
    "payment_pending": Notice(
        "The payment is being worked on.",
        "Call again with the same payment after `retry_after_seconds`; do not sign another.",
    ),
    "idempotency_key_invalid": Notice(
        "The idempotency_key has a form that is not taken.",
        "Use 8 to 128 letters, digits, hyphens and underscores.",
    ),
    "idempotency_key_conflict": Notice(
        "The idempotency_key stands for another request.", "Use a new key for a new request."
    ),
    "not_admitting": Notice(
        "The service takes no new orders at the moment.", "Call again after `retry_after_seconds`."
    ),
    "facilitator_unavailable": Notice(
        "Payments cannot be verified at the moment. Nothing was charged.",
        "Call again after `retry_after_seconds`.",
    ),
    "busy": Notice(
        "Too many requests are under way.", "Call again after `retry_after_seconds`; nothing was charged."
    ),
    "store_unavailable": Notice(
        "The database cannot be reached now.",
        "Call again with the same payment after `retry_after_seconds`.",
    ),
    "internal": Notice(
        "This is a fault of ours.", "Please report it with the name of the tool, without your data."
    ),
}
"""Codes of the service that are said in other words here."""
_HINTS: Final[Mapping[str, Mapping[str, str]]] = {
    "dialect": {
        "not_json": "Send one JSON object in UTF-8, nested at most 512 deep. Of a saved transcript or HAR file, send status,"
        " headers and body as members of `artefact`.",
        "member_unknown": "An artefact has `status`, `body_obj` or `body_raw`, `header_obj` or `payment_required_header`,"
        " `payload_obj`, `payload_headers` and `response_headers`. A bare 402 body goes into `body_obj`.",
        "probe_needs_network": "Submit a captured 402 as `artefact`.",
    },
    "deliverable": {
        "check-unknown": "The resource assay://deliverable/menu lists what a criterion may name.",
        "SCHEMA_TOO_COMPLEX": "The resource assay://deliverable/menu has the limits; flatten it, or split it into several"
        " criteria. One that refers to itself is closed by `additionalProperties`, never by `unevaluatedProperties`.",
        "VALUE_MISMATCH": "Compare the value that stands there with the one the criterion wants.",
        "answer-shape": "Give the answer as the tool `deliverable_check` gave it.",
    },
    "terms": {
        "terms-url-mismatch": "Place the terms again with the tool `terms_place`: every place of the URL is written anew.",
        "reference-absent": "Name the protocol in `protocol` if it is not x402; else the seller must place terms.",
        "terms/not-a-402": "Ask at the address that is paid for; where another method is needed, hand the challenge over"
        " as `doc`.",
        "terms/no-challenge": "The tool `dialect_check` tells what is wrong with it.",
        "terms/needs-network": "Hand the challenge over as `doc`.",
        "legal-context-malformed": "Do not pay; the resource assay://rules/terms/strict-link tells the rule.",
        "listing-malformed": "The site must mend its discovery document.",
        "no-hash-advertised": "The site must put the SHA-256 of its terms into `atrHash`.",
    },
}
"""What to do, by check and code, where the check itself says it for a command line."""
_OWN_MACHINE: Final = re.compile(r"[^.]*`--allow-private`\.")
_START: Final = (
    " A server of your own machine reaches it where it was started as `assay mcp --allow-private`."
)
_COMMAND_LINE: Final = re.compile(r" ?[^.]*`(?:assay (?!mcp)|--)[^.]*\.")
"""A sentence that names a command or an option: what only an operator meets."""


def notice_of(code: str, check: Check | None) -> Notice | None:
    """Give what a code means and what to do, the check's own words first; None for a code nobody explains."""
    own = {} if check is None else check.notices
    for name in (code, code.rpartition("/")[2]):
        for table in (own, OWN_WORDS, MCP_NOTICES, SERVICE_NOTICES, FETCH_NOTICES, NOTICES):
            if name in table:
                return _spoken(table[name], name, check)
    return None


def _spoken(notice: Notice, code: str, check: Check | None) -> Notice:
    hint = {} if check is None else _HINTS.get(check.name, {})
    said = _OWN_MACHINE.sub(_START, hint.get(code, notice.hint))
    return Notice(notice.text, _COMMAND_LINE.sub("", said).strip())
