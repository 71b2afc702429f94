"""Admission: what a request must be before anything is evaluated, or paid for. Each refusal is a code, free of charge."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from assay402.checks.deliverable.document import Deliverable, json_deliverable
from assay402.checks.deliverable.menu import BY_NAME
from assay402.checks.deliverable.model import (
    ASSAY,
    CONTRACT,
    Body,
    CheckInput,
    Criterion,
    Fault,
    LintInput,
    Profile,
    ReplayInput,
)
from assay402.checks.deliverable.parameters import CheckSpec, read_parameters
from assay402.core.base64 import decode_canonical
from assay402.core.canon import canonical, canonical_plain, sha256_hex
from assay402.core.check import Refusal
from assay402.core.errors import Notice
from assay402.core.exactjson import MAX_DEPTH, Troubled, as_text, read_exact
from assay402.core.grammar import NotJSON
from assay402.core.strictjson import JSON
from assay402.wire.authorization import can_recover

REQUEST_BYTES: Final = 524_288
"""Room for a deliverable in base64 and escapes, and for criteria with schemas beside it."""
REPLAY_BYTES: Final = 2 * REQUEST_BYTES
MAX_DELIVERABLE: Final = 45_056
MAX_CRITERIA: Final = 64
MAX_ID: Final = 128

_REQUIRED: Final = ("deliverable", "criteria")
_MEMBERS: Final = frozenset({*_REQUIRED, "jobRef"})
_KINDS: Final = ("text", "json", "bytes")

REFUSALS: Final[Mapping[str, Notice]] = {
    "body-not-json": Notice(
        "The request is not JSON.", "Send one JSON object in UTF-8, without byte order mark."
    ),
    "body-not-ijson": Notice(
        "The request has a repeated name, half a character or NaN, so readers would disagree about it.",
        "Send each name once, whole characters, and numbers.",
    ),
    "body-too-large": Notice(
        "The request is longer than the number `cap`, in bytes.", "Shorten it, or split the criteria."
    ),
    "limit-depth": Notice("The request is nested too deeply.", f"Keep to {MAX_DEPTH} open brackets at once."),
    "limit-number": Notice(
        "A number in the request has too many digits or too large an exponent.",
        "Keep to 1024 significant digits and exponents within 4096; send longer ones as text.",
    ),
    "member-unknown": Notice(
        "The request has a member the contract does not name.",
        "Send `deliverable`, `criteria` and, if you like, `jobRef`, and nothing else.",
    ),
    "member-missing": Notice(
        "The request lacks `deliverable` or `criteria`.", 'Send {"deliverable": {…}, "criteria": […]}.'
    ),
    "criteria-count": Notice(
        "`criteria` is not an array of 1 to 64 criteria.", "Send at least one, at most 64."
    ),
    "criterion-shape": Notice(
        "A criterion is not an object, or lacks `id` or `check`.", 'Send {"id": "…", "check": "…", …}.'
    ),
    "id-invalid": Notice(
        "The `id` of a criterion is not a string of 1 to 128 characters.", "Name it briefly."
    ),
    "id-repeated": Notice(
        "Two criteria have the same `id`.", "Give each its own: results are told apart by it."
    ),
    "check-unknown": Notice(
        "The `check` of a criterion is not on the menu.",
        "`assay deliverable registry` prints the menu; ours beyond the contract is refused under its profile.",
    ),
    "deliverable-shape": Notice(
        "`deliverable` is not exactly a kind and a value of that kind.",
        'Send {"kind": "text", "value": "…"}, {"kind": "json", "value": …} or {"kind": "bytes", "value": "<base64>"}.',
    ),
    "base64-not-canonical": Notice(
        "The value of kind `bytes` is not canonical base64.",
        "Use the standard alphabet with padding, on one line, as every common encoder writes it.",
    ),
    "deliverable-too-large": Notice(
        "The deliverable is longer than the number `cap`, in evaluated bytes.",
        "Deliver less, or judge it by its digest.",
    ),
    "jobref-not-string": Notice("`jobRef` is not a string.", "Send it as a string, or leave it out."),
    "extra-missing": Notice(
        "A criterion wants a signature recovered, and the library for that is not installed here.",
        "Install `assay402[evm]`, or leave `verifySignature` out.",
    ),
    "answer-shape": Notice(
        "What should be an answer is not a JSON object.",
        "Give the answer as `assay deliverable check --json` wrote it.",
    ),
}


def read_body(source: bytes, cap: int, *, max_depth: int = MAX_DEPTH) -> Body | Refusal:
    """Read a request as received."""
    if len(source) > cap:
        return Refusal(code="body-too-large", length=len(source), cap=cap)
    document = read_exact(source, max_depth=max_depth)
    match document:
        case NotJSON():
            return Refusal(code="body-not-ijson" if document.constant else "body-not-json")
        case Troubled():
            return Refusal(
                code={"depth": "limit-depth", "number": "limit-number"}.get(
                    document.trouble, "body-not-ijson"
                )
            )
        case _:
            if not isinstance(document.value, Mapping):
                return Refusal(code="member-missing")
            return Body(document.value, plain=document.plain, survives=document.survives)


def read_criteria(source: bytes, cap: int) -> Body | Refusal:
    """Read criteria as received: the array, or an object with that member."""
    # The brackets of the object an array is wrapped into do not count against the depth of what was sent.
    wrapped = b'{"criteria":%b}' % source if source.lstrip(b" \t\n\r").startswith(b"[") else source
    body = read_body(wrapped, cap + len(wrapped) - len(source), max_depth=MAX_DEPTH + (wrapped is not source))
    if isinstance(body, Refusal):
        return body
    if "criteria" not in body:
        return Refusal(code="member-missing")
    return Body({"criteria": body["criteria"]}, plain=body.plain, survives=body.survives)


def read_replay(source: bytes, cap: int) -> Body | Refusal:
    """Read a request and its answer as received, each a member of one object."""
    return read_body(source, cap, max_depth=MAX_DEPTH + 1)


def admit_check(
    request: JSON | Refusal, *, allow_private: bool = False, profile: Profile = ASSAY
) -> CheckInput | Refusal:
    """Judge a request in the order of the refusal codes. Nothing private is contacted, whatever is allowed."""
    del allow_private
    body = _body(request, partial(read_body, cap=REQUEST_BYTES))
    if isinstance(body, Refusal):
        return body
    if not body.keys() <= _MEMBERS:
        return Refusal(code="member-unknown")
    if not all(name in body for name in _REQUIRED):
        return Refusal(code="member-missing")
    criteria = _criteria(body["criteria"], profile)
    if isinstance(criteria, Refusal):
        return criteria
    deliverable = _deliverable(body["deliverable"], body)
    if isinstance(deliverable, Refusal):
        return deliverable
    job_ref = body.get("jobRef", "")
    if not isinstance(job_ref, str):
        return Refusal(code="jobref-not-string")
    if any(map(_wants_signer, criteria)) and not can_recover():
        return Refusal(code="extra-missing", is_ours=True)
    return CheckInput(
        body=body,
        profile=profile,
        deliverable=deliverable,
        criteria=criteria,
        job_ref=job_ref if "jobRef" in body else None,
    )


def admit_lint(
    request: JSON | Refusal, *, allow_private: bool = False, profile: Profile = ASSAY
) -> LintInput | Refusal:
    """Judge criteria alone: an array, or an object with that member."""
    del allow_private
    body = _body(request, partial(read_criteria, cap=REQUEST_BYTES))
    if isinstance(body, Refusal):
        return body
    criteria = _criteria(body["criteria"], profile)
    if isinstance(criteria, Refusal):
        return criteria
    return LintInput(criteria=criteria, criteria_root=root_of(body["criteria"], body))


def admit_replay(request: JSON | Refusal, *, allow_private: bool = False) -> ReplayInput | Refusal:
    """Judge a request again, under the profile whose registry the answer names."""
    del allow_private
    # Registry documents are made from the menu that admission reads criteria by.
    from assay402.checks.deliverable.registry import registry_root  # noqa: PLC0415

    body = _body(request, partial(read_replay, cap=REPLAY_BYTES))
    if isinstance(body, Refusal):
        return body
    answer = body.get("answer")
    if not isinstance(answer, Mapping) or "request" not in body:
        return Refusal(code="answer-shape")
    program = answer.get("program")
    named = program.get("registryRoot") if isinstance(program, Mapping) else None
    profile: Profile = CONTRACT if named == registry_root(CONTRACT) else ASSAY
    return ReplayInput(given=admit_check(_again(body), profile=profile), answer=answer)


def root_of(value: JSON, body: Body) -> str:
    """Give `hashCanonical` of a request or a part of it."""
    return sha256_hex(canonical_plain(value) if body.plain else canonical(value))


def _body(request: Any, read: Callable[[bytes], Body | Refusal]) -> Body | Refusal:  # noqa: ANN401  (callers may pass anything)
    """Give the request as read, reading it first where a caller passed values."""
    if isinstance(request, Body):
        return request
    if isinstance(request, Refusal):
        over_cap = request.code == "over_cap"
        return Refusal(code="body-too-large", length=request.length, cap=request.cap) if over_cap else request
    try:
        source = as_text(request)
    except (ValueError, OverflowError):
        return Refusal(code="body-not-ijson")
    except TypeError:
        return Refusal(code="body-not-json")
    except RecursionError:
        return Refusal(code="limit-depth")
    return read(source)


def _again(body: Body) -> JSON | Refusal:
    request = body["request"]
    if not isinstance(request, Mapping):
        return request
    return Body(request, plain=body.plain, survives=body.survives)


def _criteria(value: JSON, profile: Profile) -> tuple[Criterion, ...] | Refusal:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_CRITERIA:
        return Refusal(code="criteria-count")
    criteria: list[Criterion] = []
    ids: set[str] = set()
    for index, sent in enumerate(value):
        criterion = _criterion(index, sent, ids, profile)
        if isinstance(criterion, Refusal):
            return criterion
        criteria.append(criterion)
    return tuple(criteria)


def _criterion(index: int, sent: JSON, ids: set[str], profile: Profile) -> Criterion | Refusal:
    if not isinstance(sent, Mapping) or "id" not in sent or "check" not in sent:
        return Refusal(code="criterion-shape")
    name, check = sent["id"], sent["check"]
    if not isinstance(name, str) or not 1 <= len(name) <= MAX_ID:
        return Refusal(code="id-invalid")
    if name in ids:
        return Refusal(code="id-repeated")
    ids.add(name)
    spec = _spec(check, profile)
    if spec is None:
        return Refusal(code="check-unknown")
    return Criterion(index=index, id=name, check=spec.name, parameters=read_parameters(spec, sent, profile))


def _spec(check: JSON, profile: Profile) -> CheckSpec | None:
    spec = BY_NAME.get(check) if isinstance(check, str) else None
    return None if spec is not None and spec.extension and profile == CONTRACT else spec


def _deliverable(value: JSON, body: Body) -> Deliverable | Refusal:
    if not isinstance(value, Mapping) or value.keys() != {"kind", "value"} or value["kind"] not in _KINDS:
        return Refusal(code="deliverable-shape")
    delivered = value["value"]
    if value["kind"] == "json":
        made = json_deliverable(delivered, plain=body.plain, survives=body.survives)
    elif not isinstance(delivered, str):
        return Refusal(code="deliverable-shape")
    elif value["kind"] == "text":
        made = Deliverable("text", delivered.encode())
    else:
        data = decode_canonical(delivered)
        if data is None:
            return Refusal(code="base64-not-canonical")
        made = Deliverable("bytes", data)
    if len(made.data) > MAX_DELIVERABLE:
        return Refusal(code="deliverable-too-large", length=len(made.data), cap=MAX_DELIVERABLE)
    return made


def _wants_signer(criterion: Criterion) -> bool:
    return not isinstance(criterion.parameters, Fault) and bool(criterion.parameters.get("verifySignature"))
