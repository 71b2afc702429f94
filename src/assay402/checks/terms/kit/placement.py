"""Placing and extracting by a manifest, in the order the contract fixes: the first step that fails is reported."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, Final

from assay402.checks.terms.kit.containers import read_field, tagged_entry, write_field
from assay402.checks.terms.kit.encodings import Corrupt, Hit, Reference, decode, encode, value_fault
from assay402.checks.terms.kit.manifest import (
    INTEGRITY_TYPES,
    OBJECT_PATH,
    Alias,
    Gate,
    Manifest,
    alias_slot,
    canonical_slot,
    entry_path,
    terms_url_slots,
    url_entry,
)
from assay402.checks.terms.kit.paths import UNWRITABLE, is_index, read_path, split, write_path
from assay402.checks.terms.kit.values import ABSENT, Absent, detached, detail, found, own
from assay402.checks.terms.model import (
    Advertisement,
    DeclaredFieldsEmpty,
    Extracted,
    NoFieldDeclared,
    Placed,
    Read,
    Refused,
    TermsURL,
)
from assay402.core.strictjson import JSON

URLFault = Callable[[object], str | None]
"""Judges a value that stands for a terms URL: the reason of the refusal, or None."""

_PREFIX: Final = "https://"


def prefix_fault(value: object) -> str | None:
    """Judge a terms URL as the reference implementation does: by its prefix, in lower case."""
    return None if isinstance(value, str) and value.startswith(_PREFIX) else "terms-url-malformed"


def place(
    manifest: Manifest,
    advertisement: Advertisement,
    document: JSON,
    *,
    url_fault: URLFault = prefix_fault,
    fold_bare: bool = False,
) -> Placed | Refused:
    """Write an advertisement into every slot a manifest declares for writing. The document given stays as it was."""
    if not isinstance(advertisement.ref, dict):
        return refused(
            manifest, "reference-malformed", f"the reference is {found(advertisement.ref)}, not an object"
        )
    problem = _judge_advertisement(manifest, advertisement, url_fault)
    if problem is not None:
        return problem
    if not isinstance(document, dict):
        return _not_an_object(manifest, document)
    if manifest.write_condition is not None and not _is_met(manifest.write_condition, document):
        return refused(
            manifest, "write-condition-unmet", f"the document does not permit writing {manifest.field}"
        )
    kind, value = advertisement.ref["type"], own(advertisement.ref, "value")
    if not isinstance(value, str) or value_fault(kind, value) is not None:
        return refused(manifest, "reference-malformed", f"not a value of type {kind}: {found(value)}")
    written = _write_all(
        manifest, Reference(type=kind, value=value), advertisement.terms_url, document, fold_bare=fold_bare
    )
    return written if isinstance(written, Refused) else Placed(document=detached(written))


def extract(manifest: Manifest, document: JSON, *, url_fault: URLFault = prefix_fault) -> Extracted | Refused:
    """Read the reference and the terms URL. Presence decides, not health: a corrupt slot hides no healthier one."""
    if not isinstance(document, dict):
        return _not_an_object(manifest, document)
    hit = next(hits(manifest, document), None)
    if hit is None:
        return refused(manifest, "reference-absent", f"nothing at {manifest.field}, nor at an alias")
    reference = decode(hit)
    if reference is None or isinstance(reference, Corrupt):
        return refused(manifest, "reference-malformed", f"{hit.slot.path} holds {found(hit.raw)}")
    if reference.type not in manifest.carrier_types:
        return _not_permitted(manifest, reference.type, hit.slot.path)
    terms_url = _read_terms_url(manifest, document, url_fault)
    if isinstance(terms_url, Refused):
        return terms_url
    return Extracted(ref=reference, terms_url=terms_url)


def hits(manifest: Manifest, document: JSON) -> Iterator[Hit]:
    """Give what stands in each slot that is read, the canonical one first, absent ones left out."""
    for slot in (canonical_slot(manifest), *(alias_slot(manifest, alias) for alias in manifest.read_also)):
        raw = read_field(document, slot.container, slot.path)
        if raw is not ABSENT:
            yield Hit(slot=slot, raw=raw)


def refused(manifest: Manifest, reason: str, text: str) -> Refused:
    """Make a refusal of the manifest's protocol."""
    return Refused(code=f"{manifest.protocol}/{reason}", detail=detail(text))


def _judge_advertisement(
    manifest: Manifest, advertisement: Advertisement, url_fault: URLFault
) -> Refused | None:
    kind, url = own(advertisement.ref, "type"), advertisement.terms_url
    if kind not in manifest.carrier_types:
        return _not_permitted(manifest, kind, manifest.field)
    slots = terms_url_slots(manifest)
    if url is None:
        if not slots or kind not in INTEGRITY_TYPES:
            return None
        return refused(
            manifest, "terms-url-missing", f"a {kind} reference needs the terms URL for {' and '.join(slots)}"
        )
    if not slots:
        return refused(
            manifest, "terms-url-unplaceable", f"no place is declared for the terms URL {found(url)}"
        )
    if url_fault(url) is not None:
        return refused(manifest, "terms-url-malformed", f"the terms URL is {found(url)}, not an https link")
    return None


def _write_all(
    manifest: Manifest, reference: Reference, url: JSON, document: dict[str, Any], *, fold_bare: bool
) -> dict[str, Any] | Refused:
    """Write the slots in their order; the terms URL of a tagged array goes into the entry with the reference."""
    entry = url_entry(manifest)
    entry_fields = {} if entry is None or url is None else {entry[1]: url}
    aliases = [alias for alias in manifest.read_also if _is_written(alias, document)]
    written: Any = document
    for slot in (canonical_slot(manifest), *(alias_slot(manifest, alias) for alias in aliases)):
        spelled: Any = encode(reference, slot.encoding, fold_bare=fold_bare)
        written = write_field(written, slot.container, slot.path, spelled, entry_fields)
        if written is UNWRITABLE:
            return _no_holder(manifest, "document-malformed", document, slot.path)
        entry_fields = {}
    for path in () if url is None else manifest.terms_url_fields or ():
        written = write_path(written, split(path), url)
        if written is UNWRITABLE:
            return _no_holder(manifest, "terms-url-slot-unwritable", document, path)
    return written  # type: ignore[no-any-return]


def _is_written(alias: Alias, document: JSON) -> bool:
    return alias.write and (alias.write_condition is None or _is_met(alias.write_condition, document))


def _read_terms_url(manifest: Manifest, document: JSON, url_fault: URLFault) -> TermsURL | Refused:
    slots = terms_url_slots(manifest)
    if not slots:
        return NoFieldDeclared()
    first: tuple[str, str] | None = None
    for path, value in _url_values(manifest, document):
        fault = url_fault(value)
        if fault is not None:
            return refused(manifest, fault, f"{path} holds {found(value)}, not an https link")
        if first is None:
            first = (path, value)
        elif value != first[1]:
            return refused(
                manifest,
                "terms-url-mismatch",
                f"{first[0]} holds {found(first[1])} and {path} holds {found(value)}",
            )
    return DeclaredFieldsEmpty(fields=slots) if first is None else Read(url=first[1])


def _url_values(manifest: Manifest, document: JSON) -> Iterator[tuple[str, Any]]:
    """Give each terms URL slot in which something stands, in order."""
    places = [(path, read_path(document, split(path))) for path in manifest.terms_url_fields or ()]
    entry = url_entry(manifest)
    if entry is not None:
        places.append((entry_path(*entry), own(tagged_entry(document, entry[0]), entry[1])))
    return ((path, value) for path, value in places if value is not ABSENT)


def _is_met(gate: Gate, document: JSON) -> bool:
    for term in gate.terms:
        value = read_field(document, term.container, term.path)
        if not isinstance(value, str) or value not in term.permits:
            return False
    return True


def _not_an_object(manifest: Manifest, document: JSON) -> Refused:
    return refused(manifest, "document-malformed", f"the document is {found(document)}, not an object")


def _not_permitted(manifest: Manifest, kind: JSON | Absent, path: str) -> Refused:
    permitted = "/".join(manifest.carrier_types)
    return refused(manifest, "carrier-type-not-permitted", f"{path} permits {permitted}, not {found(kind)}")


def _no_holder(manifest: Manifest, reason: str, document: JSON, path: str) -> Refused:
    """Say where a path ends that could not be written, and what stands there."""
    segments = split(path) if manifest.container == OBJECT_PATH else ()
    place: Any = document
    there = ""
    for depth, (segment, following) in enumerate(pairwise(segments), start=1):
        place = read_path(place, (segment,))
        if not (isinstance(place, dict) or (isinstance(place, list) and is_index(following))):
            there = f": {'.'.join(segments[:depth])} is {found(place)}"
            break
    return refused(manifest, reason, f"no holder to write {path} into{there}")
