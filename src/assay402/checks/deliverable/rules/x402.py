"""x402 objects: well formed by the rules of the wire room, and signed by whom they say."""

from assay402.checks.deliverable.document import TROUBLES
from assay402.checks.deliverable.model import Case, Finding, failed, passed, uncheckable
from assay402.checks.deliverable.rules.subject import NOT_JSON, located
from assay402.core.base64 import decode_canonical
from assay402.core.check import rule
from assay402.core.exactjson import Exact, Troubled, read_exact
from assay402.core.strictjson import JSON, integer
from assay402.wire.authorization import Domain, signer
from assay402.wire.network import network_of
from assay402.wire.requirements import mapping, text
from assay402.wire.validity import (
    EXACT,
    SIGNATURE_BYTES,
    Members,
    is_eip155,
    object_name,
    signature_bytes,
    validity,
)

AUTO = "auto"
BASE64 = "base64"
VERSION_2 = 2
X402_BASE64 = failed("X402_BASE64")


@rule("deliverable/x402-valid", since="0.1", spec="summary: x402 validity")
def x402_valid(case: Case) -> Finding:
    """Decide whether an x402 object is well formed.

    ## What it reports
    PASS when the value at `path` (the whole document by default) follows the rules of its object in version 1 or 2;
    else FAIL with the first rule that does not hold, such as `X402_AMOUNT` or `X402_PAY_TO`, and in the detail how
    many rules were read and which entry of `accepts` it is about. `object` names the object, or `auto` tells it by
    its members; `version` demands one; `encoding` `base64` decodes the form of the payment headers first. With
    `verifySignature` true (an extension) the signer of an EIP-3009 authorization is recovered too: FAIL
    `X402_SIGNER_MISMATCH`, or UNCHECKABLE `X402_DOMAIN_UNKNOWN` and `X402_SIGNATURE_KIND`.

        {"id": "offer", "check": "x402_valid", "object": "payment_required", "version": 2}

    ## Why it matters
    A malformed challenge or payment fails at the moment money should move.

    ## How to fix it
    Amounts are strings of atomic units without leading zeros, networks of version 2 are CAIP-2, addresses in mixed
    case carry the checksum of EIP-55, and `maxTimeoutSeconds` is a positive integer.

    ## Known limits
    No clock, chain or facilitator is asked: whether a payment is still in time, funded or unspent is not judged.
    Base64 is the standard alphabet, padded, with nothing around it. Signatures of contracts (EIP-1271) are not
    recovered.
    """
    value = _decoded(case) if case.parameters["encoding"] == BASE64 else located(case)
    if isinstance(value, Finding):
        return value
    wanted = case.parameters["object"]
    name = None if wanted == AUTO else wanted
    found = validity(value, name, case.parameters["version"])
    detail = {"rulesChecked": found.rules_checked}
    if found.violation is not None:
        place = {} if found.accepts_index is None else {"acceptsIndex": found.accepts_index}
        return failed(found.violation, **place, **detail)
    if case.parameters["verifySignature"] and isinstance(value, dict):
        return _signed(value, name or object_name(value), detail)
    return passed(**detail)


def _decoded(case: Case) -> JSON | Finding:
    """Decode the header form: the string at the path, or the whole deliverable where no path was given."""
    if case.parameters["givenPath"]:
        selected = located(case)
        if isinstance(selected, Finding):
            return selected
        value = selected if isinstance(selected, str) else None
    else:
        value = case.deliverable.text
    known = case.deliverable.findings
    if (BASE64, value) not in known:
        known[BASE64, value] = _read(value)
    found: JSON | Finding = known[BASE64, value]
    return found


def _read(value: str | None) -> JSON | Finding:
    data = None if value is None else decode_canonical(value)
    if data is None:
        return X402_BASE64
    document = read_exact(data)
    match document:
        case Exact():
            return document.value
        case Troubled():
            return uncheckable(TROUBLES[document.trouble])
        case _:
            return NOT_JSON


def _signed(sent: Members, name: str | None, detail: dict[str, int]) -> Finding:
    """Compare the signer with the payer an authorization names. The object has been found well formed."""
    payload = mapping(sent, "payload") or {}
    authorization = mapping(payload, "authorization")
    # Version 1 echoes no requirements; a member of that name is none of its own and was not judged.
    accepted = mapping(sent, "accepted") if integer(sent.get("x402Version")) == VERSION_2 else None
    terms = sent if accepted is None else accepted
    is_ordinary = (
        name == "payment_payload"
        and terms.get("scheme") == EXACT
        and is_eip155(text(terms, "network"))
        and authorization is not None
        and signature_bytes(payload.get("signature")) == SIGNATURE_BYTES
    )
    if not is_ordinary or authorization is None:
        return uncheckable("X402_SIGNATURE_KIND")
    domain = None if accepted is None else _domain(accepted)
    if domain is None:
        return uncheckable("X402_DOMAIN_UNKNOWN")
    fields = {field: str(value) for field, value in authorization.items()}
    recovered = signer(domain, fields, str(payload["signature"]))
    return (
        passed(**detail) if recovered == fields["from"].lower() else failed("X402_SIGNER_MISMATCH", **detail)
    )


def _domain(accepted: Members) -> Domain | None:
    """Give the token's EIP-712 domain, or None where the requirements do not say it."""
    extra = mapping(accepted, "extra") or {}
    name, version = text(extra, "name"), text(extra, "version")
    if name is None or version is None:
        return None
    network = network_of(str(accepted["network"]))
    assert network is not None  # noqa: S101  (the requirements have been found well formed, on eip155)
    return Domain(
        name=name, version=version, chain_id=int(network.reference), contract=str(accepted["asset"])
    )
