"""What the ledger says of the work: closed words and counts taken from the published answer, never anything submitted."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

from assay402.core.check import Check
from assay402.service.ports import Entry


def entry_of(check: Check, published: Mapping[str, Any]) -> Entry:
    """Give the ledger's words for an answer of a check."""
    return _BY_CHECK[check.name](check, published)


def _dialect(_check: Check, published: Mapping[str, Any]) -> Entry:
    return Entry(
        criteria_version=f"{published['criteria_id']} {published['criteria_revision']}",
        report_line=published["report_line"],
        summary=published["dialect"],
        carrier=published["axes"]["challenge_carrier"],
    )


def _listing(check: Check, published: Mapping[str, Any]) -> Entry:
    return Entry(
        program=f"{check.service} {check.version}",
        verdict=published["verdict"]["kind"],
        counts=dict(Counter(each["status"] for each in published["results"])),
    )


def _deliverable(_check: Check, published: Mapping[str, Any]) -> Entry:
    program = published["program"]
    return Entry(
        program=f"{program['id']} {program['version']}",
        verdict=published["verdict"],
        counts=dict(published["counts"]),
    )


def _claims(_check: Check, published: Mapping[str, Any]) -> Entry:
    diagnosis = published["diagnosis"]
    return Entry(
        program=f"{published['receipt']['model']} {published['receipt']['engine_version']}",
        verdict=diagnosis["state"],
        counts=dict(Counter(each["support"] for each in diagnosis["claims"])),
    )


def _terms(check: Check, published: Mapping[str, Any]) -> Entry:
    said = published.get("outcome") or ("placed" if published.get("ok") is True else "refused")
    return Entry(program=f"{check.service} {check.version}", verdict=said, counts={})


_BY_CHECK: Final[Mapping[str, Callable[[Check, Mapping[str, Any]], Entry]]] = {
    "dialect": _dialect,
    "listing": _listing,
    "deliverable": _deliverable,
    "claims": _claims,
    "terms": _terms,
}
