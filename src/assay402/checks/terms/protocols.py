"""The nine protocols: their manifests, and the few things of one that a manifest cannot say.

`x402` puts a wrapper around the reference, `ack` and `mastercard-vi` refuse to be written in some or all cases, and
`ucp` refuses to be read where its link could be rewritten on the way. `mcp` has no placement: it delivers terms as
tools and resources.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import msgspec

from assay402.checks.terms.kit import placement
from assay402.checks.terms.kit.manifest import Manifest, read_manifest
from assay402.checks.terms.kit.paths import read_path, split, write_path
from assay402.checks.terms.kit.placement import URLFault, prefix_fault, refused
from assay402.checks.terms.kit.values import ABSENT, found, own
from assay402.checks.terms.link import link_fault
from assay402.checks.terms.model import X402, Extracted, ExtractInput, Placed, PlaceInput, Refused
from assay402.core.strictjson import JSON

PROTOCOLS: Final = ("x402", "mpp", "ap2", "ack", "acp", "ucp", "visa-tap", "mastercard-vi", "a2a")
"""The protocols with a placement, in the contract's order."""

_ENTRY: Final = ("extensions", "legalContext")


@cache
def manifests() -> Mapping[str, Manifest]:
    """Give the shipped manifests by protocol."""
    shipped = msgspec.json.decode(_shipped("manifests.json"))
    return {name: read_manifest(shipped[name]) for name in PROTOCOLS}


def legal_context_schema() -> dict[str, Any]:
    """Give the schema that travels in every x402 challenge, made afresh so that no two documents share it."""
    return msgspec.json.decode(_shipped("legal-context-schema.json"))  # type: ignore[no-any-return]


def place_document(given: PlaceInput) -> Placed | Refused:
    """Place an advertisement by the rules of a protocol that `PROTOCOLS` lists."""
    manifest = manifests()[given.protocol]
    refusal = _refuses_writing(manifest, given.document)
    if refusal is not None:
        return refusal
    placed = placement.place(
        manifest,
        given.advertisement,
        given.document,
        url_fault=prefix_fault if given.faithful else prefix_and_link_fault,
        fold_bare=not given.faithful,
    )
    return _wrapped(placed) if isinstance(placed, Placed) and given.protocol == X402 else placed


def extract_document(given: ExtractInput, *, url_fault: URLFault = prefix_fault) -> Extracted | Refused:
    """Extract, as the reference implementation does, by the rules of a protocol that `PROTOCOLS` lists."""
    manifest = manifests()[given.protocol]
    extracted = placement.extract(manifest, given.document, url_fault=url_fault)
    if given.protocol == "ucp" and isinstance(extracted, Extracted):
        value = extracted.ref.value
        if extracted.ref.type == "url" and prefix_fault(value) is not None:
            return refused(manifest, "insecure-terms-url", f"the terms link is {found(value)}, not https")
    return extracted


def prefix_and_link_fault(value: object) -> str | None:
    """Judge a terms URL as a writer must: it has to pass the prefix test of some readers and the link rule of others."""
    return prefix_fault(value) or ("terms-url-malformed" if link_fault(value) is not None else None)


def _refuses_writing(manifest: Manifest, document: JSON) -> Refused | None:
    """Refuse what a protocol does not let anyone write, before anything else is judged."""
    if manifest.protocol == "mastercard-vi":
        return refused(manifest, "tier-b-not-writable", f"{manifest.field} is declared for reading only")
    if manifest.protocol == "ack":
        proof = own(document, "proof")
        if proof is not None and proof is not ABSENT:
            return refused(
                manifest, "receipt-already-issued", "the receipt has a proof, which a change would break"
            )
    return None


def _wrapped(placed: Placed) -> Placed | Refused:
    """Rebuild our entry as `{info, schema}`: what else stood in it does not travel on."""
    info: Any = read_path(placed.document, split(manifests()[X402].field))
    document: Any = write_path(placed.document, _ENTRY, {"info": info, "schema": legal_context_schema()})
    return Placed(document=document)


@cache
def _shipped(name: str) -> bytes:
    return files(__package__).joinpath(name).read_bytes()
