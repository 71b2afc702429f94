"""Which facilitator a declared value names, and what is known of it."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

import msgspec

from assay402.checks.listing.model import Facilitator, ListingInput
from assay402.core.strictjson import JSON
from assay402.wire.requirements import mapping, text
from assay402.wire.weburl import parse_web_url

CDP = "cdp"
_CDP_NAMES = frozenset({"coinbase-cdp", "cdp", "coinbase"})


class _File(msgspec.Struct, frozen=True, kw_only=True):
    facilitators: tuple[Facilitator, ...]


@cache
def known_facilitators() -> tuple[Facilitator, ...]:
    """Give every facilitator this release knows."""
    source = (files("assay402.checks.listing") / "facilitators.json").read_bytes()
    return msgspec.json.decode(source, type=_File).facilitators


def read_registry(value: JSON) -> tuple[Facilitator, ...] | None:
    """Read a registry of the caller's, or None where it is none."""
    try:
        return msgspec.convert(value, _File).facilitators
    except msgspec.ValidationError:
        return None


def declared_facilitator(extensions_of: Iterable[Mapping[str, JSON] | None]) -> str | None:
    """Give the first facilitator that is declared in extensions.bazaar, trimmed."""
    for sent in extensions_of:
        extensions = None if sent is None else mapping(sent, "extensions")
        bazaar = None if extensions is None else mapping(extensions, "bazaar")
        declared = None if bazaar is None else text(bazaar, "facilitator")
        if declared is not None and declared.strip():
            return declared.strip()
    return None


def is_non_cdp(declared: str | None) -> bool:
    """Tell whether another facilitator than CDP is declared, as the reference has it.

    It knows CDP by its names alone, so it takes CDP's own URL for another's.
    """
    return declared is not None and declared.lower() not in _CDP_NAMES


def resolve_facilitator(given: ListingInput, declared: str | None) -> Facilitator | None:
    """Find the facilitator that a declared name or URL means."""
    wanted = (declared or "").strip().lower()
    if not wanted:
        return None
    matches = _matches_text if given.is_compat else _matches_address
    usable = [each for each in given.facilitators if each.reference or not given.is_compat]
    return next(
        (each for each in usable if wanted in each.names or any(matches(wanted, url) for url in each.urls)),
        None,
    )


def _matches_text(wanted: str, url: str) -> bool:
    """Compare as the reference does: one text begins with the other and a slash."""
    return wanted == url or wanted.startswith(url + "/") or url.startswith(wanted + "/")


def _matches_address(wanted: str, url: str) -> bool:
    """Compare hosts, and paths by whole segments: the one is the other or lies inside it."""
    one, other = parse_web_url(wanted), parse_web_url(url)
    if one is None or other is None or not one.is_web or one.host_and_port != other.host_and_port:
        return False
    paths = [each.path.rstrip("/") + "/" for each in (one, other)]
    return paths[0].startswith(paths[1]) or paths[1].startswith(paths[0])
