"""The reasons a facilitator may give that are passed on: x402's own codes, and families of them by how they begin.

Those of `before_broadcast` are decided before anything is sent to a chain, so that a settlement refused for one of them
has moved nothing. All others say nothing about that: a broken simulation may be one of a payment that moved before.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec
from msgspec import Struct

from assay402.core.strictjson import JSON

REFUSED: Final = "refused"
"""Stands for every other reason."""
_SPELLED: Final = re.compile(r"[a-z0-9_]{1,80}")


class Codes(Struct, frozen=True, kw_only=True):
    """Codes in full, and how those of a family begin."""

    codes: tuple[str, ...]
    families: tuple[str, ...]

    def hold(self, reason: str) -> bool:
        """Tell whether a reason is one of them."""
        return reason in self.codes or reason.startswith(self.families)


class Reasons(Struct, frozen=True, kw_only=True):
    """The data file."""

    before_broadcast: Codes
    any_time: Codes


@cache
def known_reasons() -> Reasons:
    """Give the reasons that are passed on."""
    return msgspec.json.decode((files("assay402.net") / "reasons.json").read_bytes(), type=Reasons)


def passed_on(value: JSON) -> str:
    """Give a reason if it is one of x402's; `refused` instead of any other text, which stays here."""
    known = known_reasons()
    if not isinstance(value, str) or not _SPELLED.fullmatch(value):
        return REFUSED
    return value if known.before_broadcast.hold(value) or known.any_time.hold(value) else REFUSED


def shows_no_broadcast(value: JSON) -> bool:
    """Tell whether a settlement refused for this reason was never sent to a chain."""
    return isinstance(value, str) and known_reasons().before_broadcast.hold(value)
