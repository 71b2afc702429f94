"""The deliverable check as a library: a request in, the published answer out. Nothing is fetched, nothing is kept.

A request is given as JSON text, which keeps every digit of its numbers, or as Python values.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from assay402.checks.deliverable import CHECK
from assay402.checks.deliverable.model import Profile
from assay402.checks.deliverable.published import contract_document
from assay402.checks.deliverable.registry import registry as _registry
from assay402.core.check import Operation, Refusal
from assay402.library import answer_admitted

Given: TypeAlias = Mapping[str, Any] | str | bytes
"""A JSON object, as text or as values."""

_CHECK = CHECK.operation("check")
_LINT = CHECK.operation("lint")
_REPLAY = CHECK.operation("replay")
_EXPLAIN = CHECK.operation("explain")


def check(request: Given, *, profile: Profile = "assay") -> dict[str, Any]:
    """Judge a deliverable, and give the published answer or the refusal `{"refused": True, "code": …}`.

    `request` is `{"deliverable": {…}, "criteria": […], "jobRef"?: "…"}`. Under the profile `contract` the answer has
    exactly the contract's members, and what is ours beyond it is refused. Never raises for bad input.

    Raises:
        EngineDiffers: where an installed engine is not the version this release answers with.
        ValueError: for a profile of another name.

    """
    return _answer(_under(_CHECK, profile), request)


def lint(criteria: Given | Sequence[Any], *, profile: Profile = "assay") -> dict[str, Any]:
    """Say which criteria can be checked, before anything is delivered. Raises as `check`.

    `criteria` is the array, or an object with that member.
    """
    return _answer(_under(_LINT, profile), criteria)


def replay(request: Given, answer_given: Given) -> dict[str, Any]:
    """Judge a request again and say where the answer differs: `agrees`, `differences`, `recomputed`. Raises as `check`."""
    sides: dict[str, Any] = {}
    for name, side in (("request", request), ("answer", answer_given)):
        read = _CHECK.read(_text(side), _CHECK.request_bytes) if isinstance(side, (str, bytes)) else side
        if isinstance(read, Refusal):
            return read.published()
        sides[name] = read
    return _answer(_REPLAY, sides)


def explain(request: Given, *, profile: Profile = "assay") -> dict[str, Any]:
    """Show values and differences behind each result. The answer holds content: keep it on your machine."""
    return _answer(_under(_EXPLAIN, profile), request)


def registry(profile: Profile = "assay") -> dict[str, Any]:
    """Give the registry document: the menu, the reasons and the limits. Its root stands in every answer."""
    _under(_CHECK, profile)
    return _registry(profile)


def contract() -> dict[str, Any]:
    """Give the contract document in our wording."""
    return contract_document()


def _under(operation: Operation[Any, Any], profile: str) -> Operation[Any, Any]:
    if profile not in operation.profiles:
        raise ValueError(f"profile is one of: {', '.join(operation.profiles)}")
    return operation.profiles[profile]


def _answer(operation: Operation[Any, Any], request: Any) -> dict[str, Any]:  # noqa: ANN401  (callers may pass anything; admission judges it)
    if isinstance(request, (str, bytes)):
        request = operation.read(_text(request), operation.request_bytes)
    return answer_admitted(operation, operation.admit(request))


def _text(source: str | bytes) -> bytes:
    # Half a character makes bytes that are no UTF-8, which reading refuses.
    return source.encode(errors="surrogatepass") if isinstance(source, str) else source
