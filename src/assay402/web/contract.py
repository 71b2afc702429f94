"""The contract document of the acceptance check with the half that only a service has: where, for how much, paid how."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from assay402.checks.deliverable.model import CONTRACT
from assay402.checks.deliverable.program import program_root
from assay402.checks.deliverable.published import contract_document
from assay402.checks.deliverable.registry import registry_root
from assay402.core.canon import canonical_plain, sha256_hex
from assay402.service.assets import payees
from assay402.service.discovery import PAYMENT_IDENTIFIER
from assay402.service.order import Resource
from assay402.service.resources import DELIVERABLE
from assay402.service.settings import Settings
from assay402.service.work import EVIDENCE_CUTOFF
from assay402.web.answers import JSON_TYPE, LOGICAL_PAYMENT, QUOTE
from assay402.web.wellknown import address
from assay402.wire.transport import PAYMENT_REQUIRED, PAYMENT_SIGNATURE

PATH: Final = "/docs/DELIVERABLE_ACCEPTANCE_CHECK.json"
CHECK: Final = "deliverable/check"
OPERATION_ID: Final = "agenthubmachinedeliverable_acceptance_check"
"""The contract's own literal."""
SCHEMA_VERSION: Final = "1.0.0"
_SHORT: Final = 8
"""Digits of the program's root that name its version."""
_SCHEMA: Final = {"x-arbiter-contentType": JSON_TYPE, "x-arbiter-schemaVersion": SCHEMA_VERSION}
_ERRORS: Final = (
    (400, "The request is not admitted; a code says why. Nothing was charged."),
    (402, "An x402 offer of version 2, in the header PAYMENT-REQUIRED and in the body."),
    (422, "The work could not be done. Nothing was charged."),
    (503, "Not taken now: try again after the seconds of Retry-After. Nothing was charged."),
)


def contract(settings: Settings, resources: Iterable[Resource]) -> dict[str, Any]:
    """Give the document as this service keeps it. With payments off it says that nobody need pay."""
    sold = next(each for each in resources if each.path == DELIVERABLE)
    half = contract_document()
    return {
        **half,
        "inputSchema": {**half["inputSchema"], **_SCHEMA},
        "outputSchema": {**half["outputSchema"], **_SCHEMA},
        "schemaVersion": SCHEMA_VERSION,
        "title": "Acceptance check of a deliverable",
        "family": "VERIFY",
        "familyTitle": "Assay Verify",
        "operationId": OPERATION_ID,
        "docsPath": PATH,
        "resourcePath": sold.path,
        "resourceUrl": address(settings, sold.path),
        "payment": _payment(settings, sold),
        "pricing": _pricing(sold),
        "errors": [
            {"status": status, "code": None, "description": description} for status, description in _ERRORS
        ],
        "freshness": _freshness(),
        "provenance": {
            "basis": "YOUR_INPUT",
            "protocols": [],
            "sources": ["Your request and nothing else: no data of others, no network."],
        },
        "examples": {
            "state": "OMITTED_UNTIL_REAL_EVIDENCE",
            "request": None,
            "deliverable": None,
            "detail": "No answer that somebody paid for is shown or made up here. /openapi.json has a request that is"
            " admitted.",
        },
    }


def _payment(settings: Settings, sold: Resource) -> dict[str, Any]:
    is_sold = settings.payments == "required" and sold.price > 0
    return {
        "protocol": "X402_V2",
        "protocolVersion": 2,
        "scheme": "exact",
        "admitted": is_sold,
        "challengeHeader": PAYMENT_REQUIRED,
        "signatureHeader": PAYMENT_SIGNATURE,
        "quoteHeader": QUOTE,
        "logicalPaymentHeader": LOGICAL_PAYMENT,
        "paymentIdentifier": {
            "supported": True,
            "extension": PAYMENT_IDENTIFIER,
            "required": settings.payment_identifier == "required",
            "semantics": "The same identifier and request give the kept answer and receipt again: settled once, done"
            " once.",
        },
        "processingSemantics": "202: verifying or settling goes on. Send the same request with the same payment and"
        " identifier after the seconds of Retry-After; do not sign another.",
        "payToSource": "the operator's setting pay_to, by network",
        "destination": _destination(settings, is_sold=is_sold),
    }


def _destination(settings: Settings, *, is_sold: bool) -> dict[str, Any]:
    """Say who is paid where; `address` where it is the same on every network."""
    found = payees(settings) if is_sold else ()
    pay_to = {each.network: each.pay_to for each in found}
    accounts = set(pay_to.values())
    said: Mapping[str, Any] = {
        "networks": list(pay_to),
        "assetContracts": [each.asset.asset for each in found],
        "payTo": pay_to,
    }
    return {
        **said,
        "address": accounts.pop() if len(accounts) == 1 else None,
        "resolvable": bool(found),
        "source": "settings.pay_to",
        "bindingVersion": sha256_hex(canonical_plain(said)),
    }


def _pricing(sold: Resource) -> dict[str, Any]:
    dollars = sold.price / 1_000_000
    return {
        "currency": "USD",
        "mode": "DYNAMIC_QUOTE",
        "pricingClass": "CACHEABLE_UNIT",
        "floorUsd": dollars,
        "publicStartingPriceUsd": dollars,
        "ownerCeilingUsd": None,
    }


def _freshness() -> dict[str, Any]:
    return {
        "freshnessClass": "CACHEABLE_SNAPSHOT",
        "latencyClass": "FAST",
        "machineVersion": program_root(registry_root(CONTRACT))[:_SHORT],
        "outputDomainKind": None,
        "evidenceCutoff": f"Each answer tells its own in the header {EVIDENCE_CUTOFF}, outside the signed result.",
        "provenance": "Each answer carries its roots and what it leaves uncertain; nothing but the request is evidence.",
    }
