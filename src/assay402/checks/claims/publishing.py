"""The integrity contract's response: frozen member names in a frozen order, and the hashes over it."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from assay402 import __version__
from assay402.checks.claims.model import Diagnosis, Given, Repair, Verdict
from assay402.checks.claims.reading.text import utf16_offsets
from assay402.core.canon import canonical, canonical_plain, sha256_hex
from assay402.core.opinions import Enveloped

RESPONSE_SCHEMA: Final = "FAHCE_MACHINE_RESPONSE_V1"
TRUST: Final = "CALLER_SUPPLIED_NOT_AUTHENTICATED_SOURCE"
RESULT_SCHEME: Final = "SHA256_SORTED_JSON_RESULT_WITH_EMPTY_RESULT_HASH_V2"
RESPONSE_SCHEME: Final = "SHA256_SORTED_JSON_RESPONSE_WITH_EMPTY_RESPONSE_HASH_V2"
NOTES: Final = "Records supplied by the caller; nothing was executed or checked outside."
_AUTHORITY_NOTE: Final = "A proposal only. It is no permission to execute, release or send anything."
_MODEL_NOTE: Final = " A model was asked about claims that the rules left open; its part is marked MODEL."
_SCOPE: Final = "SUBMITTED_CANDIDATE_AGAINST_SUPPLIED_EVIDENCE"
_NEXT: Final[Mapping[str, tuple[str, str]]] = {
    "CLEAR_WITH_CEILING": ("RELEASE_UP_TO_CEILING", "Every claim is stated by the supplied evidence; say no more than the ceiling allows."),
    "REPAIR_REQUIRED": ("SUBMIT_REPAIR_FOR_VERIFICATION", "The text says more than the supplied evidence shows; change it and submit the change to verify."),
    "HOLD": ("PROVIDE_EVIDENCE", "The supplied evidence determines nothing; supply what is missing and ask again."),
    "BLOCK": ("DO_NOT_RELEASE", "The evidence contradicts a consequential action or an authority; do not release or act on this text."),
    "QUARANTINE": ("ISOLATE_AND_REVIEW", "The input cannot be handled as plain material; isolate it and let a person look."),
}  # fmt: skip
_SENTENCES: Final[Mapping[str, str]] = {
    "VALUE_MISMATCH": "the record of the same subject gives another value",
    "UNIT_OR_CURRENCY_MISMATCH": "the record gives another unit or currency",
    "DATE_MISMATCH": "the record gives another date or time",
    "IDENTITY_MISMATCH": "the record names another one",
    "STATUS_CONFLICT": "the newest record tells another status",
    "STAGE_REVERSED": "the newest record tells that it was reversed",
    "POLARITY": "the record says the opposite",
    "COUNTEREXAMPLE": "a record shows an exception",
    "ORDER_OF_EVENTS": "the time stamps have another order",
    "COMPARISON_FALSE": "the record's value lies outside what the claim says",
    "WRONG_ATTRIBUTION": "the named source does not say it and another does",
    "STALE_AUTHORITY": "the authority had ended or was replaced",
    "AUTHORITY_DENIED": "a record denies the authority",
    "MODEL_CONTRADICTION": "a model reads the evidence as denying it",
}


def result(given: Given, diagnosis: Diagnosis, repair: Repair | None) -> dict[str, Any]:
    """Give the part of a response that depends on the request alone."""
    at = utf16_offsets(given.candidate)
    return {
        "schema": RESPONSE_SCHEMA,
        "operation": given.operation,
        "input_hash": given.input_hash,
        "evidence_provenance": [
            {
                "id": f"ev{number}",
                "item_id": item.id,
                "sha256": sha256_hex(item.text.encode()),
                "source_label": item.source_label,
                "trust": TRUST,
            }
            for number, item in enumerate(given.evidence, 1)
        ],
        "execution_state": _execution(diagnosis),
        "authority": {
            "payment_approval": "NOT_AN_AUTHORITY_SIGNAL",
            "integrity_support": "SCOPED_TO_SUPPLIED_EVIDENCE" if given.evidence else "NONE",
            "external_verification": "NOT_ESTABLISHED",
            "permission_to_execute": "NOT_GRANTED",
        },
        "diagnosis": _diagnosis(diagnosis, at),
        "repair": None if repair is None else _repair(diagnosis, repair, at),
        "verification": {
            "verified": is_verified(given, diagnosis),
            "scope": _SCOPE if given.operation in ("verify", "repair-bundle") else "NOT_REQUESTED",
            "external_execution_verified": False,
        },
        "next_safe_action": {"action": _NEXT[diagnosis.state][0], "reason": _NEXT[diagnosis.state][1]},
    }


def is_verified(given: Given, diagnosis: Diagnosis) -> bool:
    """Tell whether the submitted text is verified against the supplied evidence."""
    return (
        given.operation in ("verify", "repair-bundle")
        and diagnosis.state == "CLEAR_WITH_CEILING"
        and any(each.finding.support == "SUPPORTED" for each in diagnosis.verdicts)
    )


def determination(diagnosis: Diagnosis) -> str:
    """Give the contract's word for how the determination ended."""
    done = diagnosis.state in ("CLEAR_WITH_CEILING", "REPAIR_REQUIRED")
    return "DETERMINATION_COMPLETE" if done else "DETERMINATION_COMPLETE_NEGATIVE"


def response(
    body: Mapping[str, Any], given: Given, diagnosis: Diagnosis, envelope: Enveloped
) -> dict[str, Any]:
    """Give the whole response: the result, what belongs to this one run, and the hashes over both."""
    answer = {
        **body,
        "request_id": envelope.request_id,
        "binding": {
            "operation_scope": f"machine:{body['operation']}",
            "actor_id": envelope.actor_id,
            "tenant_model": envelope.tenant_model,
            "tenant_id": envelope.tenant_id,
            "credential_id": envelope.credential_id,
            "nonce": envelope.nonce,
            "idempotency_key": given.idempotency_key or envelope.idempotency_key,
            "payment_context_hash": envelope.payment_context_hash,
        },
        "billing": {
            "billable": envelope.billable,
            "free_retry": False,
            "reason": envelope.billing_reason,
            "determination_status": determination(diagnosis),
        },
        "receipt": {
            "case_id": envelope.request_id,
            "run_id": envelope.request_id,
            "input_hash": body["input_hash"],
            "result_hash": result_hash(body, diagnosis.provider, diagnosis.model, __version__),
            "hash_scheme": RESULT_SCHEME,
            "created_at": envelope.moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "response_hash_scheme": RESPONSE_SCHEME,
            "response_hash": "",
            "payment_status": envelope.payment_status,
            "payment_receipt": None,
            "settled_price_atomic_units": None,
            "provider": diagnosis.provider,
            "model": diagnosis.model,
            "engine_version": __version__,
        },
    }
    answer["receipt"]["response_hash"] = response_hash(answer)
    return answer


HASHED: Final = (
    "schema",
    "operation",
    "input_hash",
    "evidence_provenance",
    "execution_state",
    "authority",
    "diagnosis",
    "repair",
    "verification",
    "next_safe_action",
)
"""Members of a response that its result hash is over."""


_BEYOND_BASIC_PLANE: Final = 0xF0
"""The least first byte of a character beyond the basic plane in UTF-8."""


def result_hash(body: Mapping[str, Any], provider: str, model: str, engine_version: str) -> str:
    """Give the digest of a result: no time, no identity and no nonce goes into it."""
    hashed = {name: body[name] for name in HASHED}
    engine = {"provider": provider, "model": model, "engine_version": engine_version}
    return _digest({**hashed, "engine": engine, "result_hash": ""})


def response_hash(answer: Mapping[str, Any]) -> str:
    """Give the digest of a whole response, its own place left empty."""
    return _digest({**answer, "receipt": {**answer["receipt"], "response_hash": ""}})


def _digest(value: dict[str, Any]) -> str:
    # An answer is plain but for the names of evidence fields, which may lie beyond the basic plane.
    plain = canonical_plain(value)
    return sha256_hex(plain if plain.isascii() or max(plain) < _BEYOND_BASIC_PLANE else canonical(value))


def _execution(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "claimed_execution": "ASSERTED" if diagnosis.claimed_execution else "NOT_ASSERTED",
        "provable_execution": "PARTIALLY_PROVEN" if diagnosis.proven_execution else "NOT_PROVEN",
        "action_details": list(diagnosis.actions),
        "action_classification": list(diagnosis.classes),
        "notes": NOTES + (_MODEL_NOTE if diagnosis.model != "rules" else ""),
    }


def _diagnosis(diagnosis: Diagnosis, at: Callable[[int], int]) -> dict[str, Any]:
    details = _missing(diagnosis)
    published: dict[str, Any] = {
        "state": diagnosis.state,
        "claims": [_claim(verdict, at) for verdict in diagnosis.verdicts],
        "contradictions": [
            {
                "id": f"x{number}",
                "claim_id": verdict.claim.id,
                "reason": f"{verdict.finding.code}: {_SENTENCES[verdict.finding.code]}.",
                "evidence_refs": list(verdict.finding.refs),
            }
            for number, verdict in enumerate(
                (each for each in diagnosis.verdicts if each.finding.support == "CONTRADICTED"), 1
            )
        ],
        "missing_evidence": [each["requirement"] for each in details],
        "missing_evidence_details": details,
        "claim_ceiling": diagnosis.ceiling,
        "evidence_coverage": [
            {
                "item_id": each.item_id,
                "status": each.status,
                "byte_inspection": "OMITTED" if each.status == "OMITTED" else "INSPECTED",
                "available_characters": each.available,
                "inspected_characters": each.inspected,
                "reasons": list(each.reasons),
                "semantic_fields": [] if diagnosis.state == "QUARANTINE" else list(each.fields),
            }
            for each in diagnosis.coverage
        ],
    }
    if diagnosis.state == "HOLD":
        published["hold_reason"] = diagnosis.hold
    return published


def _missing(diagnosis: Diagnosis) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {
            "scope": "CASE",
            "family": "INPUT_SAFETY",
            "requirement": f"Material without {hit.code} in {hit.where} at {hit.start} to {hit.end}.",
        }
        for hit in diagnosis.hits
    ]
    found += [
        {
            "scope": "CLAIM",
            "claim_id": each.claim.id,
            "family": each.finding.missing[0],
            "requirement": each.finding.missing[1],
        }
        for each in diagnosis.verdicts
        if each.finding.missing is not None
    ]
    found += [
        {"scope": "CASE", "family": "OUTPUT_CONTRACT", "requirement": each.requirement}
        for each in diagnosis.directives
        if not each.met
    ]
    unread = [each.item_id for each in diagnosis.coverage if each.status != "INSPECTED"]
    found += [
        {
            "scope": "CASE",
            "family": "UNINSPECTED_EVIDENCE",
            "requirement": f"The part of {item} that was not read, as an item of its own.",
        }
        for item in unread
    ]
    return found


def _claim(verdict: Verdict, at: Callable[[int], int]) -> dict[str, Any]:
    claim, finding = verdict.claim, verdict.finding
    return {
        "id": claim.id,
        "claim": claim.text,
        "source": f"candidate_output[{at(claim.span.start)}:{at(claim.span.end)}]",
        "support": finding.support,
        "evidence_refs": list(finding.refs),
        "review": {
            "class": claim.form.upper() if not claim.mentions else f"{claim.mentions[0].stage}_ACTION",
            "typed_facts": _facts(verdict),
            "rules": [finding.rule],
            "modality": claim.modality,
            "polarity": "negative" if claim.negative else "positive",
            "time": next((fact.value for fact in claim.facts if fact.kind in ("date", "time")), None),
            "attribution": claim.context or None,
            "confidence": finding.confidence,
            "notes": [f"{finding.code}: {finding.note}" if finding.code else finding.note]
            if finding.note or finding.code
            else [],
        },
    }


def _facts(verdict: Verdict) -> list[dict[str, Any]]:
    bound = {index: (ref, value) for index, ref, value in verdict.finding.bound}
    found = []
    for index, fact in enumerate(verdict.claim.facts):
        told: dict[str, Any] = {"kind": fact.kind, "value": fact.value}
        if fact.unit:
            told["unit"] = fact.unit
        if fact.compared:
            told["compared"] = fact.compared
        if index in bound:
            told["bound"], told["evidence_value"] = bound[index]
        found.append(told)
    return found


_KINDS: Final = (
    ("WITHHOLD", "WITHHOLD"),
    ("DOWNGRADE_STAGE", "DOWNGRADE"),
    ("DOWNGRADE_MODALITY", "DOWNGRADE"),
)


def _repair(diagnosis: Diagnosis, repair: Repair, at: Callable[[int], int]) -> dict[str, Any]:
    edits = [
        {
            "op": each.op,
            "claim_id": each.claim_id,
            "span": [at(each.start), at(each.end)],
            "before": each.before,
            "after": each.after,
        }
        for each in repair.corrections
    ]
    corrections = [
        {
            "claim_id": each.claim_id,
            "op": each.op,
            "span": {"start": at(each.start), "end": at(each.end)},
            "before": each.before,
            "after": each.after,
            "evidence_refs": list(each.refs),
            "reason": each.reason,
        }
        for each in repair.corrections
    ]
    return {
        "status": "PROPOSED_NOT_EXECUTED",
        "proposed_output": repair.proposed,
        "treatment": _treatment(diagnosis, repair),
        "plan": {
            "required": diagnosis.state != "CLEAR_WITH_CEILING",
            "authority_note": _AUTHORITY_NOTE,
            "validated_ir": {
                "version": 1,
                "edits": edits,
                "checks": [f"re-diagnosed: {repair.state_after}"] if repair.state_after is not None else [],
            },
            "claim_corrections": corrections,
            "bounded_steps": _steps(diagnosis, repair),
        },
    }


def _treatment(diagnosis: Diagnosis, repair: Repair) -> dict[str, Any] | None:
    if diagnosis.state == "HOLD" or (repair.proposed is None and diagnosis.state != "QUARANTINE"):
        return None
    ops = {each.op for each in repair.corrections}
    kind = "ISOLATE" if diagnosis.state == "QUARANTINE" else "NONE" if not ops else "AMEND"
    for op, name in _KINDS:
        if ops and ops <= {op}:
            kind = name
    return {
        "kind": kind,
        "edits": len(repair.corrections),
        "withheld": repair.withheld,
        "state_after": repair.state_after,
    }


def _how(detail: Mapping[str, Any]) -> str:
    """Say which bounded edit meets a demand on the form, where one does."""
    if detail["family"] != "OUTPUT_CONTRACT":
        return ""
    if "valid JSON" in detail["requirement"]:
        return " Put the text, unchanged, into a JSON value."
    return " Take out the Markdown marks and no word." if "without Markdown" in detail["requirement"] else ""


def _steps(diagnosis: Diagnosis, repair: Repair) -> list[dict[str, str]]:
    steps = [
        {
            "step": f"Withhold claim {each.claim_id}."
            if each.op == "WITHHOLD"
            else f"In claim {each.claim_id} replace {each.before!r} by {each.after!r}.",
            "boundary": "Change no other text; infer nothing from its absence."
            if each.op == "WITHHOLD"
            else "Change no other text; take nothing that the named record does not state.",
        }
        for each in repair.corrections
    ]
    steps += [
        {
            "step": f"{'Meet' if each['family'] == 'OUTPUT_CONTRACT' else 'Obtain'}: {each['requirement']}{_how(each)}",
            "boundary": "Claim nothing of it before; a payment for this check is no such record.",
        }
        for each in _missing(diagnosis)
    ]
    return steps
