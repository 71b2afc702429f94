"""The challenge of the paid route, read by the rules of either profile."""

from collections.abc import Mapping
from typing import Final

from assay402.checks.listing.model import ChallengeRead, ListingInput, Note, Unread
from assay402.checks.listing.reading.manifest import read_json
from assay402.core.asks import Failed, Fetched
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, integer
from assay402.wire.challenge import Leg, NoChallenge, challenge_of
from assay402.wire.requirements import AMOUNT, MAX_AMOUNT_REQUIRED, PaymentRequired, mapping, text
from assay402.wire.transport import PAYMENT_REQUIRED
from assay402.wire.weburl import WebURL, parse_web_url

PAYMENT_REQUIRED_STATUS: Final = 402
LONG_HEADER: Final = 8_192
"""Bytes of a header line that many proxies and servers still take."""
MAX_DESCRIPTION: Final = 500
"""Characters a catalogue takes of a description."""
_MAX_NAME: Final = 32
_MAX_TAGS: Final = 5
_MAX_ICON: Final = 2_048
_V1_MEMBERS: Final = ("scheme", "network", MAX_AMOUNT_REQUIRED, "payTo", "asset", "resource")
_V2_MEMBERS: Final = ("scheme", "network", AMOUNT, "payTo", "asset")


def read_challenge(given: ListingInput, answer: Fetched | Failed) -> ChallengeRead | Unread:
    """Read the answer to an unpaid request: the challenge with its payee, or why there is none."""
    status = answer.status
    if status is None:
        assert isinstance(answer, Failed)  # noqa: S101  (a complete answer has a status)
        return Unread(key="failed", failure=answer)
    if status != PAYMENT_REQUIRED_STATUS:
        return Unread(key="http", status=status)
    if isinstance(answer, Failed):
        return Unread(key="unreadable")
    return _reference_challenge(given, answer) if given.is_compat else _specified_challenge(given, answer)


def _reference_challenge(given: ListingInput, answer: Fetched) -> ChallengeRead | Unread:
    sent = read_json(given, answer.body)
    if isinstance(sent, JSONUnreadable):
        return Unread(key="not_json", status=answer.status, about={"error": str(sent)})
    if not isinstance(sent, Mapping):
        return Unread(key="not_object", status=answer.status)
    accepts = sent.get("accepts")
    if not isinstance(accepts, list) or not accepts:
        return Unread(key="no_accepts", status=answer.status)
    return _with_payee(sent, accepts, "body", answer.status)


def _specified_challenge(given: ListingInput, answer: Fetched) -> ChallengeRead | Unread:
    challenge = challenge_of(answer)
    leg: Leg = challenge.header if isinstance(challenge.header, PaymentRequired) else challenge.body
    if isinstance(leg, NoChallenge):
        assert isinstance(challenge.header, NoChallenge)  # noqa: S101  (else it were the leg)
        about: Mapping[str, JSON] = {"header": challenge.header.value, "body": leg.value}
        return Unread(key="no_leg", status=answer.status, about=about)
    in_header = leg is challenge.header
    accepts = leg.sent["accepts"]
    assert isinstance(accepts, list)  # noqa: S101  (a leg with a challenge has entries)
    read = _with_payee(leg.sent, accepts, "header" if in_header else "body", answer.status)
    if isinstance(read, Unread):
        return read
    notes = []
    if any(len(PAYMENT_REQUIRED) + 2 + len(value) > LONG_HEADER for value in answer.header(PAYMENT_REQUIRED)):
        notes.append(Note(code="header-long"))
    if challenge.header not in (NoChallenge.ABSENT, leg):
        notes.append(Note(code="header-unreadable"))
    if (
        in_header
        and isinstance(challenge.body, PaymentRequired)
        and _payees(challenge.body.sent) != read.payees
    ):
        notes.append(Note(code="legs-differ"))
    return ChallengeRead(
        sent=read.sent,
        carrier=read.carrier,
        pay_to=read.pay_to,
        payees=read.payees,
        is_v2=read.is_v2,
        notes=(*notes, *resource_notes(given, read)),
    )


def _with_payee(
    sent: Mapping[str, JSON], accepts: list[JSON], carrier: str, status: int
) -> ChallengeRead | Unread:
    about: dict[str, JSON] = {"carrier": carrier}
    first = accepts[0]
    if not isinstance(first, Mapping):
        return Unread(key="entry_not_object", status=status, about=about)
    is_v2 = integer(sent.get("x402Version")) == 2  # noqa: PLR2004  (the protocol's version)
    for name in _V2_MEMBERS if is_v2 else _V1_MEMBERS:
        if text(first, name) is None:
            field = f'{MAX_AMOUNT_REQUIRED} (v2 field name: "{AMOUNT}")' if name == AMOUNT else name
            return Unread(key="entry_member", status=status, about={**about, "field": field})
    return ChallengeRead(
        sent=sent,
        carrier="header" if carrier == "header" else "body",
        pay_to=str(first["payTo"]),
        payees=_payees(sent),
        is_v2=is_v2,
    )


def _payees(sent: Mapping[str, JSON]) -> tuple[str, ...]:
    accepts = sent.get("accepts")
    entries = accepts if isinstance(accepts, list) else []
    found = [text(entry, "payTo") for entry in entries if isinstance(entry, Mapping)]
    return tuple(dict.fromkeys(each for each in found if each is not None))


def bazaar_of(sent: Mapping[str, JSON] | None) -> Mapping[str, JSON] | None:
    """Give the extension `bazaar` of a manifest or challenge."""
    extensions = None if sent is None else mapping(sent, "extensions")
    return None if extensions is None else mapping(extensions, "bazaar")


def resource_of(read: ChallengeRead) -> Mapping[str, JSON]:
    """Give the description of the resource: version 2's object, or version 1's members of the first entry."""
    if read.is_v2:
        return mapping(read.sent, "resource") or {}
    accepts = read.sent["accepts"]
    first = accepts[0] if isinstance(accepts, list) else None
    assert isinstance(first, Mapping)  # noqa: S101  (read before)
    return {"url": first.get("resource"), "description": first.get("description")}


def resource_url(read: ChallengeRead) -> WebURL | None:
    """Give the address of the resource as the challenge has it."""
    return parse_web_url(text(resource_of(read), "url") or "")


def resource_notes(given: ListingInput, read: ChallengeRead) -> tuple[Note, ...]:
    """Note what a catalogue would drop or mistake in the description of the resource."""
    resource = resource_of(read)
    notes = []
    asked, named = parse_web_url(given.endpoint or given.url), resource_url(read)
    if asked is not None and named is not None:
        if asked.scheme == "https" and named.scheme == "http" and asked.host == named.host:
            notes.append(Note(code="resource-http", field="resource.url"))
        elif asked.host_and_port != named.host_and_port:
            notes.append(Note(code="resource-host", field="resource.url"))
    if len(text(resource, "description") or "") > MAX_DESCRIPTION:
        notes.append(Note(code="description-long", field="resource.description"))
    if not _is_name(resource.get("serviceName")):
        notes.append(Note(code="service-name", field="resource.serviceName"))
    if not _are_tags(resource.get("tags")):
        notes.append(Note(code="tags-dropped", field="resource.tags"))
    if not _is_icon(resource.get("iconUrl")):
        notes.append(Note(code="icon-url", field="resource.iconUrl"))
    return tuple(notes)


def _is_name(value: JSON) -> bool:
    """Tell whether a service name is kept: absent, or 1 to 32 printable ASCII characters."""
    if value is None:
        return True
    return isinstance(value, str) and 0 < len(value) <= _MAX_NAME and value.isascii() and value.isprintable()


def _are_tags(value: JSON) -> bool:
    if value is None:
        return True
    return (
        isinstance(value, list)
        and len({tag.lower() for tag in value if isinstance(tag, str)}) <= _MAX_TAGS
        and all(tag is not None and _is_name(tag) for tag in value)
    )


def _is_icon(value: JSON) -> bool:
    if value is None:
        return True
    url = parse_web_url(value) if isinstance(value, str) and len(value) <= _MAX_ICON else None
    if url is None or not url.is_web or url.userinfo:
        return False
    last = url.host.rstrip(".").rsplit(".", 1)[-1]
    is_number = last.isdecimal() or last.startswith("0x") or url.host.startswith("[")
    return not is_number and last not in ("localhost", "localdomain")
