"""The published criteria of the dialect check: what is promised, in our sentences.

Identifiers, numbers, axis names and values, and the verdict line are the contract's (`dialect-check` 1.0.0); the
corpus is our own and carries our own id and pin.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final, get_args

from assay402.checks.dialect.model import Carrier, Summary

SERVICE: Final = "dialect-check"
VERSION: Final = "1.0.0"
CRITERIA_ID: Final = "payability/v1"
CRITERIA_REVISION: Final = "1.0.0"
CORPUS_ID: Final = "assay-dialect-corpus/v1"
CORPUS_SHA256: Final = "6abe62cd50b3900853564edd5dd65e73514405bdf4be4470fa59048e3a701525"
"""The pin of `corpus.json`; a test and `assay dialect corpus` compare it with the file."""

REQUEST_BYTES: Final = 262_144
BODY_BYTES: Final = 65_536
DEADLINE_MS: Final = 5_000
PRICE_UNITS: Final = 10_000
"""Atomic units of USDC a report costs where it is paid: one cent."""
FREE_PER_DAY: Final = 100
FREE_INTERVAL_MS: Final = 5_000

AXES: Final = (
    "challenge_carrier",
    "client_header_names",
    "payload_shape",
    "amount_field_name",
    "network_id_form",
    "receipt_headers",
)

DISCLOSURE: Final = (
    "Whoever submits a URL or a captured artefact to a third party, this service included, shows that party what is in"
    " it. We work on it in memory only and store nothing of it, which does not take the disclosure back. In probe mode"
    " the endpoint is fetched once, without credentials, while the check runs."
)
HONESTY: Final = (
    "This report describes the artefact as it was captured: an axis has a value only where the artefact shows one and"
    " is UNDETERMINED otherwise. It says what the challenge showed at the time of the check. Challenges change, and a"
    " finding of v1 or v2 does not promise that a payment in that dialect will settle."
)
RETENTION: Final = (
    "Nothing of an artefact is kept: no body, no fragment and no hash of one, in any store, log, ledger, metric or error"
    " record. A report holds the findings per axis, the named mismatches and, in probe mode, the URL that was submitted."
    " The payments ledger holds the closed list of fields published in the criteria and nothing else. A repeated paid"
    " request therefore sends its URL or artefact again."
)
BOUNDARY: Final = (
    "This check says which version of x402 a payer must speak on each surface of one artefact. It does not say whether"
    " the challenge can be paid: recipients, accounts, amounts and balances are a payability check's subject, and no"
    " such finding is made here."
)

_READING: Final = (
    "A leg is the body of the 402 or its PAYMENT-REQUIRED header. A leg carries a challenge when it is a JSON object whose"
    " accepts array is not empty; the header value is base64 (standard or URL-safe alphabet, padding optional) of UTF-8"
    " JSON. Wrapped and flat challenges and other header names carry none. Amount and network are read from accepts[0]"
    " alone; null counts as absent; CAIP-2 is [-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}, a slug is [a-z][a-z0-9-]*, anything else"
    " is UNDETERMINED. A leg with both amount names gives no signal by its amount. A mixed leg counts as determined. Client"
    " header names are whole words in the error string of a leg that carries a challenge, or the three known names among"
    " the keys of payload_headers. Only the integers 1 and 2 of x402Version are compared, and only with a leg that speaks"
    " one dialect purely. A submitted body or header without a status is taken as a 402. With neither a body nor a header"
    " submitted the carrier is UNDETERMINED, even beside status 402. The carrier label names the place, not the dialect."
)
_AXES_RULE: Final = (
    "Each axis is reported from evidence and never inferred from another. challenge_carrier: v1-body when only the body"
    " carries a challenge, v2-header when only the PAYMENT-REQUIRED header does, both, none when a 402 carries neither,"
    " UNDETERMINED when there is nothing to inspect. client_header_names: PAYMENT-SIGNATURE, X-PAYMENT and X-Payment-Tx where"
    " the artefact evidences them. payload_shape: top-level, inside-accepted or both, by where scheme or network stand in a"
    " submitted payload. amount_field_name: maxAmountRequired, amount or both, combined over the legs. network_id_form:"
    " CAIP-2, slug or both, combined likewise. receipt_headers: X-PAYMENT-RESPONSE, PAYMENT-RESPONSE, both or none of a"
    " submitted paid-response header set. A leg signals v1 by maxAmountRequired alone or a slug network, v2 by amount alone"
    " or a CAIP-2 network; with signals of both it is mixed. Mismatches, a closed list: mixed-signal-leg (axis"
    " network_id_form), x402version-contradiction (axis challenge_carrier), client-header-opposite-carrier (axis"
    " client_header_names; named when the evidenced names include the other carrier's and not this carrier's own). Summary,"
    " first that holds: not-a-402, undetermined, dual-stack, mixed, then the one dialect shown."
)
_TARGET_SAFETY: Final = (
    "A probed URL uses http or https, carries no user name or password, names a public host and is fetched once by GET"
    " with the headers Host, User-Agent, Accept, Accept-Encoding and Connection only. Name look-up to last byte take at"
    " most 5,000 ms, the body at most 65,536 bytes as sent (never decompressed), status line and headers at most 32,768"
    " bytes. No redirect is followed; one is graded as received, which is not-a-402 unless its status is 402. Every address"
    " the name resolves to must be public unicast, and the connection goes to the address that was judged. A URL outside"
    " this policy is refused for free. An endpoint that cannot be reached, answers late or answers with too much gives a"
    " report that says not-a-402, never an error."
)
_INPUT: Final = (
    "One JSON object. Probe mode: {mode: 'probe', url}. Submitted mode: {mode: 'submitted', artefact: {status?, body_obj? |"
    " body_raw?, header_obj? | payment_required_header?, payload_obj?, payload_headers?, response_headers?}} with at least"
    " one of a body, a PAYMENT-REQUIRED header and a payment payload. The free pre-check takes a caller member as well."
    " Unknown members, wrong types and both forms of one leg are refused."
)


_DOCUMENT: Final[Mapping[str, Any]] = {
    "criteria_id": CRITERIA_ID,
    "criteria_revision": CRITERIA_REVISION,
    "family": "payability",
    "op": "check",
    "ops_not_offered": [],
    "corpus": {"id": CORPUS_ID, "sha256": CORPUS_SHA256},
    "corpus_pin_definition": (
        "The pin is the SHA-256 of the corpus object's canonical JSON without its sha256 member. The expected outputs"
        " come from a second implementation of these rules that shares no code with the engine. Each case is labelled"
        " constructed or synthetic. `assay dialect corpus` verifies pin and outputs."
    ),
    "price": {"usdc_units_per_call": PRICE_UNITS, "label": "$0.01", "basis": "per endpoint"},
    "free_tier": {
        "per_day": FREE_PER_DAY,
        "min_interval_ms": FREE_INTERVAL_MS,
        "on_exhaustion": "402",
    },
    "input_contract": {
        "body": _INPUT,
        "caps": {"body_bytes": REQUEST_BYTES},
        "over_cap": "A request of more than 262,144 bytes is refused for free, and the refusal names length and cap.",
        "validation": (
            "Everything that can be judged without a fetch is judged for free and before any payment. A probe is made"
            " only after a payment was verified; a refused request consumes none."
        ),
    },
    "target_safety": _TARGET_SAFETY,
    "target_fetch": {
        "timeout_ms": DEADLINE_MS,
        "body_cap_bytes": BODY_BYTES,
        "redirects": "not followed to any host",
        "method": "GET",
        "auth": "none",
    },
    "axes_rule": _AXES_RULE,
    "reading": _READING,
    "axes": list(AXES),
    "undetermined_rule": (
        "An axis the artefact does not show is the string UNDETERMINED. The carrier implies no client header name, and a"
        " probe of an unpaid 402 shows no receipt headers."
    ),
    "verdict_grammar": {
        "line": "X402 DIALECT REPORT — dialect: <SUMMARY> — carrier: <CARRIER> — <YYYY-MM-DDTHH:MM:SSZ>",
        "vocabulary": (
            f"SUMMARY is one of {', '.join(get_args(Summary))}. CARRIER is one of {', '.join(get_args(Carrier))}. The"
            " time is the end of the check, in UTC. There is no score, grade or band."
        ),
    },
    "free_precheck": (
        "The pre-check judges the URL or the shape of the artefact against this policy and says whether it may be"
        " submitted, or why not. It fetches nothing, looks up no name, reads no artefact and reports no axis. It is free"
        " 100 times a day per caller with 5,000 ms between calls."
    ),
    "custody": {
        "construction": (
            "An artefact lives in memory for one request and is stored nowhere, errors and timeouts included. No hash of"
            " it appears anywhere."
        ),
        "ledger_closed_fields": [
            "payer wallet",
            "timestamp/day",
            "price (USDC units) with the CAD fair-market-value block (rate, rate date, basis, cad_pending, refund)",
            "payment tx id + Solana fee (lamports)",
            "criteria version",
            "report line",
            "dialect summary",
            "challenge carrier",
            "house flag",
        ],
        "ledger_note": "The list is closed: a further field is a new version of the criteria.",
        "errors": "Errors are fixed sentences with numbers (lengths, caps, positions); none quotes what was submitted.",
    },
    "forbidden": (
        "A score or grade; an axis value the artefact does not evidence; any content of the artefact beyond the findings"
        " per axis and the named mismatches; a verdict on payability; a claim that a payment will settle."
    ),
    "boundary_statement": BOUNDARY,
    "disclosure_sentence": DISCLOSURE,
    "honesty_line": HONESTY,
    "retention": RETENTION,
    "payment_includes": (
        "One report on one endpoint, or on one submitted artefact set, for $0.01: carrier, client header names evidenced,"
        " payload shape, amount field name, network id form and receipt headers, each UNDETERMINED where not shown, every"
        " mismatch named under its axis, and the time of the check. The free pre-check does not fetch and reports nothing."
    ),
    "never": (
        "Follow a redirect; send credentials or a header beyond the five of the probe; keep an artefact; compute a score;"
        " grade payability; report an axis it could not determine as anything but UNDETERMINED."
    ),
    "service": SERVICE,
    "version": VERSION,
    "endpoints": {
        "criteria": "GET /criteria (free)",
        "precheck": "POST /precheck (free: input validation only)",
        "check": "POST /check ($0.01 per endpoint where the operator charges)",
        "metrics": "GET /metrics",
        "not_offered": "Any other POST path answers NOT COVERED.",
    },
}


def criteria() -> dict[str, Any]:
    """Give the published criteria document."""
    return deepcopy(dict(_DOCUMENT))
