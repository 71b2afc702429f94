"""Checking the three hashes of a receipt: they are computed anew from the answer, and from the request where it is at hand."""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from assay402.checks.claims.contract import admit_for
from assay402.checks.claims.publishing import HASHED, RESPONSE_SCHEME, RESULT_SCHEME
from assay402.core.canon import canonical, sha256_hex
from assay402.core.check import Refusal
from assay402.core.strictjson import JSON, RepeatedNames

Finding = Literal["matches", "differs", "not computed"]

_SCHEMES: Final = (("hash_scheme", RESULT_SCHEME), ("response_hash_scheme", RESPONSE_SCHEME))


class ReceiptCheck(Struct, frozen=True, kw_only=True):
    """What became of each hash. `not computed` is no assurance: the request was not at hand."""

    input_hash: Finding
    result_hash: Finding
    response_hash: Finding


def check_receipt(answer: JSON, request: JSON = None) -> ReceiptCheck | Refusal:
    """Compute the hashes of an answer anew.

    The answer is given as `strictjson.read` reads it; `request` is what was asked, if it is at hand. An answer that is
    none of this contract, or that was hashed in another way, is refused with `receipt-malformed`; a request with the
    code its admission gives.
    """
    receipt = answer.get("receipt") if isinstance(answer, Mapping) else None
    if not isinstance(answer, Mapping) or not isinstance(receipt, Mapping) or not _is_whole(answer, receipt):
        return Refusal(code="receipt-malformed")
    told = receipt["input_hash"]
    engine = {name: receipt[name] for name in ("provider", "model", "engine_version")}
    hashed = {name: answer[name] for name in HASHED}
    try:
        result = _digest({**hashed, "engine": engine, "result_hash": ""})
        response = _digest({**answer, "receipt": {**receipt, "response_hash": ""}})
    except ValueError:
        return Refusal(code="receipt-malformed")
    of_input = _input_finding(told, answer["input_hash"], request)
    if isinstance(of_input, Refusal):
        return of_input
    return ReceiptCheck(
        input_hash=of_input,
        result_hash=_finding(receipt["result_hash"] == result),
        response_hash=_finding(receipt["response_hash"] == response),
    )


def _is_whole(answer: Mapping[str, JSON], receipt: Mapping[str, JSON]) -> bool:
    """Tell whether everything that is hashed is there once, by the schemes of this contract."""
    if isinstance(answer, RepeatedNames) or isinstance(receipt, RepeatedNames):
        return False
    wanted = {"input_hash", "result_hash", "response_hash", "provider", "model", "engine_version"}
    return (
        answer.keys() >= set(HASHED)
        and receipt.keys() >= wanted
        and all(receipt.get(name) == scheme for name, scheme in _SCHEMES)
    )


def _input_finding(told: JSON, repeated: JSON, request: JSON) -> Finding | Refusal:
    if told != repeated:
        return "differs"
    if request is None:
        return "not computed"
    given = admit_for("diagnose")(request)
    return given if isinstance(given, Refusal) else _finding(given.input_hash == told)


def _finding(is_equal: bool) -> Finding:
    return "matches" if is_equal else "differs"


def _digest(value: Mapping[str, JSON]) -> str:
    return sha256_hex(canonical(value))
