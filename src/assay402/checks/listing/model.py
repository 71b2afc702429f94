"""Inputs, facts and results of the listing check, in the contract's own words."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from assay402.core.asks import Failed, Fetched
from assay402.core.strictjson import JSON

Profile: TypeAlias = Literal["default", "compat"]
Chain: TypeAlias = Literal["base-sepolia", "base"]
CheckName: TypeAlias = Literal[
    "well-known",
    "challenge",
    "self-payment",
    "indexing",
    "propagation",
    "host-pollution",
    "facilitator-fitness",
    "reachability",
]
Status: TypeAlias = Literal["pass", "fail", "info"]
Kind: TypeAlias = Literal[
    "looks_correct", "implementation_issue", "upstream_issue", "upstream_stuck", "service_unreachable"
]
UnreachableCause: TypeAlias = Literal["dns_failure", "tcp_refused", "tls_error", "timeout", "persistent_5xx"]
StuckCause: TypeAlias = Literal["payload_echo_gap", "indexer_state_processing", "unknown"]
CatalogueKind: TypeAlias = Literal["merchant", "list"]

REFERENCE_BASE: Final = "https://api.cdp.coinbase.com"
"""Where the catalogue requests go unless another base is given."""
DEFAULT_TIMEOUT_MS: Final = 10_000
DEFAULT_CONSENSUS: Final = 3


class Catalogue(Struct, frozen=True, kw_only=True):
    """Where a facilitator lists resources."""

    kind: CatalogueKind
    url: str


class Facilitator(Struct, frozen=True, kw_only=True):
    """A facilitator we know."""

    id: str
    names: tuple[str, ...]
    urls: tuple[str, ...]
    verify: str | None
    catalogue: Catalogue | None
    reference: bool = False
    """Known to the reference tool too; the compat profile knows no other."""


class Settle(Struct, frozen=True, kw_only=True):
    """A captured answer of a facilitator to /settle or /verify."""

    status: int
    headers: Mapping[str, str]
    """By lower-case name."""


class ListingInput(Struct, frozen=True, kw_only=True):
    """One run."""

    url: str
    """The service's address, as typed."""
    profile: Profile = "default"
    chain: Chain = "base-sepolia"
    payer_hint: str | None = None
    discovery_base_url: str | None = None
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    endpoint: str | None = None
    consensus_count: int = DEFAULT_CONSENSUS
    interval_multiplier: float = 1.0
    history: bool = False
    """Whether there is a log of earlier probes to read and to append to."""
    method: str = "GET"
    body: str | None = None
    facilitators: tuple[Facilitator, ...] = ()
    """Every known one, those of the request first."""
    payment_payload: JSON = None
    """A captured payment payload; None where there is none."""
    settle: Settle | None = None
    validate: bool = False

    @property
    def is_compat(self) -> bool:
        """Whether the reference's rules are wanted to the letter."""
        return self.profile == "compat"


class Unread(Struct, frozen=True, kw_only=True):
    """Why an answer could not be read: the key of a sentence, and what it names."""

    key: str
    status: int | None = None
    failure: Failed | None = None
    about: Mapping[str, JSON] = {}


class Manifest(Struct, frozen=True, kw_only=True):
    """The object at /.well-known/x402."""

    sent: Mapping[str, JSON]


class Note(Struct, frozen=True, kw_only=True):
    """Something worth knowing that decides nothing."""

    code: str
    field: str | None = None


class ChallengeRead(Struct, frozen=True, kw_only=True):
    """A challenge with a payee, whatever its extensions are."""

    sent: Mapping[str, JSON]
    carrier: Literal["header", "body"]
    pay_to: str
    payees: tuple[str, ...]
    """Every payTo among the entries, the first one's first."""
    is_v2: bool
    notes: tuple[Note, ...] = ()


class Listed(Struct, frozen=True, kw_only=True):
    """The rows a catalogue gave."""

    rows: tuple[Mapping[str, JSON], ...]
    count: int
    """Elements of the array, objects or not."""
    is_complete: bool = True
    """Whether everything the catalogue has was read."""
    others: int = 0
    """Rows of other payees that were left out."""


class Queried(Struct, frozen=True, kw_only=True):
    """One question to a catalogue, and what came of it."""

    url: str
    found: Listed | Unread
    facilitator: str | None = None
    """Whose catalogue it is."""


class Try(Struct, frozen=True, kw_only=True):
    """One request among several tries, with the milliseconds it took."""

    answer: Fetched | Failed
    milliseconds: int


class ProbeRecord(Struct, frozen=True, kw_only=True):
    """A probe of an earlier run, as the history log has it."""

    t: str
    attempt_seq: float
    cause: str | None


class Reached(Struct, frozen=True, kw_only=True):
    """The probe of the service itself, with what is remembered of earlier ones."""

    tries: tuple[Try, ...]
    at: datetime
    earlier: tuple[ProbeRecord, ...] = ()
    damaged: int = 0
    """Lines of the log that could not be read."""
    is_kept: bool = True
    """Whether the log has this probe now, where there is one."""


class Validated(Struct, frozen=True, kw_only=True):
    """The answer of the catalogue's own validator."""

    url: str
    answer: Fetched | Failed


class Facts(Struct, frozen=True, kw_only=True):
    """Everything the rules may know of one run."""

    given: ListingInput
    manifest_url: str
    manifest: Manifest | Unread | None
    """None where another endpoint replaces it."""
    challenge_url: str
    challenge: ChallengeRead | Unread
    indexing: tuple[Queried, ...]
    """One per catalogue that was asked; none where there was nothing to ask for."""
    propagation: Queried | None
    """The question the compat profile asks again to compare metadata."""
    merchant: Queried | None
    declared: str | None
    """The facilitator that is declared, as spelled."""
    inferred: str | None
    """The facilitator whose catalogue holds the payee, where none is declared."""
    probed: tuple[Try, ...]
    """Tries of the facilitator's /verify; none where it was not asked."""
    reached: Reached
    validated: Validated | None = None

    @property
    def pay_to(self) -> str | None:
        """The payee, where the challenge could be read."""
        return self.challenge.pay_to if isinstance(self.challenge, ChallengeRead) else None

    @property
    def manifest_object(self) -> Mapping[str, JSON] | None:
        """The manifest, where there is one to read, faults and all."""
        return self.manifest.sent if isinstance(self.manifest, Manifest) else None


class Finding(Struct, frozen=True, kw_only=True):
    """What one check says."""

    check: CheckName
    status: Status
    message: str
    fix: str | None = None
    detail: Mapping[str, JSON] | None = None


class Verdict(Struct, frozen=True, kw_only=True):
    """What the whole says; only the members that belong to the kind are set."""

    kind: Kind
    message: str
    failed_checks: tuple[CheckName, ...] = ()
    upstream_checks: tuple[CheckName, ...] = ()
    cause: StuckCause | None = None
    unreachable_cause: UnreachableCause | None = None
    consensus_threshold: int | None = None
    probe_count: int | None = None


class ListingReport(Struct, frozen=True, kw_only=True):
    """The eight findings in the contract's order, the verdict, and remarks about the run that belong to neither."""

    given: ListingInput
    findings: tuple[Finding, ...]
    verdict: Verdict
    damaged_lines: int = 0
    is_kept: bool = True
    """Whether the history log, where there is one, has this probe now."""
