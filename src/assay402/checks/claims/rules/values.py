"""Values and statements: does a record that speaks of the same subject state the same?"""

import re
from typing import Final

from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import is_foreign, stem, stems
from assay402.checks.claims.rules.bind import Binding
from assay402.checks.claims.rules.compare import IDENTIFYING
from assay402.checks.claims.rules.polarity import opposed, truth_of
from assay402.checks.claims.rules.predicate import is_predicated
from assay402.checks.claims.rules.verbatim import in_order, speaks_plainly
from assay402.checks.claims.rules.view import Near, View, bound_values, report_words
from assay402.core.check import rule

_COVERED: Final = 0.8
_COVERED_WITH_IDENTIFIERS: Final = 0.6
_DONE: Final = Pattern(r"\b(?:has|have) (?:now |already )?been (?:successfully )?\w+(?:ed|en|nt|id|ilt)\b")
_AGGREGATE: Final = Pattern(
    r"\b(?:average|mean|sum|most|least|highest|lowest|second|third|first|last|only|all|every|each|both|times|number of|before|after|than|fewer|over|under|earliest|latest|never|no)\b",
    re.IGNORECASE,
)
"""Words that speak of a table as a whole, which no single row states."""

_COVERED_WITH_VALUES: Final = 0.5


@rule("claims/all-facts-bound", since="0.1", spec="section 7, R19")
def all_facts_bound(view: View) -> Finding | None:
    """Support a claim whose every value one record gives for the same subject, with the same polarity.

    ## What it reports
    SUPPORTED where one record, with what it stands in, holds every typed value of the claim for the same
    attribute, every name, and enough of the content: 0.8 of it, 0.6 where two identifiers are bound, 0.5 in a
    structured record that binds an identifier or two values. What the claim says of its subject with a verb or an adjective
    the record must say as well: `Flight LX8 departed` is not supported by `status=cancelled`, whatever else agrees.

    ## Why it matters
    This is the everyday case of an honest report: it repeats what a log or a document says.

    ## How to fix it
    Nothing needs fixing. Keep the record that the finding names with the report.

    ## Known limits
    The rule reads words and values, not meaning; a claim in quite other words than the record stays UNVERIFIED.
    """
    claim = view.claim
    if not claim.facts and claim.form not in ("leaf", "cell"):
        return _affirmed(view)
    done = (
        any(each.stage == "COMPLETED" and not each.negated for each in claim.mentions)
        or _DONE.search(claim.text) is not None
    )
    for near in view.near:
        if done and (not near.record.is_prose or near.record.item.kind == "description"):
            continue
        if not _states(view, near):
            continue
        if _is_one_of_several(view, near):
            return _ambiguous(view)
        return Finding(
            support="SUPPORTED",
            rule="claims/all-facts-bound",
            refs=_refs(near),
            bound=bound_values(claim, near),
        )
    return None


def _refs(near: Near) -> tuple[str, ...]:
    """Give where the values stand; where they only name the subject, the record that tells of it."""
    valued = tuple(each.ref for each in near.bindings if each.ref and each.fact.kind not in IDENTIFYING)
    return (
        tuple(dict.fromkeys(each.ref for each in near.bindings if each.ref)) if valued else (near.record.ref,)
    )


def _is_one_of_several(view: View, near: Near) -> bool:
    """Tell whether the claim names none of several labelled values of one list, and so might mean any of them."""
    record = near.record
    head = _head(record)
    if not head or near.shared or view.claim.form != "clause":
        return False
    text = view.claim.text
    quarters = (each.value[-2:].lower() for each in view.claim.facts if each.value[-2:-1] == "Q")
    said = (
        view.claim.content | frozenset(stems(text)) | frozenset(quarters) | frozenset(_LETTER.findall(text))
    )
    around = view.world.records[max(0, record.order - 12) : record.order + 13]
    return any(
        each is not record
        and each.item is record.item
        and each.form == record.form
        and _head(each) - head
        and not (head - _head(each)) & said
        and any(view.to(each).bindings[index].state == "mismatch" for index in range(len(view.claim.facts)))
        for each in around
    )


def _head(record: Record) -> frozenset[str]:
    """Give the words that name what a labelled line or a table row is about."""
    if record.form == "row" and record.fields:
        return _naming(record.fields[0].value)
    if record.form == "line" and len(record.fields) == 1:
        return _naming(record.fields[0].name)
    return frozenset()


_LETTER: Final = re.compile(r"\b[A-Z]\b|(?<=[a-z] )[b-z]\b")


def _naming(text: str) -> frozenset[str]:
    """Give the words of a label; a letter alone tells one thing from the next."""
    letters = re.findall(r"\b[A-Za-z]\b", text)
    return frozenset(stems(text)) | frozenset((*letters, *(each.upper() for each in letters)))


def _ambiguous(view: View) -> Finding:
    return Finding(
        support="UNVERIFIED",
        rule="claims/all-facts-bound",
        code="AMBIGUOUS_SUBJECT",
        note="several records fit, and they give different values",
        missing=("SUBJECT_LINK", f"Which of the recorded subjects {view.claim.id} speaks of."),
    )


def _affirmed(view: View) -> Finding | None:
    """Support a claim without values where a yes-or-no attribute of the subject affirms it."""
    for near in view.near[:4]:
        told = truth_of(view.claim, near.record)
        said = (
            near.record.form == "json"
            and told is not False
            and near.coverage == 1.0
            and _is_in_values(view.claim, near)
        )
        said = said or _is_labelled(view.claim, near)
        if (said or (told and near.coverage >= _COVERED)) and not near.missing_names:
            return Finding(support="SUPPORTED", rule="claims/all-facts-bound", refs=(near.record.ref,))
    return None


def _is_labelled(claim: Claim, near: Near) -> bool:
    """Tell whether a claim says what a labelled line says and nothing more: `X is the Y` beside `Y: X`."""
    record = near.record
    if (
        record.form != "line"
        or len(record.fields) != 1
        or claim.negative
        or claim.mentions
        or claim.quantifier
    ):
        return False
    label, value = (frozenset(stems(each)) for each in (record.fields[0].name, record.fields[0].value))
    return bool(label and value) and claim.content == label | value and not opposed(claim, record)


def _is_in_values(claim: Claim, near: Near) -> bool:
    """Tell whether a claim that denies nothing and does nothing repeats a value of a record, not only its names."""
    values = {each for field in near.record.fields for each in stems(field.value.replace("_", " "))}
    return (
        len(near.wanted) >= 3
        and bool(values & near.wanted)
        and not _is_scattered(near)
        and not claim.negative
        and not claim.mentions
        and _DONE.search(claim.text) is None
        and not opposed(claim, near.record)
    )


def _is_scattered(near: Near) -> bool:
    """Tell whether a word of a claim is only in a list whose name the claim does not say, while another list has others."""
    lists: dict[str, set[str]] = {}
    for field in near.record.fields:
        lists.setdefault(field.name, set()).update(stems(field.value.replace("_", " ")))
    told = [words & near.wanted for name, words in lists.items() if set(stems(name)) & near.wanted]
    if not any(told):
        return False
    rest = [words & near.wanted for name, words in lists.items() if not set(stems(name)) & near.wanted]
    several = {field.name for field in near.record.fields if field.pointer.rpartition("/")[2].isdigit()}
    return bool(several) and any(rest) and bool(set().union(*rest) - set().union(*told))


def _states(view: View, near: Near) -> bool:
    claim = view.claim
    if any(each.state != "match" for each in near.bindings) or near.missing_names:
        return False
    if opposed(claim, near.record) or not speaks_plainly(claim, near) or _of_other_event(claim, near):
        return False
    if near.record.is_prose:
        return in_order(claim, near)
    if all(each.kind in IDENTIFYING for each in claim.facts) and not _is_of_sort(claim, near):
        return False
    if claim.form in ("clause", "fragment") and not is_predicated(claim, near):
        return False
    if near.record.form == "row" and _AGGREGATE.search(claim.text):
        return False
    return near.coverage >= _threshold(near, claim)


_EVENTS: Final = frozenset(
    stem(word)
    for word in (
        "created", "updated", "expires", "expiry", "deleted", "started", "ended", "finished", "due", "paid", "cancelled",
        "renews", "birth", "issued", "signed", "sent", "shipped", "delivered", "modified", "closed", "opened", "merged", "deployed",
    )
)  # fmt: skip


def _of_other_event(claim: Claim, near: Near) -> bool:
    """Tell whether a date stands in a field that is named for another event than the claim's: when it was made, not when it ends."""
    return any(
        each.fact.kind == "date"
        and each.found is not None
        and each.found.start < 0
        and bool(each.found.attribute & _EVENTS)
        and not each.found.attribute & claim.content
        and bool(_EVENTS & claim.content)
        for each in near.bindings
    )


_SORT: Final = Pattern(r"\b(?:is|was) an? ([a-z]{4,}) [a-z]{4,}\W*$")
"""What something is one of, told by a word before the noun: `a savings account`."""
_IS_SO: Final = Pattern(r"\b(?:is|are|was|were)\s([a-z]{3,})\W*$")
"""What something is, in one word: `blue`."""


def _is_of_sort(claim: Claim, near: Near) -> bool:
    """Tell whether an object holds the word that a claim without values says of it."""
    sort = _SORT.search(claim.text) or _IS_SO.search(claim.text)
    return (
        sort is None or near.record.form != "json" or frozenset(stems(sort[1])) <= near.stems | report_words()
    )


def _threshold(near: Near, claim: Claim) -> float:
    structured = near.record.form in ("json", "row") or bool(near.record.fields)
    valued = [
        each
        for each in near.bindings
        if each.state == "match" and each.fact.kind not in ("id", "code", "number")
    ]
    if near.record.form == "json" and valued and near.matched >= 2:
        return 0.2
    if structured and (near.shared or near.matched >= 2 or claim.form in ("fragment", "heading")):
        return 0.3 if claim.form in ("fragment", "heading") else _COVERED_WITH_VALUES
    return _COVERED_WITH_IDENTIFIERS if len(near.shared) >= 2 else _COVERED


@rule("claims/not-established", since="0.1", spec="section 7, R18 and R21")
def not_established(view: View) -> Finding | None:
    """Leave unsupported a claim whose subject the evidence addresses without stating what is claimed of it.

    ## What it reports
    UNSUPPORTED where a record speaks of the claim's subject (it shares an identifier, or half of the words) and at
    least one value, name or part of the statement is missing there or weaker.

    ## Why it matters
    Half of a statement being documented lends the other half a credit it has not earned.

    ## How to fix it
    Say only the part the record states, or add the record that states the rest.
    """
    near = next((each for each in view.addressed if not _is_foreign(each)), None)
    if near is None:
        return None
    gaps = [each for each in near.bindings if each.state in ("absent", "weaker")]
    family, requirement = _gap(view, gaps)
    return Finding(
        support="UNSUPPORTED",
        rule="claims/not-established",
        refs=(near.record.ref,),
        code="MISSING_FACT",
        note="the nearest record does not state "
        + (f"the {gaps[0].fact.kind} {gaps[0].fact.raw}" if gaps else "all of it"),
        missing=(family, requirement),
        bound=bound_values(view.claim, near),
    )


def _is_foreign(near: Near) -> bool:
    """Tell whether a record is a sentence in another language, of which a word in common says nothing."""
    if near.shared or near.matched or near.record.form not in ("line", "prose") or near.record.fields:
        return False
    return is_foreign(near.record.text)


def _gap(view: View, gaps: list[Binding]) -> tuple[str, str]:
    if not gaps:
        return "SOURCE_DOCUMENT", f"A record that states what {view.claim.id} says of its subject, in full."
    fact = gaps[0].fact
    family = {"date": "DATE_OR_TIME_SOURCE", "time": "DATE_OR_TIME_SOURCE"}.get(
        fact.kind, "SUBJECT_LINK" if fact.kind in IDENTIFYING else "QUANTITY_SOURCE"
    )
    named = " ".join(sorted(fact.attribute)[:3])
    return family, f"A record that gives the {fact.kind} {fact.raw} for the subject of {view.claim.id}" + (
        f" ({named})." if named else "."
    )


@rule("claims/not-addressed", since="0.1", spec="section 7, R22")
def not_addressed(view: View) -> Finding:
    """Leave unverified a claim of whose subject no inspected evidence speaks.

    ## What it reports
    UNVERIFIED, without references. The claim may well be true; nothing here shows it. Sentences in another language
    that share a word and no value with it speak of nothing that can be told; the code is then NOT_ENGLISH.

    ## Why it matters
    Silence is no confirmation, and it is no denial either.

    ## How to fix it
    Supply a record of the claim's subject.
    """
    claim = view.claim
    facts = claim.facts
    subject = facts[0].raw if facts else " ".join(claim.text.split()[:6])
    foreign = any(_is_foreign(each) for each in view.addressed)
    return Finding(
        support="UNVERIFIED",
        rule="claims/not-addressed",
        code="UNRESOLVED_SUBJECT" if claim.unresolved else "NOT_ENGLISH" if foreign else "NOT_ADDRESSED",
        note="no inspected evidence addresses it",
        missing=(
            "SUBJECT_LINK" if facts else "SOURCE_DOCUMENT",
            f"A record that speaks of {subject!r} as {claim.id} does.",
        ),
    )
