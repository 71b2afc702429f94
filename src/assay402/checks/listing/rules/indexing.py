"""Whether a catalogue lists the service."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from assay402.checks.listing.model import Facts, Finding, Listed, Queried, Unread
from assay402.checks.listing.reading.captures import extension_response
from assay402.checks.listing.reading.catalogue import NOT_APPLICABLE, chosen, row_of
from assay402.checks.listing.reading.validation import validation
from assay402.checks.listing.reading.words import fix, say, trouble
from assay402.core.check import rule
from assay402.core.strictjson import JSON
from assay402.wire.requirements import mapping, text
from assay402.wire.weburl import parse_web_url

NOT_FOUND: Final = 404
SHOWN: Final = 5
"""Listed addresses that are shown where none is the one that was looked for."""
IDLE: Final = timedelta(days=30)
"""A resource that nobody paid for this long is dropped from the CDP catalogue."""


class _Said(Struct, frozen=True, kw_only=True):
    """The contract's two states, with the keys of sentence and remedy."""

    state: str
    status: str
    key: str
    remedy: str | None


_INDEXED: Final = _Said(state="indexed", status="indexed", key="pass", remedy=None)


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
    said = _INDEXED if is_indexed else _absence(facts, found)
    response = extension_response(given.settle)
    if not is_indexed and response is not None and response.status == "rejected":
        said = replace(said, key="rejected", remedy="indexing.rejected")
        values["reason"] = f" ({response.reason})" if response.reason else ""
    extra = _beside(facts)
    if said.status == "not_found":
        extra["listed_instead"] = [row["resource"] for row in found.rows[:SHOWN]]
    if row is not None and _is_idle(facts, row):
        extra["delisting_soon"] = True
        values["notes"] = "; no payment for 30 days, so it is dropped soon"
    return Finding(
        check="indexing",
        status="pass" if is_indexed else "info",
        message=say(given, f"indexing.{said.key}", **values),
        fix=None if said.remedy is None else fix(said.remedy),
        detail={
            "queryUrl": queried.url,
            "status": said.status,
            "count": found.count,
            "indexer_state": said.state,
            **extra,
        },
    )


def _absence(facts: Facts, found: Listed) -> _Said:
    """Say why this resource is not among the rows that were read."""
    if not found.is_complete:
        return _Said(state="unknown", status="error", key="incomplete", remedy="indexing.retry")
    if not (facts.given.is_compat or _are_comparable(found)):
        return _Said(state="unknown", status="error", key="incomparable", remedy="indexing.retry")
    if found.count:
        return _Said(state="processing", status="not_found", key="unmatched", remedy="indexing.unmatched")
    return _Said(state="processing", status="processing", key="none", remedy="indexing.wait")


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
