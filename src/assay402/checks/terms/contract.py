"""The contract legal-context-placement 0.11.0, with ours beyond it: what is admitted, how it runs, what is published."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from assay402.checks.terms.codes import NOTICES
from assay402.checks.terms.collect import collect_challenge, collect_listing, collect_terms
from assay402.checks.terms.model import (
    WELL_KNOWN,
    X402,
    Advertisement,
    DeclaredFieldsEmpty,
    Decline,
    DiscoverInput,
    DiscoverReport,
    Extracted,
    ExtractInput,
    Integrity,
    Match,
    NotListed,
    Placed,
    PlaceInput,
    Read,
    RecordComparison,
    Refused,
    TermsURL,
    VerifyFacts,
    VerifyInput,
    VerifyReport,
    WellKnown,
)
from assay402.checks.terms.rules.discover import held_listing, read_listing
from assay402.checks.terms.rules.extract import extract_strictly, extraction
from assay402.checks.terms.rules.place import placement
from assay402.checks.terms.rules.verify import agreed_offer, readable_offer, served_bytes, unaskable
from assay402.checks.terms.rules.well_known import well_known
from assay402.core import target
from assay402.core.asks import Collecting
from assay402.core.canon import sha256_hex
from assay402.core.check import Refusal
from assay402.core.strictjson import JSON

_PLACE: Final = {"ref", "termsUrl", "doc", "protocol", "faithful", "op"}
"""`op` is ignored: the lines of a file of cases carry it, and it says nothing that the operation does not know."""
_EXTRACT: Final = {"doc", "protocol", "strict", "faithful", "op"}
_HALT_CLASS: Final = "verification-failure"


def admit_place(request: JSON | Refusal, *, allow_private: bool = False) -> PlaceInput | Refusal:  # noqa: ARG001  (nothing is contacted)
    """Accept an advertisement and a document; whether they can be placed is the rule's to say."""
    members = _members(request, _PLACE, "faithful")
    if isinstance(members, Refusal):
        return members
    return PlaceInput(
        advertisement=Advertisement(ref=members.get("ref"), terms_url=members.get("termsUrl")),
        document=members.get("doc"),
        protocol=X402 if members.get("protocol") is None else members["protocol"],
        faithful=members.get("faithful", False),
    )


def admit_extract(request: JSON | Refusal, *, allow_private: bool = False) -> ExtractInput | Refusal:  # noqa: ARG001  (nothing is contacted)
    """Accept a document."""
    members = _members(request, _EXTRACT, "strict", "faithful")
    if isinstance(members, Refusal):
        return members
    if members.get("strict") and members.get("faithful"):
        return Refusal(code="terms/request-malformed")
    return ExtractInput(
        document=members.get("doc"),
        protocol=X402 if members.get("protocol") is None else members["protocol"],
        strict=members.get("strict", False),
    )


def admit_verify(request: JSON | Refusal, *, allow_private: bool = False) -> VerifyInput | Refusal:  # noqa: ARG001  (the guard judges addresses)
    """Accept a document, or the spelling of an endpoint's address; the guard judges the address when it connects."""
    members = _members(request, {"doc", "url"})
    if isinstance(members, Refusal):
        return members
    if len(members) != 1:
        return Refusal(code="terms/request-malformed")
    if "doc" in members:
        return VerifyInput(document=members["doc"])
    url = members["url"]
    if not isinstance(url, str):
        return Refusal(code="terms/request-malformed")
    judged = target.parse(url, allow_private=True)
    return judged if isinstance(judged, Refusal) else VerifyInput(url=url)


def admit_discover(request: JSON | Refusal, *, allow_private: bool = False) -> DiscoverInput | Refusal:  # noqa: ARG001  (the guard judges addresses)
    """Accept an https origin, with or without its scheme."""
    members = _members(request, {"origin"})
    if isinstance(members, Refusal):
        return members
    origin = members.get("origin")
    if not isinstance(origin, str):
        return Refusal(code="terms/request-malformed")
    judged = target.parse(origin if "://" in origin else f"https://{origin}", allow_private=True)
    if isinstance(judged, Refusal):
        return judged
    if judged.scheme != "https" or judged.request_target not in ("/", WELL_KNOWN):
        return Refusal(code="terms/origin-malformed")
    return DiscoverInput(origin=f"https://{judged.host_header}")


def admit_well_known(request: JSON | Refusal, *, allow_private: bool = False) -> Mapping[str, Any] | Refusal:  # noqa: ARG001  (nothing is contacted)
    """Accept the members of a discovery document."""
    members: Mapping[str, Any] | Refusal = _members(request)
    return members


def place(given: PlaceInput) -> Collecting[Placed | Refused | Refusal]:
    """Place an advertisement. Asks nothing."""
    yield from ()
    return placement(given)


def extract(given: ExtractInput) -> Collecting[Extracted | Refused | Refusal]:
    """Extract an advertisement. Asks nothing."""
    yield from ()
    return extract_strictly(given) if given.strict else extraction(given)


def verify(given: VerifyInput) -> Collecting[VerifyReport | Refusal]:
    """Read the one offer of a challenge, fetch its document, and compare the bytes."""
    if given.url is None:
        offer = readable_offer(given.document)
    else:
        offer = unaskable(given.url) or agreed_offer((yield from collect_challenge(given.url)))
    if isinstance(offer, Decline):
        return VerifyReport(verdict=offer)
    fetching = yield from collect_terms(offer.terms_url)
    return VerifyReport(verdict=served_bytes(VerifyFacts(offer=offer, fetching=fetching)), offer=offer)


def discover(given: DiscoverInput) -> Collecting[DiscoverReport | Refusal]:
    """Read a site's discovery document and say whether it holds against what is served."""
    url = f"{given.origin}{WELL_KNOWN}"
    listing = read_listing((yield from collect_listing(url)))
    if isinstance(listing, NotListed):
        return DiscoverReport(url=url, verdict=listing)
    verdict = held_listing(listing, (yield from collect_terms(listing.terms)))
    return DiscoverReport(url=url, verdict=verdict, listing=listing)


def write_well_known(given: Mapping[str, Any]) -> Collecting[WellKnown | NotListed | Refusal]:
    """Make a discovery document. Asks nothing."""
    yield from ()
    return well_known(given)


def needs_network(_given: object) -> Refusal:
    """Refuse what only a network can answer."""
    return Refusal(code="terms/needs-network")


def publish(result: Placed | Extracted | WellKnown | NotListed | Refused) -> dict[str, Any]:
    """Give the outcome of an operation that asks nothing."""
    match result:
        case Placed(document=document) | WellKnown(document=document):
            return {"ok": True, "value": document}
        case Extracted(ref=ref, terms_url=terms_url):
            reference = {"type": ref.type, "value": ref.value}
            return {"ok": True, "value": {"ref": reference, "termsUrl": _published_url(terms_url)}}
        case _:
            detail = _present(detail=result.detail)
            return {"refused": True, "haltClass": _HALT_CLASS, "code": result.code, **detail}


def publish_refusal(refusal: Refusal) -> dict[str, Any]:
    """Give a request that was not accepted the same shape as a refused placement."""
    notice = NOTICES.get(refusal.code)
    numbers = _present(length=refusal.length, cap=refusal.cap)
    detail = _present(detail=None if notice is None else notice.hint)
    return {"refused": True, "haltClass": _HALT_CLASS, "code": refusal.code, **detail, **numbers}


def publish_verify(report: VerifyReport) -> dict[str, Any]:
    """Give the public JSON of a verification."""
    offer = report.offer
    advertised = _present(
        termsUrl=None if offer is None else offer.terms_url,
        advertisedAtrHash=None if offer is None else offer.atr_hash,
    )
    verdict = report.verdict
    if isinstance(verdict, Match):
        return {"outcome": "match", "atrHash": verdict.atr_hash, "bytes": len(verdict.body), **advertised}
    body = verdict.body
    served = {} if body is None else {"servedAtrHash": f"0x{sha256_hex(body)}", "bytes": len(body)}
    return {
        "outcome": "decline",
        "code": verdict.code,
        **_present(detail=verdict.detail),
        **advertised,
        **served,
    }


def publish_discover(report: DiscoverReport) -> dict[str, Any]:
    """Give the public JSON of a discovery."""
    listing = {} if report.listing is None else {"listing": report.listing.members}
    found = report.verdict
    if isinstance(found, NotListed):
        problem = {"code": found.code, **_present(detail=found.detail)}
        return {"outcome": "decline", "url": report.url, "ok": False, **problem, **listing}
    return {
        "outcome": "listed",
        "url": report.url,
        "ok": found.ok,
        "status": found.status,
        "hashesMatch": found.hashes_match,
        "machineReadable": found.machine_readable,
        "servedAtrHash": found.served,
        "advertisedAtrHash": found.advertised,
        **listing,
    }


def publish_record(comparison: RecordComparison) -> dict[str, Any]:
    """Give the public JSON of a comparison with a kept record."""
    halts = {"haltClass": _HALT_CLASS} if comparison.status == "failed" else {}
    return {"status": comparison.status, **halts, **_present(depth=comparison.depth)}


def exit_code(result: object) -> int:
    """Give 0 for what was placed, extracted or made, 1 for a refusal."""
    return 1 if isinstance(result, Refused | NotListed) else 0


def exit_code_verify(report: VerifyReport) -> int:
    """Give 0 for a match, 1 for a decline."""
    return 0 if isinstance(report.verdict, Match) else 1


def exit_code_discover(report: DiscoverReport) -> int:
    """Give 0 for a listing that holds, else 1."""
    return 0 if isinstance(report.verdict, Integrity) and report.verdict.ok else 1


def _members(request: JSON | Refusal, known: Iterable[str] | None = None, *switches: str) -> Any:  # noqa: ANN401  (the request's members, of any type, or a Refusal)
    """Judge the shape of a request: an object of known members, its protocol a name, its switches booleans."""
    if isinstance(request, Refusal):
        return request
    if not isinstance(request, Mapping) or (known is not None and not set(request) <= set(known)):
        return Refusal(code="terms/request-malformed")
    if not isinstance(request.get("protocol"), str | None) or not all(
        isinstance(request.get(name, False), bool) for name in switches
    ):
        return Refusal(code="terms/request-malformed")
    return request


def _published_url(terms_url: TermsURL) -> dict[str, Any]:
    match terms_url:
        case Read(url=url):
            return {"kind": "read", "url": url}
        case DeclaredFieldsEmpty(fields=fields):
            return {"kind": "declared-fields-empty", "fields": list(fields)}
        case _:
            return {"kind": "no-field-declared"}


def _present(**members: Any) -> dict[str, Any]:  # noqa: ANN401  (any JSON value)
    return {name: value for name, value in members.items() if value is not None}
