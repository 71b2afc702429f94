"""What the named values of one record state, told in other words and in any order."""

from typing import Final

from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.naming import is_id_name
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.accounting import Account
from assay402.checks.claims.rules.bind import Binding
from assay402.checks.claims.rules.fielded import Held, is_labelled
from assay402.checks.claims.rules.phrase import Phrase
from assay402.checks.claims.rules.polarity import CAUSE
from assay402.checks.claims.rules.verbs import only_ended, tells_another_verb
from assay402.checks.claims.rules.view import View
from assay402.core.check import rule

_LOOKED_AT: Final = 8
_LONGEST: Final = 30
"""A claim of more words says more than the values of one record."""
_RIVALS: Final = 120


@rule("claims/fields-state", since="0.1", spec="section 6 and section 7, R19")
def fields_state(view: View) -> Finding | None:
    """Support a claim of which the named values of one record account for every word and value.

    ## What it reports
    SUPPORTED where one JSON object, row, line of `key=value` or block of labelled lines, with what it stands in,
    accounts for the whole of the claim: each value stands under a name that the claim tells of in its own or in
    customary other words (`costs` for `total`, `created` for `opened`, `to` for the recipient), each further word is
    a value, a name, the kind of the record or of no content, and what is affirmed or denied is so there. Where
    other records have the same names with other values, the claim must name its own.

    ## Why it matters
    People do not speak in field names.

    ## How to fix it
    Nothing needs fixing. Keep the record that the finding names with the report.
    """
    claim = view.claim
    if not _is_plain(claim):
        return None
    phrase = view.memo.setdefault("phrase", Phrase(claim))
    if len(phrase.words) > _LONGEST:
        return None
    for near in view.near[:_LOOKED_AT]:
        record = near.record
        if not record.fields or record.label.endswith(" call"):
            continue
        if (record.item.kind == "description" and claim.mentions) or (
            not is_labelled(record) and any(map(_is_elsewhere, near.bindings))
        ):
            continue
        if tells_another_verb(claim, record) or only_ended(claim, record):
            continue
        account = Account(phrase, record, view)
        held = account.held
        if held is not None and _is_alone(view, record, held):
            refs = tuple(dict.fromkeys(each.slot.ref for each in held))
            return Finding(support="SUPPORTED", rule="claims/fields-state", refs=refs)
    return None


def states_denial_or_cause(view: View) -> Finding | None:
    """Ask the same of a claim that denies something or names a cause."""
    claim = view.claim
    return fields_state(view) if claim.negative or CAUSE.search(claim.text) is not None else None


def _is_elsewhere(binding: Binding) -> bool:
    """Tell whether a record has another value than the claim's or none, so that none of its values can be that one."""
    fact = binding.fact
    is_part = fact.kind == "number" and (
        fact.raw.isdigit() or fact.raw.replace("-", " ").replace(" ", "").isalpha()
    )
    return binding.state not in ("match", "weaker") and fact.kind != "code" and not is_part


def _is_plain(claim: Claim) -> bool:
    return (
        claim.form in ("clause", "fragment", "heading")
        and claim.modality == "is"
        and claim.quantifier in ("", "none")
        and not claim.unresolved
        and not claim.dangling
    )


def _is_alone(view: View, record: Record, held: tuple[Held, ...]) -> bool:
    """Tell whether no other record that the claim may mean gives one of the values otherwise."""
    own = {each.slot.record.order for each in held} | {record.order}
    stated = [each for each in held if not (each.slot.names or is_id_name(each.slot.field.name))] or [
        each for each in held if each.rank == _EXACT
    ]
    named = {(each.slot.last, each.slot.field.value.lower()) for each in held if each not in stated}
    for each in stated:
        slot = each.slot
        for other in view.world.with_stem(stem(slot.last.rpartition("_")[2]))[:_RIVALS]:
            if other.order in own or other.form != record.form or other.label.endswith(" call"):
                continue
            values = {one.value.lower() for one in other.fields if one.name == slot.field.name}
            if not values or slot.field.value.lower() in values:
                continue
            if not named or (other.order > record.order and _holds(other, named)):
                return False
    return True


_EXACT: Final = 3
"""The rank of a value whose name the claim says."""


def _holds(record: Record, named: set[tuple[str, str]]) -> bool:
    """Tell whether a record or what it stands in bears one of some names."""
    return any(
        (field.name.lower().replace(" ", "_"), field.value.lower()) in named
        for each in (record, *record.above)
        for field in each.fields[:60]
    )
