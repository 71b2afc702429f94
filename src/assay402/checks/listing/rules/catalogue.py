"""What the catalogues show of the service: whether it is there, as declared, and once."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from assay402.checks.listing.model import Facts, Finding, Listed, Queried, Unread
from assay402.checks.listing.reading.captures import extension_response
from assay402.checks.listing.reading.catalogue import HostPaths, chosen, host_paths, row_of
from assay402.checks.listing.reading.challenge import bazaar_of, resource_of
from assay402.checks.listing.reading.facilitators import is_non_cdp
from assay402.checks.listing.reading.validation import validation
from assay402.checks.listing.reading.words import fix, say, trouble
from assay402.core.check import rule
from assay402.core.strictjson import JSON
from assay402.wire.requirements import mapping, text
from assay402.wire.weburl import parse_web_url

NOT_FOUND: Final = 404
NOT_APPLICABLE: Final = "not_applicable_non_cdp"
SHOWN: Final = 5
"""Listed addresses that are shown where none is the one that was looked for."""
IDLE: Final = timedelta(days=30)
"""A resource that nobody paid for this long is dropped from the CDP catalogue."""
_FIELDS: Final = ("name", "description")
_METADATA: Final = ("serviceName", "tags", "iconUrl")


@rule("listing/indexing", since="0.1", spec="results[3]")
def indexing(facts: Facts) -> Finding:
    """Whether a catalogue lists the service.

    ## What it reports
    `pass` with `indexer_state` `indexed` where a catalogue holds it, `info` with `processing` where it does not, and
    `info` with `unknown` where the catalogue could not be asked or read. `pass` with `not_applicable_non_cdp`, and no
    request, where another facilitator is declared whose catalogue is not known. The compat profile counts rows; the
    default profile drops rows of other payees and looks for this resource's host and path, in the catalogues named in
    `detail.catalogues`.

    ## Why it matters
    A service that was paid and settled but is not listed is not found by buyers.

    ## How to fix it
    Settle one payment through the facilitator and wait a day. If that was done, compare the resource URL in the
    challenge with the listed ones, and read what the facilitator answered to /settle (`--settle-capture`): a rejection
    of the extension says more than any waiting.

    ## Known limits
    At most 50 pages of a catalogue are read; beyond that a resource that was not found is `unknown`, not `processing`.
    """
    given, pay_to = facts.given, facts.pay_to
    if pay_to is None:
        return Finding(check="indexing", status="info", message=say(given, "indexing.no_challenge"))
    if not facts.indexing:
        message = say(given, "indexing.not_applicable")
        detail = {"indexer_state": NOT_APPLICABLE, **_beside(facts)}
        return Finding(check="indexing", status="pass", message=message, detail=detail)
    queried = chosen(facts)
    assert queried is not None  # noqa: S101  (there is at least one)
    if isinstance(queried.found, Unread):
        return _unread_indexing(facts, queried, queried.found)
    return _read_indexing(facts, queried, queried.found)


def _unread_indexing(facts: Facts, queried: Queried, unread: Unread) -> Finding:
    given = facts.given
    detail: dict[str, JSON] = {"queryUrl": queried.url}
    values: dict[str, Any] = {"pay_to": facts.pay_to, "status": unread.status}
    key, remedy, state = unread.key, "indexing.retry", "unknown"
    if unread.status is not None:
        detail["httpStatus"] = unread.status
    if unread.status == NOT_FOUND:
        key, remedy, state = "not_found", "indexing.wait", "processing"
    if unread.failure is not None:
        values["error"] = trouble(given, unread.failure)
    else:
        detail["status"] = "processing" if state == "processing" else "error"
    detail["indexer_state"] = state
    return Finding(
        check="indexing",
        status="info",
        message=say(given, f"indexing.{key}", **values),
        fix=fix(remedy),
        detail={**detail, **_beside(facts)},
    )


def _read_indexing(facts: Facts, queried: Queried, found: Listed) -> Finding:
    given = facts.given
    row = None if given.is_compat else row_of(facts, found)
    values = {
        "pay_to": facts.pay_to,
        "count": found.count,
        "facilitator": queried.facilitator,
        "notes": "",
        "reason": "",
    }
    is_indexed = found.count > 0 if given.is_compat else row is not None
    state, status = ("indexed", "indexed") if is_indexed else ("processing", "processing")
    key, remedy = ("pass", None) if is_indexed else ("none", "indexing.wait")
    if not is_indexed and found.count:
        status, key, remedy = "not_found", "unmatched", "indexing.unmatched"
    if not is_indexed and not (given.is_compat or _are_comparable(found)):
        state, status, key, remedy = "unknown", "error", "incomparable", "indexing.retry"
    if not is_indexed and not found.is_complete:
        state, status, key, remedy = "unknown", "error", "incomplete", "indexing.retry"
    response = extension_response(given.settle)
    if not is_indexed and response is not None and response.status == "rejected":
        key, remedy = "rejected", "indexing.rejected"
        values["reason"] = f" ({response.reason})" if response.reason else ""
    extra = _beside(facts)
    if status == "not_found":
        extra["listed_instead"] = [row["resource"] for row in found.rows[:SHOWN]]
    if row is not None and _is_idle(facts, row):
        extra["delisting_soon"] = True
        values["notes"] = "; no payment for 30 days, so it is dropped soon"
    return Finding(
        check="indexing",
        status="pass" if is_indexed else "info",
        message=say(given, f"indexing.{key}", **values),
        fix=None if remedy is None else fix(remedy),
        detail={
            "queryUrl": queried.url,
            "status": status,
            "count": found.count,
            "indexer_state": state,
            **extra,
        },
    )


def _are_comparable(found: Listed) -> bool:
    """Tell whether every row names the address it is of: one that does not may be of this service."""
    return all(parse_web_url(text(row, "resource") or "") is not None for row in found.rows)


def _beside(facts: Facts) -> dict[str, JSON]:
    """Give what the default profile says besides the contract's members."""
    beside: dict[str, JSON] = {}
    if not facts.given.is_compat and facts.indexing:
        beside["catalogues"] = [_catalogue(each) for each in facts.indexing]
    response = extension_response(facts.given.settle)
    if response is not None:
        reason = {} if response.reason is None else {"rejectedReason": response.reason}
        beside["extension_response"] = {"status": response.status, **reason}
    if facts.validated is not None:
        beside["validation"] = validation(facts.given, facts.validated)
    return beside


def _catalogue(queried: Queried) -> dict[str, JSON]:
    named: dict[str, JSON] = {"facilitator": queried.facilitator, "queryUrl": queried.url}
    if isinstance(queried.found, Unread):
        return {**named, "read": False}
    found = queried.found
    return {
        **named,
        "read": True,
        "count": found.count,
        "complete": found.is_complete,
        "otherPayees": found.others,
    }


def _is_idle(facts: Facts, row: Mapping[str, JSON]) -> bool:
    called = text(mapping(row, "quality") or {}, "lastCalledAt")
    try:
        moment = datetime.fromisoformat(called or "")
    except ValueError:
        return False
    return moment.tzinfo is not None and facts.reached.at - moment > IDLE


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
    if given.is_compat and is_non_cdp(given, facts.declared):
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


@rule("listing/host-pollution", since="0.1", spec="results[5]")
def host_pollution(facts: Facts) -> Finding:
    """Whether one path of the payee is listed under several hosts.

    ## What it reports
    `info` with the state `polluted`, the paths and their hosts where some path is; `pass` with `no_pollution` or
    `unknown` otherwise. It never changes the verdict. Hosts are compared in lower case and in their ASCII form, with
    the port where it is not the scheme's own; paths without query. The default profile reads every page.

    ## Why it matters
    A catalogue lists the URL that was paid. With several hosts in front of one handler each becomes a listing of its
    own, and their ranking is shared among them.

    ## How to fix it
    Redirect every host to one, and put that host into the challenge's resource URL.
    """
    given, queried = facts.given, facts.merchant
    if facts.pay_to is None:
        message = say(given, "host-pollution.no_challenge")
        return Finding(check="host-pollution", status="pass", message=message)
    if queried is None:
        return Finding(
            check="host-pollution",
            status="pass",
            message=say(given, "host-pollution.not_applicable"),
            detail={"state": NOT_APPLICABLE},
        )
    if isinstance(queried.found, Unread):
        unread = queried.found
        error = "" if unread.failure is None else trouble(given, unread.failure)
        status: dict[str, JSON] = {} if unread.status is None else {"httpStatus": unread.status}
        values: dict[str, Any] = {"pay_to": facts.pay_to, "status": unread.status, "error": error}
        return Finding(
            check="host-pollution",
            status="pass",
            message=say(given, f"host-pollution.{unread.key}", **values),
            detail={"queryUrl": queried.url, **status, "state": "unknown"},
        )
    return _pollution(facts, queried, queried.found)


def _pollution(facts: Facts, queried: Queried, found: Listed) -> Finding:
    given, paths = facts.given, host_paths(found.rows)
    is_polluted = bool(paths.polluted)
    key = "polluted" if is_polluted else "pass" if found.count else "none"
    values = {"count": len(paths.polluted), "entries": paths.entries, "hosts": paths.hosts}
    return Finding(
        check="host-pollution",
        status="info" if is_polluted else "pass",
        message=say(given, f"host-pollution.{key}", pay_to=facts.pay_to, **values),
        fix=fix("host-pollution.polluted") if is_polluted else None,
        detail={
            "queryUrl": queried.url,
            "state": "polluted" if is_polluted else "no_pollution",
            **(_listed_paths(paths) if is_polluted else {}),
            "total_entries": paths.entries,
            "distinct_hosts": paths.hosts,
        },
    )


def _listed_paths(paths: HostPaths) -> dict[str, JSON]:
    return {
        "polluted_paths": [{"resource_path": path, "hosts": list(hosts)} for path, hosts in paths.polluted],
        "polluted_path_count": len(paths.polluted),
    }
