"""The bounds of a judge: what it may be asked, and what its opinion can change."""

from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.model import Diagnosis, Finding, Verdict
from assay402.checks.claims.rules.view import view_of
from assay402.checks.claims.rules.world import World
from assay402.core.check import rule
from assay402.core.opinions import Judged, Opinion

_VETOED: Final = frozenset(
    {
        "STAGE_OVERCLAIM",
        "SELF_REPORT_ONLY",
        "NO_EXECUTION_RECORD",
        "TARGET_DIFFERS",
        "PENDING_AUTHORITY",
        "AUTHORITY_NOT_SHOWN",
        "EVIDENCE_CONFLICT",
        "SOURCE_NOT_SUPPLIED",
        "NOT_VERBATIM",
        "BUDGET",
        "NO_EVIDENCE",
        "CAUSAL_OVERCLAIM",
    }
)
_TEXTS: Final = 4


def open_statements(world: World, diagnosis: Diagnosis) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Give the claims a judge may be asked about: left open by the rules, and no typed value unbound."""
    found = []
    for verdict in diagnosis.verdicts:
        finding, claim = verdict.finding, verdict.claim
        if finding.support not in ("UNSUPPORTED", "UNVERIFIED") or finding.code in _VETOED:
            continue
        view = view_of(claim, world)
        near = [each for each in view.near[:_TEXTS] if all(one.state == "match" for one in each.bindings)]
        if near:
            found.append((claim.id, claim.text, tuple(each.record.text for each in near)))
    return tuple(found)


@rule("claims/judge-opinion", since="0.1", spec="section 11")
def judge_opinion(case: tuple[World, tuple[Verdict, ...], tuple[str, ...], Judged]) -> tuple[Verdict, ...]:
    """Let a judge's opinion raise or lower claims that the rules left open, and no others.

    ## What it reports
    SUPPORTED or CONTRADICTED with the confidence MODEL where the opinion reaches its threshold; a quotation given
    with it must stand in the evidence word for word, else the opinion is dropped. It is asked only about claims
    without an unbound value, and never turns a rule's contradiction, a stage overclaim, a self-report, a fault of
    authority, a missing value or a safety hit into support.

    ## Why it matters
    A model reads prose better than rules do, and makes things up where rules do not.

    ## How to fix it
    Read the finding's note: it says that a model spoke. Without a judge the claim is what the rules said.
    """
    world, verdicts, asked, judged = case
    opinions = dict(zip(asked, judged.opinions, strict=False))
    return tuple(_with(world, verdict, opinions.get(verdict.claim.id), judged) for verdict in verdicts)


def _with(world: World, verdict: Verdict, opinion: Opinion | None, judged: Judged) -> Verdict:
    if opinion is None:
        return verdict
    refs = _quoted(world, opinion) if opinion.quote is not None else _nearest(world, verdict)
    if not refs:
        return verdict
    support = opinion.entail >= judged.support_threshold and opinion.entail > opinion.contradict
    against = opinion.contradict >= judged.contradict_threshold and opinion.contradict > opinion.entail
    if support == against:
        return verdict
    finding = Finding(
        support="SUPPORTED" if support else "CONTRADICTED",
        rule="claims/judge-opinion",
        refs=refs,
        code="" if support else "MODEL_CONTRADICTION",
        note="a model's opinion within the bounds of the rules",
        confidence="MODEL",
    )
    return replace(verdict, finding=finding)


def _quoted(world: World, opinion: Opinion) -> tuple[str, ...]:
    quote = opinion.quote or ""
    for item in world.items:
        at = item.text.find(quote) if quote.strip() and item.claim_bearing else -1
        if at >= 0:
            return (f"{item.id}#c{at}-{at + len(quote)}",)
    return ()


def _nearest(world: World, verdict: Verdict) -> tuple[str, ...]:
    return tuple(near.record.ref for near in view_of(verdict.claim, world).near[:1])
