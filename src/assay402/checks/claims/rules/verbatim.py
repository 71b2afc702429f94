"""What the evidence says in the claim's own words, in their order."""

from collections.abc import Sequence
from typing import Final

from assay402.checks.claims.model import Claim, Fact, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.text import plain
from assay402.checks.claims.rules.alignment import says_in_order, says_rearranged
from assay402.checks.claims.rules.clauses import is_clause_of
from assay402.checks.claims.rules.coordinated import says_with_its_verb
from assay402.checks.claims.rules.embedding import is_embedded
from assay402.checks.claims.rules.itself import itself
from assay402.checks.claims.rules.polarity import antonyms_between, denies, opposed
from assay402.checks.claims.rules.rephrased import is_rephrased
from assay402.checks.claims.rules.view import Near, View, bound_values
from assay402.checks.claims.rules.voices import says_in_other_voice
from assay402.core.check import rule

_JOINED: Final = frozenset(
    {"and", "or", "but", "nor", "except", "unless", "if", "former", "alleged", "almost", "nearly", "fake"}
)
"""Words beside a run of words that join it to more, or take from it."""


_COMPARED: Final = Pattern(r"\bexpected:?\s[\"'0-9]")
"""A test says what it expected beside what it got, and expects nothing."""


def speaks_plainly(claim: Claim, near: Near) -> bool:
    """Tell whether a record asserts what it says: no question, and no weaker modality than the claim's."""
    text = near.record.text
    if near.record.form in ("json", "row"):
        return True
    if text.rstrip().endswith("?") or is_embedded(claim, near.record):
        return False
    words = near.record.spoken
    weak = words & {
        "may",
        "might",
        "could",
        "possibly",
        "perhaps",
        "if",
        "allegedly",
        "reportedly",
        "unless",
        "expected",
        "plans",
        "planned",
        "probably",
        "likely",
    }
    if weak == {"expected"} and _COMPARED.search(text) is not None:
        return True
    return not weak or claim.modality == "may" or bool(weak & set(claim.text.lower().split()))


@rule("claims/stated-verbatim", since="0.1", spec="section 7, R20")
def stated_verbatim(view: View) -> Finding | None:
    """Support a claim that stands in the evidence word for word, or with all its content in the same order.

    ## What it reports
    SUPPORTED where a sentence or a line of the evidence has the words of the claim, whatever their case, with the
    same polarity and not as a question; says it but for how a value is spelled, the order of a list or how the sentence
    begins (`twenty-one`, `12 km`, `A, B and C`, `in 2025, …`); or holds every content word of it in the same order, leaving out nothing
    that could restrict it.

    ## Why it matters
    What is quoted exactly needs no interpretation.

    ## How to fix it
    Nothing needs fixing.

    ## Known limits
    Where the claim says `all`, `no` or `only`, only the very words count.
    """
    claim = view.claim
    same = itself(view)
    if same is not None:
        return Finding(support="SUPPORTED", rule="claims/stated-verbatim", refs=(same.ref,))
    voiced = says_in_other_voice(view)
    if voiced:
        return Finding(support="SUPPORTED", rule="claims/stated-verbatim", refs=(voiced,))
    said = plain(claim.text)
    for near in view.near:
        if (
            not speaks_plainly(claim, near)
            or near.record.form == "json"
            or (claim.mentions and near.record.item.kind == "description")
        ):
            continue
        if (said and _says_the_same(claim, said, near)) or is_rephrased(claim, near.record):
            return Finding(support="SUPPORTED", rule="claims/stated-verbatim", refs=(near.record.ref,))
    for near in view.near[:4]:
        if near.record.form in ("json", "row") or claim.quantifier or claim.form in ("leaf", "cell"):
            continue
        if claim.mentions and near.record.item.kind == "description":
            continue
        if in_order(claim, near) and _does_as_much(view, near):
            return Finding(
                support="SUPPORTED",
                rule="claims/stated-verbatim",
                refs=(near.record.ref,),
                bound=bound_values(claim, near),
            )
    return None


def _says_the_same(claim: Claim, said: str, near: Near) -> bool:
    """Tell whether a record has the claim in its own words, as a whole or in a part of its own, and nothing opposed."""
    return (
        said == near.record.plain
        or (not _is_strict(claim) and _contains(said, near.record.plain))
        or _says_in_other_spelling(claim, near)
        or is_clause_of(claim, near.record)
        or says_with_its_verb(claim, near.record)
    ) and not opposed(claim, near.record)


def _says_in_other_spelling(claim: Claim, near: Near) -> bool:
    """Tell whether a record is the claim word for word, but for values in another spelling: `thirty (30) days`."""
    if not claim.facts or len(claim.facts) != len(near.record.facts) or near.missing_names:
        return False
    if any(each.state != "match" for each in near.bindings):
        return False
    return _with_bare_values(claim.text, claim.facts) == _with_bare_values(
        near.record.text, near.record.facts
    )


def _with_bare_values(text: str, facts: Sequence[Fact]) -> str:
    """Give a text with its values in one form."""
    made, last = [], 0
    for fact in facts:
        number = fact.value if fact.low is None else f"{fact.low.normalize():f}"
        made += [text[last : fact.start], f" {fact.kind} {number} {fact.unit} "]
        last = fact.end
    return plain("".join(made) + text[last:])


_DONE: Final = ("COMPLETED", "REVERSED")


def _does_as_much(view: View, near: Near) -> bool:
    """Tell whether a record that repeats a claim of something done says that it was done: a command only asks for it."""
    done = {each.group for each in view.claim.mentions if each.stage in _DONE and not each.negated}
    told = {deed.group for deed in view.world.deeds(near.record) if deed.stage in _DONE}
    return not done or bool(done & told)


def _is_strict(claim: Claim) -> bool:
    """Tell whether leaving out a word of the evidence would make the claim say more: under `not`, `all`, `only`, `exactly`."""
    return (
        claim.negative
        or bool(claim.quantifier)
        or bool(
            set(claim.text.lower().split())
            & {"exactly", "few", "hardly", "rarely", "most", "less", "fewer", "at"}
        )
    )


def _contains(said: str, text: str) -> bool:
    """Tell whether a text has the words of a claim whole, neither denied before them nor joined to others beside them."""
    if len(said.split()) < 3 or f" {said} " not in f" {text} ":  # shorter runs stand anywhere
        return False
    before, _, after = f" {text} ".partition(f" {said} ")
    denied = any(
        mark in before.split()[-4:]
        for mark in ("not", "if", "whether", "no", "never", "unless", "that", "denied", "deny", "false")
    )
    joined = before.split()[-1:] + after.split()[:1]
    return not denied and not _JOINED.intersection(joined)


def in_order(claim: Claim, near: Near) -> bool:
    """Tell whether a sentence holds all content of the claim in its order, every value, and nothing opposed."""
    if near.missing_names or any(each.state != "match" for each in near.bindings):
        return False
    if not speaks_plainly(claim, near):
        return False
    if claim.negative or denies(near.record):
        return claim.negative and says_rearranged(claim, near.record)
    if antonyms_between(claim.content, near.record.own_stems):
        return False
    return (says_in_order(claim, near.record) and _restricts_nothing(claim, near)) or says_rearranged(
        claim, near.record
    )


def _restricts_nothing(claim: Claim, near: Near) -> bool:
    lowered = near.record.spoken
    risky = {
        "all",
        "every",
        "no",
        "only",
        "few",
        "or",
        "either",
        "neither",
        "most",
        "less",
        "fewer",
        "except",
        "without",
        "almost",
        "nearly",
        "former",
        "formerly",
        "fake",
        "alleged",
    }
    return not (risky & lowered) and not (risky & set(claim.text.lower().split()))
