"""The offer of a resource: which PaymentRequired it answers unpaid requests with. Pure; cached where nothing in it moves."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from assay402.checks.terms.contract import publish
from assay402.checks.terms.model import X402, Advertisement, PlaceInput
from assay402.checks.terms.rules.place import placement
from assay402.core.errors import TheirError
from assay402.core.strictjson import JSON, write
from assay402.service.assets import Payee, payees
from assay402.service.discovery import BAZAAR, PAYMENT_IDENTIFIER, bazaar, is_tool, payment_identifier
from assay402.service.gate import VERIFY_MARGIN_SECONDS
from assay402.service.order import Resource
from assay402.service.ports import OfferReceipts
from assay402.service.quote import quote_id
from assay402.service.settings import Settings

MAX_HEADER: Final = 6_144
"""Characters of the PAYMENT-REQUIRED value: the client sends most of it back, and 8 KiB of headers is a common limit."""
OFFER_RECEIPT: Final = "offer-receipt"
QUOTE: Final = "quoteId"
"""The member of `extra` that a client echoes a quote in."""
UNPAID: Final = "payment_required"
"""The `error` of an offer that nothing was wrong before."""
_MAX_JSON: Final = MAX_HEADER // 4 * 3
_SIGNING_SECONDS: Final = 60
"""What a client may take between the offer and the paid request."""


class Offer(Struct, frozen=True, kw_only=True):
    """What a resource may be paid with now."""

    document: Mapping[str, JSON]
    """The PaymentRequired without `error`, signed offers and quote."""
    accepts: tuple[Mapping[str, JSON], ...]
    """Its `accepts`."""
    quote: str | None = None
    """The id of the quote it carries in each `extra`."""

    @property
    def extensions(self) -> Mapping[str, Any]:
        """Its extensions, by name."""
        found = self.document["extensions"]
        return found if isinstance(found, Mapping) else {}


class Offers:
    """Makes the offers of a service.

    `terms` is the advertisement `{"ref": …, "termsUrl": …}` that every offer carries, placed by our own terms room.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        server_key: bytes,
        terms: Mapping[str, JSON] | None = None,
        receipts: OfferReceipts | None = None,
    ) -> None:
        self._settings: Final = settings
        self._key: Final = server_key
        self._terms: Final = terms
        self._receipts: Final = receipts
        self._url: Final = settings.public_url or ""
        self._payees: Final[tuple[Payee, ...]] = payees(settings)
        self.networks: Final = tuple(payee.network for payee in self._payees)
        """The networks payments are taken on, in the order of the settings."""
        self._made: Final[dict[object, Offer]] = {}
        self._written: Final[dict[tuple[int, str], tuple[Offer, datetime, bytes]]] = {}

    def resource_url(self, resource: Resource) -> str:
        """Give the address of a resource, which comes from the settings alone."""
        return resource.path if is_tool(resource) else f"{self._url}{resource.path}"

    def offer(self, resource: Resource, extras: Mapping[str, Mapping[str, JSON]]) -> Offer | None:
        """Give the offer of a resource over the networks that `extras` has the facilitator's word on; None where none is left.

        Raises:
            TheirError: `offer_too_long` where the settings ask for more than the header holds.

        """
        extra_of = tuple((network, extra.get("feePayer")) for network, extra in extras.items())
        key = (resource.path, resource.profile, resource.price, extra_of)
        made = self._made.get(key)
        if made is None:
            accepts = [
                self._entry(resource, payee, extras[payee.network])
                for payee in self._payees
                if payee.network in extras
            ]
            entries = [entry for entry in accepts if entry is not None]
            if not entries:
                return None
            if len(self._made) >= _KEPT:
                self._made.clear()
            made = self._made[key] = self._fitting(resource, entries)
        return made

    def quoted(self, offer: Offer, resource: Resource, input_root: str, now: datetime) -> Offer:
        """Give an offer with a quote for one request."""
        expires_at = now + timedelta(seconds=self._timeout(resource))
        made = quote_id(self._key, input_root, resource.price, offer.accepts, expires_at)
        return with_quote(offer, made)

    def payment_required(self, offer: Offer, resource: Resource, error: str, now: datetime) -> bytes:
        """Write an offer as it is sent: in the header as base64, and as the body.

        Without a quote the same bytes serve again, signed offers for some seconds.
        """
        if offer.quote is not None:
            return self._write(offer, resource, error, now)
        key = (id(offer), error)
        kept = self._written.get(key)
        # The offer is held beside its bytes, so that its identity is nobody else's meanwhile.
        if kept is not None and kept[0] is offer and (self._receipts is None or now - kept[1] < _SIGNED_FOR):
            return kept[2]
        if len(self._written) >= _KEPT:
            self._written.clear()
        written = self._write(offer, resource, error, now)
        self._written[key] = (offer, now, written)
        return written

    def receipt(
        self, resource: Resource, network: str, payer: str, transaction: str, now: datetime
    ) -> Mapping[str, JSON] | None:
        """Give the extensions of a settlement: a signed receipt, where a key for it exists."""
        if self._receipts is None:
            return None
        url = self.resource_url(resource)
        return {OFFER_RECEIPT: self._receipts.receipt(url, network, payer, transaction, now)}

    def _write(self, offer: Offer, resource: Resource, error: str, now: datetime) -> bytes:
        document: dict[str, JSON] = {"x402Version": 2, "error": error, **offer.document}
        if self._receipts is not None:
            signed = self._receipts.offers(self.resource_url(resource), offer.accepts, now)
            longer = {**document, "extensions": {**offer.extensions, OFFER_RECEIPT: signed}}
            written = _encoded(longer)
            # Signed offers grow with the networks; where they do not fit, the offer goes without.
            if len(written) <= _MAX_JSON:
                return written
        return _encoded(document)

    def _entry(
        self, resource: Resource, payee: Payee, extra: Mapping[str, JSON]
    ) -> Mapping[str, JSON] | None:
        of_asset: dict[str, JSON] = {}
        if payee.asset.name is not None and payee.asset.version is not None:
            of_asset = {"name": payee.asset.name, "version": payee.asset.version}
        else:
            fee_payer = extra.get("feePayer")
            if not isinstance(fee_payer, str):
                return None
            of_asset = {"feePayer": fee_payer}
        return {
            "scheme": "exact",
            "network": payee.network,
            "amount": str(resource.price),
            "asset": payee.asset.asset,
            "payTo": payee.pay_to,
            "maxTimeoutSeconds": self._timeout(resource),
            "extra": of_asset,
        }

    def _timeout(self, resource: Resource) -> int:
        """Give how long a payment may take: never so short that verification would have to refuse it."""
        least = resource.work_seconds + VERIFY_MARGIN_SECONDS + _SIGNING_SECONDS
        return max(self._settings.max_timeout_seconds, least)

    def _fitting(self, resource: Resource, accepts: Sequence[Mapping[str, JSON]]) -> Offer:
        """Make an offer that fits the header with room for its longest `error` and a quote."""
        length = 0
        for level in range(_LEVELS):
            offer = self._offer(resource, accepts, level)
            longest = with_quote(offer, "q" * _QUOTE_LENGTH) if resource.is_quoted else offer
            length = len(write({"x402Version": 2, "error": "e" * _ERROR_LENGTH, **longest.document}))
            if length <= _MAX_JSON:
                return offer
        raise TheirError("offer_too_long", length=length, cap=_MAX_JSON)

    def _offer(self, resource: Resource, accepts: Sequence[Mapping[str, JSON]], level: int) -> Offer:
        required = self._settings.payment_identifier == "required"
        extensions: dict[str, JSON] = {PAYMENT_IDENTIFIER: payment_identifier(is_required=required)}
        if level < _WITHOUT_BAZAAR:
            extensions[BAZAAR] = bazaar(resource, self._url, is_full=level < _SHORT_BAZAAR)
        url = self.resource_url(resource)
        document: dict[str, Any] = {
            "x402Version": 2,
            "resource": {"url": url, "description": resource.description, "mimeType": "application/json"},
            "accepts": list(accepts),
            "extensions": extensions,
        }
        if self._terms is not None:
            document = _placed(self._terms, document, is_full=level == 0)
        del document["x402Version"]
        return Offer(document=document, accepts=tuple(document["accepts"]))


_KEPT: Final = 256
"""Offers kept: a few for each resource, as the facilitator's word changes."""
_SIGNED_FOR: Final = timedelta(seconds=10)
"""How long signed offers are given out before they are signed anew; they hold for minutes."""
_SHORT_BAZAAR: Final = 2
_WITHOUT_BAZAAR: Final = 3
_LEVELS: Final = 4
"""What an offer leaves out, one thing after the other, to fit the header: the prose of the terms' schema, the members of
the catalogue's schema, the catalogue's entry. What is paid is never left out."""
_PROSE: Final = ("title", "description")
_QUOTE_LENGTH: Final = 50
_ERROR_LENGTH: Final = 80


def with_quote(offer: Offer, made: str) -> Offer:
    """Give an offer with a quote in the `extra` of each entry."""
    accepts = [{**entry, "extra": {**_extra(entry), QUOTE: made}} for entry in offer.accepts]
    return replace(offer, document={**offer.document, "accepts": accepts}, accepts=tuple(accepts), quote=made)


def _encoded(document: Mapping[str, JSON]) -> bytes:
    """Write a document of ours, quickly where it holds nothing but plain values."""
    try:
        return _quick(document).encode()
    except TypeError:
        # The terms of the settings were read losslessly.
        return write(document)


_quick: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _extra(entry: Mapping[str, JSON]) -> Mapping[str, JSON]:
    extra = entry.get("extra")
    return extra if isinstance(extra, Mapping) else {}


def _placed(terms: Mapping[str, JSON], document: dict[str, Any], *, is_full: bool) -> dict[str, Any]:
    """Give the document with the terms in it; not full, the schema of their extension carries no prose."""
    advertisement = Advertisement(ref=terms.get("ref"), terms_url=terms.get("termsUrl"))
    outcome = publish(
        placement(PlaceInput(advertisement=advertisement, document=document, protocol=X402, faithful=False))
    )
    if outcome.get("ok") is not True:
        raise TheirError("terms_not_placed")
    placed: dict[str, Any] = outcome["value"]
    extensions = placed["extensions"]
    added = {} if is_full else {name: extensions[name] for name in extensions.keys() - document["extensions"]}
    short = {name: {**value, "schema": _without_prose(value.get("schema"))} for name, value in added.items()}
    return {**placed, "extensions": {**extensions, **short}}


def _without_prose(schema: JSON) -> JSON:
    if not isinstance(schema, Mapping):
        return schema
    return {name: _without_prose(value) for name, value in schema.items() if name not in _PROSE}
