"""The integrity contract: what is admitted, how the four operations run, and their exit codes."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from assay402.checks.claims.collect import collect_envelope, collect_opinions
from assay402.checks.claims.diagnosing import assemble, diagnose, diagnose_again
from assay402.checks.claims.model import Again, Diagnosis, EvidenceItem, Given, OperationName, Outcome
from assay402.checks.claims.publishing import determination, is_verified, response, result
from assay402.checks.claims.reading.text import utf16_length
from assay402.checks.claims.rules.opinion import judge_opinion, open_statements
from assay402.checks.claims.rules.repair import repaired
from assay402.checks.claims.rules.world import World
from assay402.core.asks import Collecting
from assay402.core.canon import canonical, sha256_hex
from assay402.core.check import Admit, Refusal
from assay402.core.errors import Notice
from assay402.core.strictjson import JSON, RepeatedNames
from assay402.wire.transport import IDEMPOTENCY_KEY

VERSION: Final = "1.0.0"
REQUEST_SCHEMA: Final = "FAHCE_MACHINE_REQUEST_V1"
REQUEST_BYTES: Final = 524_288
TEXT_UNITS: Final = 200_000
LABEL_UNITS: Final = 160
ITEMS: Final = 12

_KINDS: Final = ("log", "paste", "document", "description")
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MEMBERS: Final = frozenset({"schema", "candidate_output", "expected_output", "evidence"})
_ITEM_MEMBERS: Final = frozenset({"id", "kind", "source_label", "text", "claim_bearing"})

REFUSALS: Final[Mapping[str, Notice]] = {
    "not_json": Notice("The request is not JSON.", "Send one JSON object in UTF-8."),
    "over_cap": Notice("The request is too long.", "Shorten it below the number `cap`, in bytes, everything included."),
    "not-an-object": Notice("The request is not a JSON object.", "Send {schema, candidate_output, evidence}, bare or as the member `request`."),
    "duplicate-member": Notice("A member name stands twice in one object.", "Send each member once."),
    "invalid-unicode": Notice("A text holds half of a surrogate pair.", "Send whole characters."),
    "schema-unknown": Notice("The member `schema` is missing or unknown.", f"Set it to {REQUEST_SCHEMA}."),
    "member-unknown": Notice("The request has a member the contract does not know.", "Remove it or mend its spelling."),
    "member-missing": Notice("A required member is missing.", "A request needs schema, candidate_output and evidence; an item needs id, kind, source_label and text."),
    "member-type": Notice("A member has the wrong type.", "Texts are strings, `evidence` is an array of objects, `claim_bearing` is true or false."),
    "candidate-empty": Notice("The candidate is empty.", "Send the text to check, one character at least."),
    "text-too-long": Notice("A text is too long.", "Shorten it below the number `cap`, in UTF-16 code units."),
    "too-many-items": Notice("There are too many evidence items.", "Send as many as the number `cap` says, at most."),
    "evidence-id": Notice("An evidence id has a form the contract does not take.", "Use 1 to 64 letters, digits, hyphens and underscores."),
    "evidence-id-repeated": Notice("Two evidence items have the same id.", "Give each item an id of its own."),
    "kind-unknown": Notice("An evidence item has an unknown kind.", "Use log, paste, document or description."),
    "idempotency-key": Notice("The idempotency key has a form the contract does not take.", "Use 8 to 128 letters, digits, hyphens and underscores."),
    "receipt-malformed": Notice("The file is no answer of this contract, or was hashed in another way.", "Give the JSON as it was received, whole."),
}  # fmt: skip
"""Every code a request can be refused with."""

EXIT_CODES: Final[Mapping[str, int]] = {
    "CLEAR_WITH_CEILING": 0,
    "REPAIR_REQUIRED": 1,
    "HOLD": 4,
    "BLOCK": 5,
    "QUARANTINE": 6,
}


def admit_for(operation: OperationName) -> Admit[Given]:
    """Give the admission of an operation. The four take the same request."""

    def admit(request: JSON | Refusal, *, allow_private: bool = False) -> Given | Refusal:  # noqa: ARG001  (nothing is fetched)
        if isinstance(request, Refusal):
            return request
        if not isinstance(request, Mapping):
            return Refusal(code="not-an-object")
        inner = _unwrapped(request)
        given = inner if isinstance(inner, Refusal) else _given(operation, inner)
        key = request.get("idempotency_key")
        return (
            replace(given, idempotency_key=key)
            if isinstance(given, Given) and isinstance(key, str)
            else given
        )

    return admit


def _unwrapped(request: Mapping[str, JSON]) -> Mapping[str, JSON] | Refusal:
    """Take the request out of the wrapper a tool call puts round it."""
    if isinstance(request, RepeatedNames):
        return Refusal(code="duplicate-member")
    if "request" not in request:
        return request
    if not {"request", "idempotency_key"}.issuperset(request):
        return Refusal(code="member-unknown")
    key = request.get("idempotency_key", "12345678")
    if not isinstance(key, str):
        return Refusal(code="member-type")
    if not IDEMPOTENCY_KEY.fullmatch(key):
        return Refusal(code="idempotency-key")
    inner = request["request"]
    return inner if isinstance(inner, Mapping) else Refusal(code="not-an-object")


def _given(operation: OperationName, request: Mapping[str, JSON]) -> Given | Refusal:
    if isinstance(request, RepeatedNames):
        return Refusal(code="duplicate-member")
    if request.get("schema") != REQUEST_SCHEMA:
        return Refusal(code="schema-unknown")
    if not _MEMBERS.issuperset(request):
        return Refusal(code="member-unknown")
    if "candidate_output" not in request or "evidence" not in request:
        return Refusal(code="member-missing")
    candidate, expected, evidence = (
        request["candidate_output"],
        request.get("expected_output", ""),
        request["evidence"],
    )
    if (
        not isinstance(candidate, str)
        or not isinstance(expected, str)
        or not isinstance(evidence, list | tuple)
    ):
        return Refusal(code="member-type")
    if not candidate:
        return Refusal(code="candidate-empty")
    if len(evidence) > ITEMS:
        return Refusal(code="too-many-items", length=len(evidence), cap=ITEMS)
    fault = _text_fault(candidate, TEXT_UNITS) or _text_fault(expected, TEXT_UNITS)
    if fault is not None:
        return fault
    items = _items(evidence)
    if isinstance(items, Refusal):
        return items
    hashed = sha256_hex(canonical(request))
    return Given(
        operation=operation, candidate=candidate, expected=expected or None, evidence=items, input_hash=hashed
    )


def _items(evidence: list[JSON] | tuple[JSON, ...]) -> tuple[EvidenceItem, ...] | Refusal:
    found: list[EvidenceItem] = []
    for each in evidence:
        item = _item(each)
        if isinstance(item, Refusal):
            return item
        found.append(item)
    if len({item.id for item in found}) < len(found):
        return Refusal(code="evidence-id-repeated")
    return tuple(found)


def _item(each: JSON) -> EvidenceItem | Refusal:
    if not isinstance(each, Mapping):
        return Refusal(code="member-type")
    if isinstance(each, RepeatedNames):
        return Refusal(code="duplicate-member")
    if not _ITEM_MEMBERS.issuperset(each):
        return Refusal(code="member-unknown")
    if any(name not in each for name in ("id", "kind", "source_label", "text")):
        return Refusal(code="member-missing")
    name, kind, label, text, bearing = (
        each["id"],
        each["kind"],
        each["source_label"],
        each["text"],
        each.get("claim_bearing", True),
    )
    if not (
        isinstance(name, str)
        and isinstance(kind, str)
        and isinstance(label, str)
        and isinstance(text, str)
        and isinstance(bearing, bool)
    ):
        return Refusal(code="member-type")
    if not _ID.fullmatch(name):
        return Refusal(code="evidence-id")
    if kind not in _KINDS:
        return Refusal(code="kind-unknown")
    fault = _text_fault(label, LABEL_UNITS) or _text_fault(text, TEXT_UNITS)
    if fault is not None:
        return fault
    return EvidenceItem(id=name, kind=kind, source_label=label, text=text, claim_bearing=bearing)  # type: ignore[arg-type]  # (one of the kinds)


def _text_fault(text: str, cap: int) -> Refusal | None:
    length = utf16_length(text)
    if length > cap:
        return Refusal(code="text-too-long", length=length, cap=cap)
    return Refusal(code="invalid-unicode") if not text.isascii() and _SURROGATE.search(text) else None


def run(given: Given) -> Collecting[Outcome | Refusal]:
    """Diagnose the candidate, propose a repair where the operation does, and put the answer into its envelope."""
    world = World(given.evidence)
    diagnosis = yield from _diagnosed(given, world)
    repair = (
        repaired((given, diagnosis, _again(world, diagnosis)))
        if given.operation in ("repair", "repair-bundle")
        else None
    )
    world.let_go()
    body = result(given, diagnosis, repair)
    envelope = yield from collect_envelope(given, determination(diagnosis))
    return Outcome(
        given=given, diagnosis=diagnosis, repair=repair, published=response(body, given, diagnosis, envelope)
    )


def _diagnosed(given: Given, world: World) -> Collecting[Diagnosis]:
    diagnosis = diagnose(given, world)
    judged = yield from collect_opinions(given, world, diagnosis)
    if judged is None:
        return diagnosis
    asked = tuple(name for name, _, _ in open_statements(world, diagnosis))
    verdicts = judge_opinion((world, diagnosis.verdicts, asked, judged))
    return replace(assemble(given, world, verdicts), model=judged.model, provider=judged.provider)


def _again(world: World, before: Diagnosis) -> Callable[[Given], Again]:
    return lambda given: diagnose_again(given, world, before)


def publish(outcome: Outcome) -> dict[str, Any]:
    """Give the public JSON of an answer, keys in the contract's order."""
    return dict(outcome.published)


def exit_code(outcome: Outcome) -> int:
    """Give 0 CLEAR_WITH_CEILING, 1 REPAIR_REQUIRED, 4 HOLD, 5 BLOCK, 6 QUARANTINE; `verify` gives 0 only where verified."""
    code = EXIT_CODES[outcome.diagnosis.state]
    if outcome.given.operation == "verify" and code == 0:
        return 0 if is_verified(outcome.given, outcome.diagnosis) else 1
    return code
