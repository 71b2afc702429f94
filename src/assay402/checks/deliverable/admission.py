"""Admission: what a request must be before anything is evaluated, or paid for. Each refusal is a code, free of charge."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from assay402.checks.deliverable.budget import Room
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
from assay402.checks.deliverable.program import require_engines
from assay402.core.base64 import decode_canonical
from assay402.core.canon import canonical, canonical_plain, sha256_hex
from assay402.core.check import Refusal
from assay402.core.exactjson import MAX_DEPTH, Exact, TooLong, TooManyFigures, Troubled, as_text, read_exact
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
_TROUBLES: Final[Mapping[str, str]] = {"depth": "limit-depth", "number": "limit-number"}


def read_body(source: bytes, cap: int, *, max_depth: int = MAX_DEPTH) -> Body | Refusal:
    """Read a request as received."""
    document = _read(source, cap, max_depth)
    if isinstance(document, Refusal):
        return document
    if not isinstance(document.value, Mapping):
        return Refusal(code="member-missing")
    return Body(document.value, plain=document.plain, survives=document.survives)


def read_criteria(source: bytes, cap: int) -> Body | Refusal:
    """Read criteria as received: the array, or an object with that member."""
    document = _read(source, cap, MAX_DEPTH)
    if isinstance(document, Refusal):
        return document
    criteria = document.value
    if isinstance(criteria, Mapping):
        if "criteria" not in criteria:
            return Refusal(code="member-missing")
        criteria = criteria["criteria"]
    return Body({"criteria": criteria}, plain=document.plain, survives=document.survives)


def read_replay(source: bytes, cap: int) -> Body | Refusal:
    """Read a request and its answer as received, each a member of one object."""
    return read_body(source, cap, max_depth=MAX_DEPTH + 1)


def admit_check(
    request: JSON | Refusal, *, allow_private: bool = False, profile: Profile = ASSAY
) -> CheckInput | Refusal:
    """Judge a request in the order of the refusal codes. Nothing private is contacted, whatever is allowed.

    Raises:
        EngineDiffers: criteria are read with the engines, so they are looked at first.

    """
    del allow_private
    require_engines()
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
    require_engines()
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

    require_engines()
    sides = _sides(request)
    if isinstance(sides, Refusal):
        return sides
    answer = sides.get("answer")
    if not isinstance(answer, Mapping) or "request" not in sides:
        return Refusal(code="answer-shape")
    program = answer.get("program")
    named = program.get("registryRoot") if isinstance(program, Mapping) else None
    profile: Profile = CONTRACT if named == registry_root(CONTRACT) else ASSAY
    return ReplayInput(given=admit_check(sides["request"], profile=profile), answer=answer)


def root_of(value: JSON, body: Body) -> str:
    """Give `hashCanonical` of a request or a part of it."""
    return sha256_hex(canonical_plain(value) if body.plain else canonical(value))


def _read(source: bytes, cap: int, max_depth: int) -> Exact | Refusal:
    if len(source) > cap:
        return Refusal(code="body-too-large", length=len(source), cap=cap)
    document = read_exact(source, max_depth=max_depth)
    match document:
        case NotJSON():
            return Refusal(code="body-not-ijson" if document.constant else "body-not-json")
        case Troubled():
            return Refusal(code=_TROUBLES.get(document.trouble, "body-not-ijson"))
        case _:
            return document


def _body(request: Any, read: Callable[[bytes], Body | Refusal]) -> Body | Refusal:  # noqa: ANN401  (callers may pass anything)
    """Give the request as read, reading it first where a caller passed values."""
    if isinstance(request, Body):
        return request
    if isinstance(request, Refusal):
        over_cap = request.code == "over_cap"
        return Refusal(code="body-too-large", length=request.length, cap=request.cap) if over_cap else request
    try:
        source = as_text(request, REPLAY_BYTES)
    except TooLong:
        return Refusal(code="body-too-large", cap=REQUEST_BYTES)
    except TooManyFigures:
        return Refusal(code="limit-number")
    except (ValueError, OverflowError):
        return Refusal(code="body-not-ijson")
    except TypeError:
        return Refusal(code="body-not-json")
    except RecursionError:
        return Refusal(code="limit-depth")
    return read(source)


def _sides(request: JSON | Refusal) -> Mapping[str, Any] | Refusal:
    """Give a request and its answer as they were read: written anew, a number could outgrow the limit of bytes."""
    if isinstance(request, Mapping) and not isinstance(request, Body):
        sides = request.items()
        if any(isinstance(side, Body) for _, side in sides):
            read = partial(read_body, cap=REQUEST_BYTES)
            return {name: side if isinstance(side, Body) else _body(side, read) for name, side in sides}
    body = _body(request, partial(read_replay, cap=REPLAY_BYTES))
    if isinstance(body, Refusal) or not isinstance(body.get("request"), Mapping):
        return body
    again = Body(body["request"], plain=body.plain, survives=body.survives)  # type: ignore[arg-type]  # told in the line above
    return {**body, "request": again}


def _criteria(value: JSON, profile: Profile) -> tuple[Criterion, ...] | Refusal:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_CRITERIA:
        return Refusal(code="criteria-count")
    criteria: list[Criterion] = []
    ids: set[str] = set()
    room = Room()
    for index, sent in enumerate(value):
        criterion = _criterion(index, sent, ids, profile, room)
        if isinstance(criterion, Refusal):
            return criterion
        criteria.append(criterion)
    return tuple(criteria)


def _criterion(index: int, sent: JSON, ids: set[str], profile: Profile, room: Room) -> Criterion | Refusal:
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
    parameters = read_parameters(spec, sent, profile, room)
    return Criterion(index=index, id=name, check=spec.name, parameters=parameters)


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
