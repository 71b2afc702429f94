"""Whether a catalogue shows what the service declares of itself."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from assay402.checks.listing.model import Facts, Finding, Listed, Queried, Unread
from assay402.checks.listing.reading.catalogue import NOT_APPLICABLE, chosen, row_of
from assay402.checks.listing.reading.challenge import bazaar_of, resource_of
from assay402.checks.listing.reading.facilitators import is_non_cdp
from assay402.checks.listing.reading.words import fix, say, trouble
from assay402.core.check import rule
from assay402.core.strictjson import JSON
from assay402.wire.requirements import text

_FIELDS: Final = ("name", "description")
_METADATA: Final = ("serviceName", "tags", "iconUrl")


@rule("listing/propagation", since="0.1", spec="results[4]")
def propagation(facts: Facts) -> Finding:
    """Whether the catalogue shows the name and the description that the service declares.

    ## What it reports
    `pass` with `metadata_propagation` `ok` where they agree, or `unknown` where there is nothing to compare; `info`
    with `missing` where the catalogue has neither of two declared values, or `partial` where anything else differs,
    both with `detail.diff`. The default profile compares the row of this resource, takes what manifest, challenge or
    extension declare as declared, reads a catalogue's `serviceName` as its name, and puts differing service metadata
    into `detail.metadata_drift`.

    ## Why it matters
    Buyers choose by what the catalogue shows, not by what the service says.

    ## How to fix it
    Make manifest and challenge say the same, settle once more, and wait. Some catalogues keep what they saw first.
    """
    given = facts.given
    queried = facts.propagation if given.is_compat else chosen(facts)
    key = _nothing_to_compare(facts, queried)
    if key is not None:
        return _uncompared(facts, key, queried)
    assert queried is not None  # noqa: S101  (else there were nothing to compare)
    assert isinstance(queried.found, Listed)  # noqa: S101  (the same)
    first = queried.found.rows[0] if given.is_compat and queried.found.rows else {}
    row = first if given.is_compat else row_of(facts, queried.found) or {}
    diff = _reference_diff(facts, row) if given.is_compat else _declared_diff(facts, row)
    state = _propagation_state(diff)
    fields = " and ".join(str(each["field"]) for each in diff)
    drift = [] if given.is_compat else _drift(facts, row)
    detail: dict[str, JSON] = {"metadata_propagation": state, "queryUrl": queried.url}
    if diff:
        detail["diff"] = [*diff]
    if drift:
        detail["metadata_drift"] = [*drift]
    notes = f"; {', '.join(str(each['field']) for each in drift)} differ" if drift else ""
    return Finding(
        check="propagation",
        status="info" if diff else "pass",
        message=say(given, f"propagation.{state}", pay_to=facts.pay_to, fields=fields, notes=notes),
        fix=fix(f"propagation.{state}") if diff else None,
        detail=detail,
    )


def _nothing_to_compare(facts: Facts, queried: Queried | None) -> str | None:
    given, pay_to = facts.given, facts.pay_to
    if given.is_compat and is_non_cdp(facts.declared):
        return "not_applicable"
    if given.is_compat and facts.manifest_object is None:
        return "no_manifest"
    if pay_to is None:
        return "no_pay_to"
    if queried is None:
        return "not_applicable"
    if isinstance(queried.found, Unread):
        return queried.found.key
    if queried.found.count == 0 if given.is_compat else row_of(facts, queried.found) is None:
        return "none"
    return "no_manifest" if not given.is_compat and not any(_declared(facts).values()) else None


def _uncompared(facts: Facts, key: str, queried: Queried | None) -> Finding:
    detail: dict[str, JSON] = {
        "metadata_propagation": NOT_APPLICABLE if key == "not_applicable" else "unknown"
    }
    values: dict[str, Any] = {"pay_to": facts.pay_to}
    if queried is not None:
        detail["queryUrl"] = queried.url
        if isinstance(queried.found, Unread):
            unread = queried.found
            values["status"] = unread.status
            if unread.status is not None:
                detail["httpStatus"] = unread.status
            if unread.failure is not None:
                values["error"] = trouble(facts.given, unread.failure)
    message = say(facts.given, f"propagation.{key}", **values)
    return Finding(check="propagation", status="pass", message=message, detail=detail)


def _trimmed(sent: Mapping[str, JSON] | None, name: str) -> str | None:
    """Give a text without the blanks around it; None where it is none or only blanks."""
    return (text(sent or {}, name) or "").strip() or None


def _reference_diff(facts: Facts, row: Mapping[str, JSON]) -> list[dict[str, JSON]]:
    pairs = ((name, _trimmed(facts.manifest_object, name), _trimmed(row, name)) for name in _FIELDS)
    return [_difference(*pair) for pair in pairs if pair[1] != pair[2]]


def _declared(facts: Facts) -> dict[str, tuple[str, ...]]:
    """Give every value that is declared for each field, wherever it stands."""
    challenge = facts.challenge
    sent = None if isinstance(challenge, Unread) else challenge.sent
    resource = {} if isinstance(challenge, Unread) else resource_of(challenge)
    manifest = facts.manifest_object
    places = [manifest, bazaar_of(manifest), bazaar_of(sent)]
    values = {name: [_trimmed(place, name) for place in places] for name in _FIELDS}
    values["name"].append(_trimmed(resource, "serviceName"))
    values["description"].append(_trimmed(resource, "description"))
    return {name: tuple(value for value in found if value is not None) for name, found in values.items()}


def _declared_diff(facts: Facts, row: Mapping[str, JSON]) -> list[dict[str, JSON]]:
    """Compare with whatever is declared.

    A row in CDP's shape that has neither name nor serviceName says nothing of a name, so none is compared.
    """
    shown = {
        "name": _trimmed(row, "name") or _trimmed(row, "serviceName"),
        "description": _trimmed(row, "description"),
    }
    has_no_name = shown["name"] is None and "accepts" in row and "x402Version" in row
    diff = []
    for name, values in _declared(facts).items():
        if not values or shown[name] in values or (name == "name" and has_no_name):
            continue
        diff.append(_difference(name, _trimmed(facts.manifest_object, name), shown[name]))
    return diff


def _difference(field: str, manifest: str | None, indexer: str | None) -> dict[str, JSON]:
    return {"field": field, "manifest": manifest, "indexer": indexer}


def _propagation_state(diff: Sequence[Mapping[str, JSON]]) -> str:
    if not diff:
        return "ok"
    all_gone = all(each["manifest"] is not None and each["indexer"] is None for each in diff)
    return "missing" if len(diff) == len(_FIELDS) and all_gone else "partial"


def _drift(facts: Facts, row: Mapping[str, JSON]) -> list[dict[str, JSON]]:
    """Name service metadata that the challenge declares and the row shows otherwise."""
    resource = {} if isinstance(facts.challenge, Unread) else resource_of(facts.challenge)
    return [
        {"field": name, "declared": resource[name], "indexer": row.get(name)}
        for name in _METADATA
        if resource.get(name) is not None and resource[name] != row.get(name)
    ]
