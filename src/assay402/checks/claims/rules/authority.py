"""Authority: approvals, permissions and versions, as the evidence grants, denies, ends or replaces them."""

import re
from typing import Final

from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.facts import facts
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem, stems
from assay402.checks.claims.rules.granting import (
    DENIED,
    OF_AUTHORITY,
    is_of_another,
    level_of_access,
    only_denial,
)
from assay402.checks.claims.rules.polarity import denies
from assay402.checks.claims.rules.view import Near, View
from assay402.core.check import rule

APPROVAL: Final = Pattern(
    r"\b(?:approv(?:ed|al|als|es)|sign(?:ed)?[- ]?off|lgtm|consent(?:ed)?|authori[sz]ation|cleared by|green[- ]?lit)\b",
    re.IGNORECASE,
)
PERMISSION: Final = Pattern(
    r"\b(?:permission|permitted|allowed to|authori[sz]ed to|entitled to|(?:has|have|had|with|full|admin|read|write) access|access to|role of|the [\w-]+ role|privileges?)\b",
    re.IGNORECASE,
)
_APPROVED: Final = Pattern(
    r"\b(?:approved|signed off|lgtm|consent(?:ed| given)|granted|authori[sz]ed)\b", re.IGNORECASE
)
_GRANT: Final = re.compile(
    r"\W{0,3}(?:approval|consent|authori[sz]ation)\s(?:no\.?\s)?(?:[A-Z]{1,5}-?[0-9]\S{0,20}\s)?(?:to|for)\s(?!.*\b(?:needed|required|missing|necessary|not|pending|requested|refused|withheld|sought)\b)",
    re.IGNORECASE,
)
"""A document that is a grant itself: `Approval A-3 to export customer data`."""
_PENDING: Final = Pattern(
    r"\b(?:pending|awaiting|requested|waiting|in review|not yet|under review|open|outstanding)\b",
    re.IGNORECASE,
)
_GRANTED: Final = Pattern(
    r"\b(?:granted|allowed|permitted|authori[sz]ed)\b|\b(?:access|permission|allowed|scope|role)\s?[=:]\s?\"?(?!none|no\b|false|denied)[\w:-]+",
    re.IGNORECASE,
)
_UNTIL: Final = Pattern(
    r"\b(?:valid (?:until|to|through|till)|until|expires?(?: on)?|expired(?: on)?|expiry(?: date)?|ends?(?: on)?|valid_until|valid_to|expires_at|expiry_date|not[ _]?after)\b\W{0,4}",
    re.IGNORECASE,
)
_REPLACED: Final = Pattern(
    r"\b(?:superseded|replaced by|supersedes|replaces|withdrawn|repealed|deprecated|obsolete|no longer (?:valid|in force|current|effective)|draft)\b",
    re.IGNORECASE,
)
_CURRENT: Final = Pattern(
    r"\b(?:current(?:ly)?|in force|in effect|effective|valid|applies|applicable|latest|governs|active|still)\b",
    re.IGNORECASE,
)
_PAST_ONLY: Final = Pattern(
    r"\b(?:had|was granted|were granted|used to|previously|formerly)\b", re.IGNORECASE
)


def is_authority(claim: Claim) -> bool:
    """Tell whether a claim asserts an approval or a permission."""
    return APPROVAL.search(claim.text) is not None or PERMISSION.search(claim.text) is not None


@rule("claims/authority", since="0.1", spec="section 7, R13, and section 8")
def authority(view: View) -> Finding | None:
    """Judge a claimed approval or permission by the records that grant, deny, end or await it.

    ## What it reports
    CONTRADICTED with AUTHORITY_DENIED where a record denies, rejects or revokes it; with STALE_AUTHORITY where it
    ended before the newest dated record, or a record says the document was superseded. UNSUPPORTED where it is
    pending or another party's. SUPPORTED where a record grants it to whom the claim names, or is itself the grant
    (`Approval A-3 to export`); `not approved yet` where every review told of is open or was denied.

    ## Why it matters
    Acting on an expired or imagined permission is the error that no apology undoes.

    ## How to fix it
    Obtain the approval, or report that it is pending, denied or expired.

    ## Known limits
    There is no clock here: an end is past only if a record of the evidence is later.
    """
    claim = view.claim
    if (
        _REPLACED.search(claim.text) is None
        and _CURRENT.search(claim.text)
        and (found := _superseded(view)) is not None
    ):
        return found
    if _VALID.search(claim.text) and not claim.negative and (found := _run_out(view)) is not None:
        return found
    leveled = level_of_access(view)
    if leveled is not None:
        return leveled
    approval = APPROVAL.search(claim.text) is not None
    if approval and claim.negative:
        return _not_given(view)
    if not is_authority(claim) or claim.negative or DENIED.search(claim.text):
        return None  # that access was revoked asserts none
    subject = claim.content - OF_AUTHORITY
    near = [each for each in view.near if _speaks(each, approval, subject)]
    if approval and not (near or subject or view.identifiers):
        near = only_denial(view)
    near += _label_records(view, near)
    near = [each for each in near if not is_of_another(view, each)]
    for each in near:
        ended = _ended(view, each)
        if ended is not None:
            return ended
    for each in near:
        text = each.record.searched if each.record.form == "json" else each.record.text
        if not approval and _beyond(claim.text, text):
            return _finding(
                view, each, "CONTRADICTED", "AUTHORITY_DENIED", "a record grants less", approval=False
            )
        about = not each.record.is_prose or each.shared or each.coverage >= 0.5  # half of what the claim says
        if about and DENIED.search(text) and not _other_party(each):
            return _finding(
                view, each, "CONTRADICTED", "AUTHORITY_DENIED", "a record denies it", approval=approval
            )
    return _granted(view, near, approval=approval)


_REVIEW: Final = Pattern(r"\b(?:approv\w+|review|sign[- ]?off|consent)\b", re.IGNORECASE)
_OUTSTANDING: Final = Pattern(r"\b(?:yet|so far|still|not been|pending)\b", re.IGNORECASE)


def _not_given(view: View) -> Finding | None:
    """Support that something is not approved yet where every review the evidence tells of is open or was denied."""
    told = {
        record.order: record
        for word in ("approve", "approval", "review", "sign", "consent")
        for record in view.world.with_stem(stem(word))[-_MOST:]
        if _REVIEW.search(record.text)
    }
    subject = view.claim.content - OF_AUTHORITY - {stem("yet")}
    open_ones = [
        record
        for record in told.values()
        if (_PENDING.search(record.text) or DENIED.search(record.text)) and subject <= _around(view, record)
    ]
    given = [
        record
        for record in told.values()
        if record not in open_ones and _APPROVED.search(record.text) and not denies(record)
    ]
    plain = not (view.claim.facts or view.claim.names)
    if plain and len(given) == len(told) == 1 and subject and subject <= given[0].all_stems:
        return _finding(
            view, view.to(given[0]), "CONTRADICTED", "POLARITY", "a record gives it", approval=True
        )
    if not open_ones or len(open_ones) < len(told) or not plain or not _OUTSTANDING.search(view.claim.text):
        return None
    return _finding(view, view.to(open_ones[-1]), "SUPPORTED", "", "", approval=True)


def _around(view: View, record: Record) -> frozenset[str]:
    """Give the words of the first records of an item, which say what a short one is about."""
    first = (each.own_stems for each in view.world.bearing_of(record.item)[:_FIRST])
    return record.all_stems.union(*first)


_FIRST: Final = 8
_MOST: Final = 40

_SCOPE: Final = Pattern(r"\bfor\s((?:[\w'-]+\s?){1,4})")


def _same_scope(claimed: str, granted: str) -> bool:
    """Tell whether an approval is not for others than the claim says it is for."""
    said, told = _SCOPE.search(claimed), _SCOPE.search(granted)
    if said is None or told is None:
        return True
    return bool(set(stems(said[1])) & set(stems(told[1])))


_MORE: Final = Pattern(
    r"\b(?:write|admin|full|edit|owner|delete|root)\b(?=[\w /-]{0,20}\b(?:access|permissions?|rights|privileges?)\b)",
    re.IGNORECASE,
)
_LESS: Final = Pattern(r"\b(?:read[-_ ]?only|view[-_ ]?only|viewer)\b", re.IGNORECASE)


def _beyond(claimed: str, granted: str) -> bool:
    """Tell whether a claim names a higher level of access than a record that grants reading alone."""
    return (
        _MORE.search(claimed) is not None and _LESS.search(granted) is not None and not _MORE.search(granted)
    )


def _is_grant(view: View, text: str) -> bool:
    """Tell whether a text is itself the grant of what the claim says was granted: its first word for it is the claim's."""
    match = _GRANT.match(text)
    return match is not None and bool(set(stems(text[match.end() :])[:1]) & view.claim.content)


def _granted(view: View, near: list[Near], *, approval: bool) -> Finding | None:
    for each in near:
        text = each.record.searched if each.record.form == "json" else each.record.text
        if _PENDING.search(text):
            return _finding(
                view, each, "UNSUPPORTED", "PENDING_AUTHORITY", "it is pending", approval=approval
            )
        granted = (
            (_APPROVED.search(text) is not None or _is_grant(view, text))
            if approval
            else _GRANTED.search(text) is not None
        )
        subject = view.claim.content - OF_AUTHORITY
        share = max(each.coverage, len(subject & each.stems) / len(subject)) if subject else each.coverage
        # Most of it; less where nobody is named.
        enough = each.coverage >= 0.6 or (not view.claim.names and share >= 0.4)
        if (
            granted
            and _same_scope(view.claim.text, text)
            and not each.missing_names
            and enough
            and all(one.state == "match" for one in each.bindings)
        ):
            return _finding(view, each, "SUPPORTED", "", "", approval=approval)
    if near:
        return _finding(
            view,
            near[0],
            "UNSUPPORTED",
            "AUTHORITY_NOT_SHOWN",
            "no record grants it as claimed",
            approval=approval,
        )
    return None


_MAY: Final = Pattern(r"\bauthori[sz]ation\b|\bmay\s(?=[a-z])")


def _speaks(near: Near, approval: bool, subject: frozenset[str]) -> bool:
    text = near.record.searched if near.record.form == "json" else near.record.text
    about = (
        APPROVAL.search(text) or _PENDING.search(text) or DENIED.search(text)
        if approval
        else PERMISSION.search(text) or DENIED.search(text) or _GRANTED.search(text) or _MAY.search(text)
    )
    return bool(about) and (bool(near.shared) or bool(subject & near.stems) or not subject)


def _label_records(view: View, near: list[Near]) -> list[Near]:
    """Give the other records of an item whose label or first line is about approvals."""
    known = {each.record.order for each in near}
    items = {each.record.item.id for each in near}
    found = [
        record
        for word in ("deny", "until", "valid", "expir", "revok")
        for record in view.world.with_stem(word)[:40]
        if record.item.id in items and record.order not in known
    ]
    return [view.to(record) for record in found]


def _other_party(near: Near) -> bool:
    """Tell whether the record denies something to, or of, others than the claim names."""
    return bool(near.missing_names) and not near.shared


def _ended(view: View, near: Near) -> Finding | None:
    text = near.record.searched if near.record.form == "json" else near.record.text
    match = _UNTIL.search(text)
    later = view.world.newest
    newest = later.moment[:10] if later is not None else ""
    if match is None or _PAST_ONLY.search(view.claim.text):
        return None
    end = next(
        (
            fact.value[:10]
            for fact in facts(text[match.end() : match.end() + 40])
            if fact.kind == "date" and "?" not in fact.value[:10]
        ),
        "",
    )
    if end and later is not None and end < newest:
        return Finding(
            support="CONTRADICTED",
            rule="claims/authority",
            refs=(near.record.ref, later.ref),
            code="STALE_AUTHORITY",
            note="it ended before the newest dated record",
            missing=(
                "CURRENT_AUTHORITY",
                f"A record of authority for {view.claim.id} that is valid at the newest dated record.",
            ),
        )
    return None


_VALID: Final = Pattern(
    r"\b(?:is|are|remains?|still)\s(?:still\s|currently\s)?(?:valid|active|current|unexpired|in date|good)\b",
    re.IGNORECASE,
)


def _run_out(view: View) -> Finding | None:
    """Contradict that something is valid by the end that the nearest record, or the only one there is, gives it."""
    ends = {
        record.order: record
        for word in ("until", "valid", "expire", "expiry", "after", "not after", "notAfter", "end")
        for each in (word,)
        for one in stems(each)
        for record in view.world.with_stem(one)[:40]
        if _UNTIL.search(record.text)
    }
    near = [each for each in view.near if each.record.order in ends]
    chosen = near[:1] or ([view.to(next(iter(ends.values())))] if len(ends) == 1 else [])
    return _ended(view, chosen[0]) if chosen else None


def _superseded(view: View) -> Finding | None:
    identity = frozenset(fact.value for fact in view.claim.facts if fact.kind in ("id", "version"))
    for each in view.near:
        text = each.record.text
        match = _REPLACED.search(text)
        if match is None or not (each.shared or each.coverage >= 0.5):  # half of the claim's words
            continue
        if match[0].lower() in ("supersedes", "replaces"):
            if not _named_in(text[match.end() :], identity):
                continue
        elif identity and not _named_in(text[: match.start()], identity):
            continue
        return Finding(
            support="CONTRADICTED",
            rule="claims/authority",
            refs=(each.record.ref,),
            code="STALE_AUTHORITY",
            note="a record says it is no longer current",
            missing=("CURRENT_AUTHORITY", f"The version in force of what {view.claim.id} names."),
        )
    return None


def _named_in(text: str, identity: frozenset[str]) -> bool:
    return any(fact.value in identity for fact in facts(text[:400]))


def _finding(view: View, near: Near, support: str, code: str, note: str, *, approval: bool) -> Finding:
    family = "APPROVAL_RECORD" if approval else "PERMISSION_RECORD"
    return Finding(
        support=support,  # type: ignore[arg-type]  # (the callers' literals)
        rule="claims/authority",
        refs=(near.record.ref,),
        code=code,
        note=note,
        missing=None
        if support == "SUPPORTED"
        else (family, f"A record that grants what {view.claim.id} claims, by whom and for whom."),
    )
