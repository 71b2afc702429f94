"""A hook of schemathesis, which loads it in its own environment: it pays for many of the requests that are made up.

A random header is no payment, so nothing behind the reading of payments would ever be reached. Payments are for what the
operation costs, by the offers in ASSAY_FUZZ_OFFERS, and follow from the request, so a run can be repeated.
"""

import base64
import json
import os
from hashlib import sha256
from typing import Any

import schemathesis  # type: ignore[import-not-found, unused-ignore]  # in its own environment alone

HEADER = "PAYMENT-SIGNATURE"
OFFERS: dict[str, dict[str, Any]] = json.loads(os.environ["ASSAY_FUZZ_OFFERS"])
VALID_BEFORE = os.environ["ASSAY_FUZZ_VALID_BEFORE"]
PAYERS = 64
AUTHORIZATIONS = 4_096


def payment(accepted: dict[str, Any], seed: bytes) -> str:
    """Write a payment that follows from a seed; now and then two seeds give the same authorization."""
    number = int.from_bytes(seed[2:4], "big") % AUTHORIZATIONS
    authorization = {
        "from": f"0x{number % PAYERS + 1:040x}",
        "to": accepted["payTo"],
        "value": accepted["amount"],
        "validAfter": "0",
        "validBefore": VALID_BEFORE,
        "nonce": f"0x{number:064x}",
    }
    paid = {
        "x402Version": 2,
        "accepted": accepted,
        "payload": {"signature": "0x" + "ab" * 65, "authorization": authorization},
    }
    return base64.b64encode(json.dumps(paid).encode()).decode()


@schemathesis.hook  # type: ignore[untyped-decorator, unused-ignore]  # as above
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    """Pay for half of the requests; a quarter has no payment, and a quarter whatever was made up."""
    del context, kwargs
    accepted = OFFERS.get(case.operation.path)
    if accepted is None:
        return
    headers = case.headers or {}
    seed = sha256(repr((case.body, headers.get(HEADER), case.query)).encode("utf-8", "replace")).digest()
    what = seed[0] % 4
    if what == 0:
        return
    case.headers = {name: value for name, value in headers.items() if name != HEADER}
    if what > 1:
        case.headers[HEADER] = payment(accepted, seed)
