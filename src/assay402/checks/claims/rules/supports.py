"""What a rule found supported, beside the records it was found in; and the words in which it is taken back."""

from typing import Final

from assay402.checks.claims.keeping import cached_property
from assay402.checks.claims.model import Finding
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.rules.view import Near, View

_LAST: Final = -1_000_000
"""The place of a record that is not near the claim at all."""


class Supported:
    """A claim that a rule calls supported, and the records that the finding names."""

    def __init__(self, view: View, finding: Finding) -> None:
        self.view: Final = view
        self.claim: Final = view.claim
        self.finding: Final = finding

    @cached_property
    def nears(self) -> tuple[Near, ...]:
        """The records the finding names, beside the claim: of the sentences of one line, the one that fits best."""
        best = {near.record.order: -place for place, near in enumerate(self.view.near)}
        known: dict[str, Record] = {}
        preferred = [near.record for near in self.view.near]
        for ref in self.finding.refs:
            for record in self.view.world.best_by_ref(ref, preferred):
                held = known.get(record.ref)
                if held is None or best.get(record.order, _LAST) > best.get(held.order, _LAST):
                    known[record.ref] = record
        return tuple(self.view.to(record) for record in known.values())

    @property
    def rule(self) -> str:
        """The name of the rule that found it."""
        return self.finding.rule.partition("/")[2]


def denied(  # (each says another thing)
    supported: Supported, rule_id: str, record: Record, code: str, note: str
) -> Finding:
    """Contradict what was found supported."""
    refs = tuple(dict.fromkeys((record.ref, *supported.finding.refs)))
    return Finding(support="CONTRADICTED", rule=rule_id, refs=refs, code=code, note=note)


def unstated(supported: Supported, rule_id: str, note: str, requirement: str) -> Finding:
    """Leave unsupported what was found supported."""
    return Finding(
        support="UNSUPPORTED",
        rule=rule_id,
        refs=supported.finding.refs,
        code="MISSING_FACT",
        note=note,
        missing=("SOURCE_DOCUMENT", f"A record that states {requirement}."),
    )
