"""What the operator's own servers answer, read strictly: a facilitator's word about money, and a node's."""

import re
from collections.abc import Mapping
from typing import Final

from assay402.core.asks import Failed, Fetched
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, read
from assay402.service.authorization import is_clear
from assay402.service.ports import Unknown
from assay402.service.timing import LONGEST_RETRY

YES: Final = ("success", "isValid")
"""The members in which a facilitator says yes or no."""
_SECONDS: Final = re.compile(r"[0-9]{1,6}")
_OK: Final = 200
_TOO_MANY: Final = 429
_REFUSALS: Final = range(400, 500)
"""Statuses whose answer may be a refusal, and never a success."""


def read_object(body: bytes) -> Mapping[str, JSON] | None:
    """Read an answer that is one JSON object in which no name stands twice, at any depth; None for anything else."""
    try:
        value = read(body)
    except JSONUnreadable:
        return None
    return value if isinstance(value, Mapping) and is_clear(value) else None


def answer_of(got: Fetched | Failed) -> Mapping[str, JSON] | Unknown:
    """Read a facilitator's answer of status 200, or its refusal of 4xx; all else is none.

    A yes of another status than 200 contradicts itself, so it is none either. `Unknown` bears the seconds of a 429, or 0.
    """
    if isinstance(got, Failed):
        return Unknown(retry_after_seconds=0)
    if got.status == _TOO_MANY:
        return Unknown(retry_after_seconds=_seconds(got.header("retry-after")))
    is_refusal = got.status in _REFUSALS
    value = read_object(got.body) if is_refusal or got.status == _OK else None
    if value is None or (is_refusal and any(value.get(name) is True for name in YES)):
        return Unknown(retry_after_seconds=0)
    return value


def is_too_many(got: Fetched | Failed) -> bool:
    """Tell whether a server says that it was asked too often: then it is there."""
    return isinstance(got, Fetched) and got.status == _TOO_MANY


def _seconds(values: tuple[str, ...]) -> int:
    """Read a `Retry-After` in seconds; a date or anything else names no time."""
    is_one = len(values) == 1 and _SECONDS.fullmatch(values[0].strip())
    return min(int(values[0]), LONGEST_RETRY) if is_one else 0
