"""The JSON contract of `bazaar-check`: how a run goes, the public JSON in its order of keys, the exit codes."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from assay402.checks.listing.collect import collect
from assay402.checks.listing.model import Finding, Kind, ListingInput, ListingReport, Verdict
from assay402.checks.listing.rules.hygiene import host_pollution
from assay402.checks.listing.rules.indexing import indexing
from assay402.checks.listing.rules.liveness import facilitator_fitness, reachability
from assay402.checks.listing.rules.metadata import propagation
from assay402.checks.listing.rules.own import challenge, self_payment, well_known
from assay402.checks.listing.rules.verdict import Judged, verdict
from assay402.core.asks import Collecting
from assay402.core.check import Refusal
from assay402.core.strictjson import JSON, read

SERVICE: Final = "bazaar-check"
VERSION: Final = "0.3.4"
"""The release of the reference whose JSON this is."""
EXIT_USAGE: Final = 1
CHECKS: Final = (
    well_known,
    challenge,
    self_payment,
    indexing,
    propagation,
    host_pollution,
    facilitator_fitness,
    reachability,
)
"""The eight checks in the contract's order."""
_EXIT_CODES: Final[Mapping[Kind, int]] = {
    "looks_correct": 0,
    "implementation_issue": 2,
    "upstream_issue": 3,
    "upstream_stuck": 3,
    "service_unreachable": 3,
}


def check(given: ListingInput) -> Collecting[ListingReport | Refusal]:
    """Report whether a service is well-formed, listed and reachable, and whose turn it is."""
    facts = yield from collect(given)
    if isinstance(facts, Refusal):
        return facts
    findings = tuple(each(facts) for each in CHECKS)
    judged = Judged(facts=facts, findings={finding.check: finding for finding in findings})
    return ListingReport(
        given=given,
        findings=findings,
        verdict=verdict(judged),
        damaged_lines=facts.reached.damaged,
        is_kept=facts.reached.is_kept,
    )


def publish(report: ListingReport) -> dict[str, Any]:
    """Give the public JSON of a report, keys in the contract's order."""
    return {
        "serviceUrl": report.given.url,
        "chain": report.given.chain,
        "results": [_finding(finding) for finding in report.findings],
        "verdict": _verdict(report.verdict),
    }


def exit_code(report: ListingReport) -> int:
    """Give 0 for looks_correct, 2 for implementation_issue, 3 for everything upstream or unreachable."""
    return _EXIT_CODES[report.verdict.kind]


def offline(_given: ListingInput) -> Refusal:
    """Refuse where there is no network: this check is about what others see."""
    return Refusal(code="check_needs_network")


def output_schema() -> Mapping[str, JSON]:
    """Give the JSON Schema of the public JSON, as shipped."""
    schema = read((files("assay402.checks.listing") / "schema.json").read_bytes())
    assert isinstance(schema, Mapping)  # noqa: S101  (our own file)
    return schema


def _finding(finding: Finding) -> dict[str, Any]:
    published = {
        "check": finding.check,
        "status": finding.status,
        "message": finding.message,
        "fix": finding.fix,
        "detail": finding.detail,
    }
    return {name: value for name, value in published.items() if value is not None}


def _verdict(said: Verdict) -> dict[str, Any]:
    of_kind: dict[str, Any] = {}
    if said.kind == "implementation_issue":
        of_kind = {"failedChecks": list(said.failed_checks)}
    elif said.upstream_checks:
        cause = {} if said.cause is None else {"cause": said.cause}
        of_kind = {"upstreamChecks": list(said.upstream_checks), **cause}
    elif said.kind == "service_unreachable":
        of_kind = {
            "unreachableCause": said.unreachable_cause,
            "consensusThreshold": said.consensus_threshold,
            "probeCount": said.probe_count,
        }
    return {"kind": said.kind, "exitCode": _EXIT_CODES[said.kind], "message": said.message, **of_kind}
