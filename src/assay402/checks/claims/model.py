"""Requests, what is read from them, and what is said of them, in the words of the integrity contract.

Positions are Python string indices inside; they become UTF-16 offsets only when they are published. Values that are made
by the thousand and can be part of no cycle are left out of the search for cycles (`gc=False`), which took a quarter of the
time of a large request. What holds a record is never left out: records keep what was found of them, so that it would hold
the evidence of the request for ever.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from msgspec import Struct

OperationName: TypeAlias = Literal["diagnose", "repair", "verify", "repair-bundle"]
Kind: TypeAlias = Literal["log", "paste", "document", "description"]
Support: TypeAlias = Literal["SUPPORTED", "UNSUPPORTED", "CONTRADICTED", "UNVERIFIED"]
State: TypeAlias = Literal["HOLD", "BLOCK", "QUARANTINE", "REPAIR_REQUIRED", "CLEAR_WITH_CEILING"]
ActionClass: TypeAlias = Literal[
    "PERMISSION",
    "APPROVAL",
    "INTENT",
    "REQUESTED_ACTION",
    "QUEUED_ACTION",
    "ATTEMPTED_ACTION",
    "FAILED_ACTION",
    "NONEXECUTION",
    "REVERSED_ACTION",
    "CLAIMED_COMPLETED_ACTION",
]
Stage: TypeAlias = Literal[
    "NONEXECUTION", "REQUESTED", "QUEUED", "ATTEMPTED", "COMPLETED", "FAILED", "REVERSED", "INTENT"
]


class EvidenceItem(Struct, frozen=True, kw_only=True):
    """One item as the caller sent it."""

    id: str
    kind: Kind
    source_label: str
    text: str
    claim_bearing: bool = True


class Given(Struct, frozen=True, kw_only=True):
    """An admitted request."""

    operation: OperationName
    candidate: str
    expected: str | None
    evidence: tuple[EvidenceItem, ...]
    input_hash: str
    idempotency_key: str | None = None
    judged: bool = False
    """Ask the optional judge about what the rules leave open."""


class Fact(Struct, frozen=True, gc=False):
    """A typed value: what it is, its canonical form, and where it stands. Positional: one is made per value."""

    kind: str
    """number, percent, money, quantity, date, time, version, id, url, email, path, code or hash."""
    value: str
    low: Decimal | None
    high: Decimal | None
    unit: str
    raw: str
    start: int
    end: int
    attribute: frozenset[str]
    """Stems of the words that say what the value is of."""
    compared: str = ""
    """The comparison the words around it make, such as `<` or `~`."""


class Field(Struct, frozen=True, gc=False):
    """A named value of a record."""

    name: str
    value: str
    pointer: str = ""


class Span(Struct, frozen=True, gc=False):
    """A stretch of a text."""

    start: int
    end: int


class Mention(Struct, frozen=True, gc=False):
    """An action named in a text: its group, how far the words say it went, and the word's place."""

    group: str
    stage: Stage
    start: int
    end: int
    negated: bool = False


class Claim(Struct, frozen=True, kw_only=True, gc=False):
    """One checkable proposition of the candidate, read."""

    id: str
    span: Span
    text: str
    form: Literal["clause", "fragment", "cell", "leaf", "heading"]
    context: str
    """What the claim is about where it does not say so itself: headers, JSON path, the subject before a pronoun."""
    facts: tuple[Fact, ...]
    content: frozenset[str]
    names: frozenset[str]
    """Stems of words written as names."""
    mentions: tuple[Mention, ...]
    negative: bool
    modality: Literal["is", "will", "may", "plans"]
    quantifier: Literal["", "all", "none", "only"]
    unresolved: bool = False
    """It speaks of `it` and nothing before says what that is."""
    dangling: bool = False
    """It points to a list that does not follow."""
    said: str = ""
    """What it says in a sentence, where it is a status or a tick."""
    cell: tuple[str, str, str] | None = None
    """Of a table's cell: the header of the first column, the first cell of the row, and the column's header."""


class Finding(Struct, frozen=True, kw_only=True, gc=False):
    """What one rule says of one claim."""

    support: Support
    rule: str
    refs: tuple[str, ...] = ()
    code: str = ""
    """Reason code of a contradiction, or of what is missing."""
    note: str = ""
    missing: tuple[str, str] | None = None
    """Family and requirement of what one more item must show."""
    bound: tuple[tuple[int, str, str], ...] = ()
    """Per typed fact of the claim, by place: the reference it is bound to and the value there."""
    repair: tuple[str, int, int, str] | None = None
    """Operation, start and end in the candidate, and the text to put there."""
    stage: Stage | None = None
    """How far the newest record of the claimed action went."""
    conflict: bool = False
    confidence: Literal["RULE", "MODEL"] = "RULE"


class Verdict(Struct, frozen=True, kw_only=True, gc=False):
    """A claim with its finding."""

    claim: Claim
    finding: Finding


class Hit(Struct, frozen=True, kw_only=True):
    """Something that makes the input unsafe to handle: told by place, never by text."""

    code: str
    where: str
    start: int
    end: int


class Directive(Struct, frozen=True, kw_only=True):
    """One demand of `expected_output` about the form of the candidate."""

    name: str
    met: bool
    requirement: str


class Coverage(Struct, frozen=True, kw_only=True):
    """How much of an item was read."""

    item_id: str
    status: Literal["INSPECTED", "PARTIAL", "OMITTED"]
    available: int
    inspected: int
    reasons: tuple[str, ...]
    fields: tuple[Mapping[str, Any], ...]


class Diagnosis(Struct, frozen=True, kw_only=True):
    """What is said of a candidate."""

    state: State
    verdicts: tuple[Verdict, ...]
    coverage: tuple[Coverage, ...]
    hits: tuple[Hit, ...] = ()
    directives: tuple[Directive, ...] = ()
    ignored: tuple[str, ...] = ()
    ceiling: str = ""
    hold: Mapping[str, Any] | None = None
    actions: tuple[Mapping[str, Any], ...] = ()
    classes: tuple[ActionClass, ...] = ()
    claimed_execution: bool = False
    proven_execution: bool = False
    model: str = "rules"
    provider: str = "local"


class Again(Struct, frozen=True, kw_only=True):
    """What a changed candidate comes to beside the same evidence."""

    state: State
    verdicts: tuple[Verdict, ...]


class Correction(Struct, frozen=True, kw_only=True):
    """One bounded edit of the candidate."""

    claim_id: str
    op: str
    start: int
    end: int
    before: str
    after: str
    refs: tuple[str, ...]
    reason: str


class Repair(Struct, frozen=True, kw_only=True):
    """A proposal that was diagnosed again before it was made."""

    proposed: str | None
    corrections: tuple[Correction, ...]
    state_after: State | None
    withheld: int


class Outcome(Struct, frozen=True, kw_only=True):
    """Everything an answer is made of."""

    given: Given
    diagnosis: Diagnosis
    repair: Repair | None
    published: Mapping[str, Any]
    """The finished answer, as it is sent."""
