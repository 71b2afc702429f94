"""The manifest at /.well-known/x402."""

from typing import Final

from assay402.checks.listing.model import ListingInput, Manifest, Unread
from assay402.core.asks import Failed, Fetched
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, Number, read

OK: Final = 200
_KINDS: Final = ((str, "string"), (bool, "boolean"), (Number, "number"), (list, "array"))


def read_manifest(given: ListingInput, answer: Fetched | Failed) -> Manifest | Unread:
    """Read what was served: the object, or why there is none."""
    status = answer.status
    if status is None:
        assert isinstance(answer, Failed)  # noqa: S101  (a complete answer has a status)
        return Unread(key="failed", failure=answer)
    if status != OK:
        return Unread(key="http", status=status)
    if isinstance(answer, Failed):
        return Unread(key="not_json")
    value = read_json(given, answer.body)
    if isinstance(value, JSONUnreadable):
        return Unread(key="not_json")
    if isinstance(value, dict):
        return Manifest(sent=value)
    # The reference names null as JavaScript does.
    kind = next((name for kind, name in _KINDS if isinstance(value, kind)), "object")
    return Unread(key="not_object", about={"kind": kind})


def read_json(given: ListingInput, body: bytes) -> JSON | JSONUnreadable:
    """Read a body; the reference replaces what is not UTF-8, as its runtime does."""
    try:
        return read(body.decode(errors="replace") if given.is_compat else body)
    except JSONUnreadable as error:
        return error
