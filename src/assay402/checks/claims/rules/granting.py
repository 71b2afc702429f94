"""Approvals and permissions that are named in general, and the level of access that somebody has."""

import re
from typing import Final

from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.compare import shape
from assay402.checks.claims.rules.view import Near, View, report_words

DENIED: Final = Pattern(
    r"\b(?:denied|rejected|revoked|refused|withdrawn|declined|suspended|forbidden|not (?:been )?(?:approved|allowed|permitted|authori[sz]ed|entitled|granted|eligible)|n't (?:allowed|permitted|authori[sz]ed)|lacks? (?:the )?(?:permission|access|role|scope)|insufficient (?:permissions?|privileges?|scopes?)|did not approve|no permission|no access|cancell?ed|removed|without permission|unauthori[sz]ed|may not|must not|disallowed)\b|\b(?:access|permission|allowed|authorized|approved|consent)\s?[=:]\s?\"?(?:none|no|false|denied|revoked|rejected)\b",
    re.IGNORECASE,
)
OF_AUTHORITY: Final = frozenset(
    stem(word)
    for word in [
        "approve",
        "approval",
        "permission",
        "allow",
        "authorize",
        "access",
        "role",
        "consent",
        "current",
        "have",
        "change",
        "request",
        "grant",
        "valid",
        "until",
        "sign",
        "off",
        "team",
        "review",
        "still",
    ]
)


_BY: Final = re.compile(r"\bby\s(?:[A-Z][\w.'-]*\s?)+")
_DENYING: Final = frozenset(
    stem(word) for word in ("reject", "deny", "decline", "refuse", "withdraw", "revoke")
)


def only_denial(view: View) -> list[Near]:
    """Give the one record of the evidence that denies something, and says of nothing else than identifiers what it denies."""
    found = {
        record.order: record for word in sorted(_DENYING) for record in view.world.with_stem(word)[:2]
        if DENIED.search(record.text)
    }  # fmt: skip
    if len(found) != 1:
        return []
    (record,) = found.values()
    plain = " ".join(each for each in _BY.sub("", record.text[:400]).split() if each.isalpha())
    others = frozenset(stems(plain)) - OF_AUTHORITY - _DENYING - report_words()
    return [] if others - view.claim.content else [view.to(record)]


def is_of_another(view: View, near: Near) -> bool:
    """Tell whether a record names another thing of the claimed one's kind by its identifier, and not that one."""
    named = {shape(each) for each in view.identifiers}
    return bool(named) and not near.shared and any(shape(each) in named for each in near.record.held_ids)


_LEVEL: Final = Pattern(
    r"\b(?:has|have|with)\s(?:an?\s|full\s)?(?P<held>[a-z][a-z-]{2,20})\s(?:rights|access|privileges?|permissions?|role)\b"
    r"|\b(?:is|are)\s(?:now\s)?(?:an?\s|the\s)?(?P<been>[a-z][a-z-]{2,20})\W*$",
    re.IGNORECASE,
)
_ROLE_NAME: Final = re.compile(r"(?:^|[_.])(?:role|access_level|permission_level|access)$", re.IGNORECASE)
_LEVELS: Final = {
    "administrator": "admin", "admins": "admin", "superuser": "admin", "read": "viewer", "read-only": "viewer", "readonly": "viewer",
    "view": "viewer", "edit": "editor", "write": "editor", "writer": "editor", "reader": "viewer",
}  # fmt: skip
"""Words for one level of access."""
_KNOWN: Final = frozenset(
    (
        "admin",
        "owner",
        "editor",
        "viewer",
        "member",
        "guest",
        "maintainer",
        "developer",
        "billing",
        "moderator",
        "root",
    )
)


def level_of_access(view: View) -> Finding | None:
    """Judge the level of access that somebody is said to have by the field of the only record that gives it."""
    claim = view.claim
    match = _LEVEL.search(claim.text)
    if match is None or claim.negative or claim.quantifier:
        return None
    claimed = _level(match["held"] or match["been"])
    told = [
        (record, level)
        for word in ("role", "access")
        for record in view.world.with_stem(stem(word))[:_MOST]
        if (level := _told(record))
    ]
    named = claim.names | {each for fact in claim.facts for each in stems(fact.raw)}
    of_claim = [each for each in told if named <= each[0].whole_stems]
    if claimed not in _KNOWN or len(of_claim) != 1 or (not named and len(told) > 1):
        return None
    record, level = of_claim[0]
    if level != claimed and level not in _KNOWN:
        return None
    return Finding(
        support="SUPPORTED" if level == claimed else "CONTRADICTED",
        rule="claims/authority",
        refs=(record.ref,),
        code="" if level == claimed else "AUTHORITY_DENIED",
        note="" if level == claimed else "the record gives another role",
        missing=None
        if level == claimed
        else ("PERMISSION_RECORD", f"A record that gives {claim.id} its role."),
    )


_MOST: Final = 40


def _told(record: Record) -> str:
    """Give the level that a record gives in a field, if it gives one."""
    found = [each.value for each in record.fields if _ROLE_NAME.search(each.name)]
    return _level(found[0]) if len(found) == 1 else ""


def _level(word: str) -> str:
    low = word.lower()
    return _LEVELS.get(low, low)
