"""What the eight findings come to."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from assay402.checks.listing.model import CheckName, Facts, Finding, ListingInput, StuckCause, Verdict
from assay402.checks.listing.reading.captures import (
    REJECTED,
    echoes_nothing,
    extension_response,
    lacks_resource_object,
)
from assay402.checks.listing.reading.liveness import cause_of
from assay402.checks.listing.reading.words import say
from assay402.core.check import rule
from assay402.core.strictjson import JSON
from assay402.wire.requirements import mapping, text

IMPLEMENTATION: Final[tuple[CheckName, ...]] = ("well-known", "challenge", "self-payment")
UPSTREAM: Final[tuple[CheckName, ...]] = ("indexing", "propagation", "facilitator-fitness", "reachability")


class Judged(Struct, frozen=True, kw_only=True):
    """The findings, with the facts they rest on."""

    facts: Facts
    findings: Mapping[CheckName, Finding]


@rule("listing/verdict", since="0.1", spec="verdict")
def verdict(judged: Judged) -> Verdict:
    """Whose turn it is: the service's, the catalogue's, or nobody's.

    ## What it reports
    The first that holds: `service_unreachable` where probes agree; `implementation_issue` for any `fail`, naming the
    checks; `upstream_stuck` where the catalogue still processes, with its cause; `upstream_issue` for any other `info`
    of indexing, propagation, facilitator or reachability; else `looks_correct`. `host-pollution` never counts. The
    cause is `payload_echo_gap` where a captured payload or settlement shows it, `unknown` where both were captured
    and neither does, else `indexer_state_processing`. In the default profile indexing that could not be asked,
    because there was no challenge, does not count; the message says where no catalogue was asked, and names a captured
    rejection of the extension.

    ## Why it matters
    Waiting for a catalogue when the challenge is wrong loses days, and so does mending a service that is right.

    ## How to fix it
    Follow the fixes of the named checks, in their order.

    ## Known limits
    `indexer_state_terminal` is part of the contract and never said: nothing tells a fresh listing from a stale one.
    """
    given, findings = judged.facts.given, judged.findings
    unreachable = _unreachable(judged)
    if unreachable is not None:
        return unreachable
    failed = tuple(name for name in IMPLEMENTATION if name in findings and findings[name].status == "fail")
    if failed:
        message = say(given, "verdict.implementation_issue", count=len(failed), checks=", ".join(failed))
        return Verdict(kind="implementation_issue", message=message, failed_checks=failed)
    upstream = tuple(name for name in UPSTREAM if _counts(given, findings.get(name)))
    if not upstream:
        return Verdict(kind="looks_correct", message=say(given, _praise(judged)))
    checks = ", ".join(upstream)
    if _member(findings.get("indexing"), "indexer_state") == "processing" and "indexing" in upstream:
        return Verdict(
            kind="upstream_stuck",
            message=_rejection(given) or say(given, "verdict.upstream_stuck", checks=checks),
            upstream_checks=upstream,
            cause=_cause(judged),
        )
    is_outage = any(name in findings and findings[name].status == "info" for name in IMPLEMENTATION)
    key = "verdict.outage" if is_outage and not given.is_compat else "verdict.upstream_issue"
    cause = cause_of(judged.facts.reached.tries)
    return Verdict(
        kind="upstream_issue",
        message=("indexing" in upstream and _rejection(given)) or say(given, key, checks=checks, cause=cause),
        upstream_checks=upstream,
    )


def _praise(judged: Judged) -> str:
    """Choose the words for nothing to mend: what was not asked or not compared is not praised."""
    if not judged.facts.given.is_compat:
        if _member(judged.findings.get("indexing"), "indexer_state") != "indexed":
            return "verdict.looks_correct_unasked"
        if _member(judged.findings.get("propagation"), "metadata_propagation") != "ok":
            return "verdict.looks_correct_uncompared"
    return "verdict.looks_correct"


def _rejection(given: ListingInput) -> str:
    """Give the sentence on a rejection that was captured; it stands alone, for it says more than any guess."""
    response = extension_response(given.settle)
    if given.is_compat or response is None or response.status != REJECTED:
        return ""
    reason = f" ({response.reason})" if response.reason else ""
    return say(given, "verdict.rejected", reason=reason)


def _unreachable(judged: Judged) -> Verdict | None:
    given = judged.facts.given
    finding = judged.findings.get("reachability")
    facet = mapping((finding.detail if finding is not None else None) or {}, "reachability") or {}
    cause = cause_of(judged.facts.reached.tries)
    if facet.get("consensus_met") is not True or cause is None or cause == "persistent_5xx":
        return None
    probes = facet["probe_count"]
    assert isinstance(probes, int)  # noqa: S101  (the rule's own number)
    values = {"cause": cause, "threshold": given.consensus_count, "probes": probes}
    return Verdict(
        kind="service_unreachable",
        message=say(given, "verdict.service_unreachable", **values),
        unreachable_cause=cause,
        consensus_threshold=given.consensus_count,
        probe_count=probes,
    )


def _counts(given: ListingInput, finding: Finding | None) -> bool:
    """Tell whether an `info` speaks of something upstream: what could not be asked speaks of nothing."""
    if finding is None or finding.status != "info":
        return False
    return given.is_compat or finding.check != "indexing" or finding.detail is not None


def _member(finding: Finding | None, name: str) -> JSON:
    return None if finding is None or finding.detail is None else text(finding.detail, name)


def _cause(judged: Judged) -> StuckCause:
    given = judged.facts.given
    challenge = judged.findings.get("challenge")
    detail = challenge.detail if challenge is not None else None
    gaps = (
        lacks_resource_object(given),
        echoes_nothing(given, mapping(detail or {}, "challengeExtensions")),
    )
    if any(gaps):
        return "payload_echo_gap"
    return "indexer_state_processing" if None in gaps else "unknown"
