"""From a service's address to facts: what is asked, in which order, and what at the same time. Nothing is judged here.

The compat profile asks one after another, in the reference's order, and asks the same thing twice where the reference
does. The default profile asks once for each purpose, and at the same time what does not depend on each other:

1. manifest and challenge;
2. with both read: the catalogues, page by page, the declared facilitator, and the validator;
3. a facilitator that only the catalogues could tell;

and beside all of them the service itself, as often as reachability needs.
"""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from assay402.checks.listing.model import (
    REFERENCE_BASE,
    ChallengeRead,
    Facilitator,
    Facts,
    ListingInput,
    Manifest,
    Queried,
    Reached,
    Try,
    Unread,
    Validated,
)
from assay402.checks.listing.paging import query_catalogues, query_once
from assay402.checks.listing.reading.catalogue import first_found
from assay402.checks.listing.reading.challenge import read_challenge, resource_url
from assay402.checks.listing.reading.facilitators import (
    declared_facilitator,
    is_non_cdp,
    resolve_facilitator,
)
from assay402.checks.listing.reading.liveness import (
    ANSWERING,
    CLIENT_ERRORS,
    EVENT,
    SUCCESS,
    new_record,
    read_records,
)
from assay402.checks.listing.reading.manifest import read_manifest
from assay402.checks.listing.requests import as_component, asking, posting
from assay402.core.asks import Collecting, Failed, Fetch, now, pause, recall, remember, request, side_by_side
from assay402.core.check import Refusal
from assay402.core.strictjson import write
from assay402.wire.weburl import parse_web_url

WELL_KNOWN: Final = "/.well-known/x402"
_FACILITATOR_PAUSES_MS: Final = (0, 500, 1_000, 2_000)
"""Waits before each try."""
_SERVICE_PAUSES_MS: Final = (0, 500, 500)
_FITNESS_PROBE: Final = b'{"probe":"x402trace-fitness","x402Version":2}'
"""What the reference sends, so that a facilitator that knows one probe knows both."""


def collect(given: ListingInput) -> Collecting[Facts | Refusal]:
    """Gather the facts of one run. Refused is a history log that cannot be read."""
    if given.is_compat:
        return (yield from _in_the_references_order(given))
    gathered, reached = yield from side_by_side(_beside_the_service(given), _probe_service(given))
    if isinstance(reached, Refusal):
        return reached
    return Facts(
        given=given,
        manifest_url=manifest_url(given),
        challenge_url=challenge_url(given),
        propagation=None,
        reached=reached,
        **{name: getattr(gathered, name) for name in _Gathered.__struct_fields__},
    )


def manifest_url(given: ListingInput) -> str:
    """Give the address of the manifest: at the root of the service's origin."""
    url = parse_web_url(given.url)
    assert url is not None  # noqa: S101  (admission read it)
    return url.origin + WELL_KNOWN


def challenge_url(given: ListingInput) -> str:
    """Give the address of the paid route, as typed."""
    return given.endpoint or given.url


def _in_the_references_order(given: ListingInput) -> Collecting[Facts | Refusal]:
    manifest = None if given.endpoint is not None else (yield from _manifest(given))
    challenge = yield from _challenge(given)
    declared = declared_facilitator([manifest.sent if isinstance(manifest, Manifest) else None])
    base = (given.discovery_base_url or REFERENCE_BASE).removesuffix("/")
    indexing = propagation = merchant = None
    if isinstance(challenge, ChallengeRead) and not is_non_cdp(declared):
        payee = as_component(challenge.pay_to)
        rows = f"{base}/v2/x402/discovery/resources?payTo={payee}"
        indexing = yield from query_once(given, rows)
        if isinstance(manifest, Manifest):
            propagation = yield from query_once(given, rows)
        merchant = yield from query_once(
            given, f"{base}/platform/v2/x402/discovery/merchant?payTo={payee}&limit=50"
        )
    probed = yield from _probe_facilitator(given, resolve_facilitator(given, declared))
    reached = yield from _probe_service(given)
    if isinstance(reached, Refusal):
        return reached
    return Facts(
        given=given,
        manifest_url=manifest_url(given),
        manifest=manifest,
        challenge_url=challenge_url(given),
        challenge=challenge,
        indexing=() if indexing is None else (indexing,),
        propagation=propagation,
        merchant=merchant,
        declared=declared,
        inferred=None,
        probed=probed,
        reached=reached,
    )


class _Gathered(Struct, frozen=True, kw_only=True):
    """What the default profile gathers beside the probe of the service."""

    manifest: Manifest | Unread | None
    challenge: ChallengeRead | Unread
    indexing: tuple[Queried, ...]
    merchant: Queried | None
    declared: str | None
    inferred: str | None
    probed: tuple[Try, ...]
    validated: Validated | None


def _beside_the_service(given: ListingInput) -> Collecting[_Gathered]:
    manifest, challenge = yield from side_by_side(_manifest_unless_replaced(given), _challenge(given))
    own = [each.sent for each in (manifest, challenge) if isinstance(each, Manifest | ChallengeRead)]
    declared = declared_facilitator(own)
    facilitator = resolve_facilitator(given, declared)
    (indexing, merchant), (probed, validated) = yield from side_by_side(
        _catalogues(given, challenge, declared, facilitator),
        side_by_side(_probe_facilitator(given, facilitator), _validate(given, challenge)),
    )
    inferred = None if declared is not None else _inferred(given, indexing)
    if inferred is not None:
        probed = yield from _probe_facilitator(given, resolve_facilitator(given, inferred))
    return _Gathered(
        manifest=manifest,
        challenge=challenge,
        indexing=indexing,
        merchant=merchant,
        declared=declared,
        inferred=inferred,
        probed=probed,
        validated=validated,
    )


def _inferred(given: ListingInput, indexing: tuple[Queried, ...]) -> str | None:
    """Give whose catalogue holds the payee. A base that was given says nothing of whose it is."""
    holder = first_found(indexing)
    if holder is None or given.discovery_base_url is not None or isinstance(holder.found, Unread):
        return None
    return holder.facilitator if holder.found.rows else None


def _manifest_unless_replaced(given: ListingInput) -> Collecting[Manifest | Unread | None]:
    return None if given.endpoint is not None else (yield from _manifest(given))


def _manifest(given: ListingInput) -> Collecting[Manifest | Unread]:
    answer = yield from request(asking(given, manifest_url(given)))
    return read_manifest(given, answer)


def _challenge(given: ListingInput) -> Collecting[ChallengeRead | Unread]:
    ask = asking(given, challenge_url(given), given.method)
    if given.body is not None:
        ask = posting(given, challenge_url(given), given.body.encode(), given.method)
    return read_challenge(given, (yield from request(ask)))


def _catalogues(
    given: ListingInput,
    challenge: ChallengeRead | Unread,
    declared: str | None,
    facilitator: Facilitator | None,
) -> Collecting[tuple[tuple[Queried, ...], Queried | None]]:
    has_catalogue = declared is None or (facilitator is not None and facilitator.catalogue is not None)
    if not isinstance(challenge, ChallengeRead) or not has_catalogue:
        return (), None
    return (yield from query_catalogues(given, challenge.pay_to, facilitator))


def _validate(given: ListingInput, challenge: ChallengeRead | Unread) -> Collecting[Validated | None]:
    if not given.validate or not isinstance(challenge, ChallengeRead):
        return None
    base = (given.discovery_base_url or REFERENCE_BASE).removesuffix("/")
    url = f"{base}/platform/v2/x402/validate"
    resource = resource_url(challenge)
    body = {
        "resource": challenge_url(given) if resource is None else resource.href,
        "method": given.method,
    }
    return Validated(url=url, answer=(yield from request(posting(given, url, write(body)))))


def _probe_facilitator(given: ListingInput, facilitator: Facilitator | None) -> Collecting[tuple[Try, ...]]:
    if facilitator is None or facilitator.verify is None:
        return ()
    ask = posting(given, facilitator.verify, _FITNESS_PROBE)
    tries: list[Try] = []
    for wait in _FACILITATOR_PAUSES_MS:
        tries.append((yield from _try(ask, wait)))
        if tries[-1].answer.status in (*SUCCESS, *CLIENT_ERRORS):
            break
    return tuple(tries)


def _probe_service(given: ListingInput) -> Collecting[Reached | Refusal]:
    tries: list[Try] = []
    for wait in _SERVICE_PAUSES_MS:
        tries.append((yield from _try(asking(given, given.url), wait)))
        if tries[-1].answer.status is None or tries[-1].answer.status in ANSWERING:
            break
    reached = Reached(tries=tuple(tries), at=(yield from now()))
    if not given.history:
        return reached
    recalled = yield from recall(("event", EVENT), ("service_url", given.url))
    if isinstance(recalled, Failed):
        return Refusal(code="history_unreadable")
    earlier, damaged = read_records(recalled)
    reached = Reached(tries=reached.tries, at=reached.at, earlier=earlier, damaged=damaged)
    # A record that cannot be kept weakens the next run, not this one.
    is_kept = yield from remember(new_record(given, reached))
    return replace(reached, is_kept=is_kept)


def _try(ask: Fetch, wait: int) -> Collecting[Try]:
    if wait:
        yield from pause(wait)
    started = yield from now()
    answer = yield from request(ask)
    ended = yield from now()
    return Try(answer=answer, milliseconds=round((ended - started).total_seconds() * 1_000))
