"""What catalogues answer: rows, the row of this resource, the hosts of every path."""

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from assay402.checks.listing.model import ChallengeRead, Facts, Listed, ListingInput, Queried, Unread
from assay402.checks.listing.reading.bazaar import route_template
from assay402.checks.listing.reading.challenge import bazaar_of, resource_url
from assay402.checks.listing.reading.manifest import read_json
from assay402.core.asks import Failed, Fetched
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, integer
from assay402.wire.requirements import mapping, text
from assay402.wire.weburl import parse_web_url

NOT_APPLICABLE: Final = "not_applicable_non_cdp"
"""What the contract says where a facilitator is declared whose catalogue cannot be asked."""
_SUCCESS: Final = range(200, 300)


class Page(Struct, frozen=True, kw_only=True):
    """One page of a catalogue."""

    rows: tuple[JSON, ...]
    total: int | None
    """How many rows there are in all, where the catalogue says so."""
    size: int = 0
    """Bytes of the answer."""
    cursor: str | None = None
    """Where a search goes on."""
    is_partial: bool = False
    """The catalogue says itself that it left something out."""


class HostPaths(Struct, frozen=True, kw_only=True):
    """The hosts under which each path is listed."""

    polluted: tuple[tuple[str, tuple[str, ...]], ...]
    """Paths on more than one host, sorted; hosts sorted."""
    entries: int
    hosts: int


def read_page(given: ListingInput, answer: Fetched | Failed) -> Page | Unread:
    """Read one answer of a catalogue.

    The reference finds rows under `resources` alone and takes anything else for none. The default profile reads
    `resources` and `items`, in an envelope `data` too, and takes an answer with neither for unreadable: an answer
    that is not understood says nothing about what is listed.
    """
    status = answer.status
    if status is not None and status not in _SUCCESS:
        return Unread(key="http", status=status)
    if isinstance(answer, Failed):
        # The reference's body reader fails alone once the headers are there.
        return Unread(key="failed", failure=answer) if status is None else Unread(key="not_json")
    sent = read_json(given, answer.body)
    if isinstance(sent, JSONUnreadable):
        return Unread(key="not_json")
    rows = _rows(given, sent)
    if rows is None:
        return Page(rows=(), total=0) if given.is_compat else Unread(key="not_json")
    around = sent if isinstance(sent, Mapping) else {}
    pagination = mapping(around, "pagination") or {}
    return Page(
        rows=tuple(rows),
        total=integer(pagination.get("total")),
        size=len(answer.body),
        cursor=text(pagination, "cursor") or None,
        is_partial=around.get("partialResults") is True,
    )


def _rows(given: ListingInput, sent: JSON) -> list[JSON] | None:
    if not isinstance(sent, Mapping):
        return None
    if given.is_compat:
        names: tuple[tuple[Mapping[str, JSON], str], ...] = ((sent, "resources"),)
    else:
        data = mapping(sent, "data") or {}
        names = ((sent, "resources"), (sent, "items"), (data, "items"), (data, "resources"))
    for around, name in names:
        rows = around.get(name)
        if isinstance(rows, list):
            return rows
    return None


def all_rows(page: Page) -> Listed:
    """Take every element for a row, as the reference does; what is no object has no members."""
    return Listed(
        rows=tuple(row if isinstance(row, Mapping) else {} for row in page.rows), count=len(page.rows)
    )


def listed(pages: Iterable[Page], *, pay_to: str, is_complete: bool, must_name_payee: bool) -> Listed:
    """Put pages together without the rows that pay somebody else or were seen before.

    A row that names no payee may be ours where the payee was asked for, not in everybody's list.
    """
    every = [row for page in pages for row in page.rows]
    objects = [row for row in every if isinstance(row, Mapping)]
    ours = [row for row in objects if _pays(row, pay_to, unnamed=not must_name_payee)]
    distinct = {_identity(row, position): row for position, row in enumerate(ours)}
    return Listed(
        rows=tuple(distinct.values()),
        count=len(distinct),
        is_complete=is_complete,
        others=len(objects) - len(ours),
    )


def _identity(row: Mapping[str, JSON], position: int) -> tuple[str, str] | int:
    """Tell rows apart: by their resource, and for an MCP server by the tool as well."""
    resource = text(row, "resource")
    if resource is None:
        return position
    entered = mapping(mapping(bazaar_of(row) or {}, "info") or {}, "input") or {}
    return resource, text(entered, "toolName") or text(entered, "tool") or ""


def _pays(row: Mapping[str, JSON], pay_to: str, *, unnamed: bool) -> bool:
    """Tell whether a row is the payee's: its entries name the payee. `unnamed` is what one without any counts for."""
    accepts = row.get("accepts")
    entries = accepts if isinstance(accepts, list) else []
    payees = [text(entry, "payTo") for entry in entries if isinstance(entry, Mapping)]
    named = [payee.lower() for payee in payees if payee is not None]
    return pay_to.lower() in named if named else unnamed


def chosen(facts: Facts) -> Queried | None:
    """Give the catalogue that holds the resource, else the first that holds any of the payee's, else the first."""
    holding = (
        each for each in facts.indexing if isinstance(each.found, Listed) and row_of(facts, each.found)
    )
    return next(holding, None) or first_found(facts.indexing)


def row_of(facts: Facts, found: Listed) -> Mapping[str, JSON] | None:
    """Find the row of the resource that was asked for, by host and path, routes with parameters included."""
    assert isinstance(facts.challenge, ChallengeRead)  # noqa: S101  (no catalogue is asked without one)
    wanted = set(_addresses(facts, facts.challenge))
    for row in found.rows:
        url = parse_web_url(text(row, "resource") or "")
        if url is not None and (url.host_and_port, url.path.rstrip("/")) in wanted:
            return row
    return None


def _addresses(facts: Facts, challenge: ChallengeRead) -> Iterable[tuple[str, str]]:
    template = route_template(bazaar_of(challenge.sent) or {})
    for url in (resource_url(challenge), parse_web_url(facts.challenge_url)):
        if url is not None:
            yield url.host_and_port, url.path.rstrip("/")
            if template is not None:
                yield url.host_and_port, template.rstrip("/")


def host_paths(rows: Iterable[Mapping[str, JSON]]) -> HostPaths:
    """Find the paths that are listed under more than one host."""
    hosts_of: dict[str, set[str]] = {}
    entries = 0
    for row in rows:
        url = parse_web_url(text(row, "resource") or "")
        if url is not None:
            entries += 1
            hosts_of.setdefault(url.path, set()).add(url.host_and_port)
    polluted = sorted((path, tuple(sorted(hosts))) for path, hosts in hosts_of.items() if len(hosts) > 1)
    every = {host for hosts in hosts_of.values() for host in hosts}
    return HostPaths(polluted=tuple(polluted), entries=entries, hosts=len(every))


def first_found(queried: Iterable[Queried]) -> Queried | None:
    """Give the first catalogue that holds rows, else the first that was asked."""
    asked = list(queried)
    holding = (each for each in asked if isinstance(each.found, Listed) and each.found.rows)
    return next(holding, asked[0] if asked else None)
