"""Asking catalogues, page by page, within bounds."""

from collections.abc import Iterable
from typing import Final

from assay402.checks.listing.model import (
    Catalogue,
    Facilitator,
    ListingInput,
    Queried,
    Unread,
)
from assay402.checks.listing.reading.catalogue import Page, all_rows, listed, read_page
from assay402.checks.listing.reading.facilitators import CDP, resolve_facilitator
from assay402.checks.listing.requests import as_component, asking_catalogue
from assay402.core.asks import Collecting, Failed, Fetched, all_at_once, request, side_by_side, together

MERCHANT_ROWS: Final = 50
"""Rows of a page of one merchant; the reference asks for as many."""
LIST_ROWS: Final = 100
"""Rows of a page of everybody's list: the most the specification allows."""
MAX_PAGES: Final = 50
"""Pages read of one catalogue; beyond them the answer is incomplete."""
MAX_BYTES: Final = 16 << 20
"""Bytes read of one catalogue before no further page is taken; a real page has well under one megabyte."""
AT_ONCE: Final = 8
"""Pages asked for at the same time."""
_UNDECLARED: Final = (CDP, "payai")
"""Whose catalogues are asked where no facilitator is declared."""


def query_once(given: ListingInput, url: str) -> Collecting[Queried]:
    """Ask one question and take its answer for the whole, as the reference does."""
    page = read_page(given, (yield from request(asking_catalogue(given, url))))
    return Queried(url=url, found=page if isinstance(page, Unread) else all_rows(page))


def query_catalogues(
    given: ListingInput, pay_to: str, declared: Facilitator | None
) -> Collecting[tuple[tuple[Queried, ...], Queried]]:
    """Ask the catalogues that may hold the payee, each once; the second is what the hosts are compared in.

    A declared facilitator's own catalogue is asked alone. Where none is declared, CDP's and PayAI's are, the two whose
    listing needs no declaration. A base that is given replaces them with the reference's two addresses.
    """
    if given.discovery_base_url is not None:
        base = given.discovery_base_url.removesuffix("/")
        rows = Catalogue(kind="list", url=f"{base}/v2/x402/discovery/resources")
        merchant = Catalogue(kind="merchant", url=f"{base}/platform/v2/x402/discovery/merchant")
        both = yield from side_by_side(_query(given, rows, pay_to, CDP), _query(given, merchant, pay_to, CDP))
        return both[:1], both[1]
    known = [resolve_facilitator(given, name) for name in _UNDECLARED] if declared is None else [declared]
    found = yield from all_at_once(
        _query(given, each.catalogue, pay_to, each.id)
        for each in known
        if each is not None and each.catalogue is not None
    )
    return found, found[0]


def _query(given: ListingInput, catalogue: Catalogue, pay_to: str, facilitator: str) -> Collecting[Queried]:
    is_everybodys = catalogue.kind == "list" and given.discovery_base_url is None
    size = MERCHANT_ROWS if catalogue.kind == "merchant" else LIST_ROWS
    mark = "&" if "?" in catalogue.url else "?"
    limit = f"&limit={size}" if is_everybodys or catalogue.kind == "merchant" else ""
    url = f"{catalogue.url}{mark}payTo={as_component(pay_to)}{limit}"
    first = read_page(given, (yield from request(asking_catalogue(given, url))))
    if isinstance(first, Unread):
        return Queried(url=url, found=first, facilitator=facilitator)
    reading = _uncounted_pages if first.total is None else _counted_pages
    more, is_complete = yield from reading(given, url, first, size)
    pages = [first, *more]
    found = listed(
        pages,
        pay_to=pay_to,
        is_complete=is_complete and not any(page.is_partial for page in pages),
        must_name_payee=is_everybodys,
    )
    return Queried(url=url, found=found, facilitator=facilitator)


def _counted_pages(
    given: ListingInput, url: str, first: Page, _size: int
) -> Collecting[tuple[list[Page], bool]]:
    """Read the pages behind the first of a catalogue that says how many rows there are, several at once.

    The second value tells whether that was all: a page that fails, repeats the one before or is empty ends it.
    """
    total, step = first.total or 0, len(first.rows)
    if not step or total <= step:
        return [], total <= step
    offsets = range(step, min(total, MAX_PAGES * step), step)
    pages: list[Page] = []
    for start in range(0, len(offsets), AT_ONCE):
        batch = offsets[start : start + AT_ONCE]
        answers = yield from together(asking_catalogue(given, f"{url}&offset={offset}") for offset in batch)
        for answer in answers:
            assert isinstance(answer, Fetched | Failed)  # noqa: S101  (fetches were asked)
            page = read_page(given, answer)
            if isinstance(page, Unread) or not page.rows or page.rows == (pages or [first])[-1].rows:
                return pages, False
            pages.append(page)
            if _are_many_bytes([first, *pages]):
                return pages, False
    return pages, total <= MAX_PAGES * step


def _uncounted_pages(
    given: ListingInput, url: str, first: Page, size: int
) -> Collecting[tuple[list[Page], bool]]:
    """Read the pages behind the first of a catalogue that gives no total: by its cursor, or as long as they are full."""
    pages: list[Page] = []
    page = first
    for position in range(1, MAX_PAGES):
        if page.cursor is not None:
            following = f"{url}&cursor={as_component(page.cursor)}"
        elif len(page.rows) >= size:
            following = f"{url}&offset={position * size}"
        else:
            return pages, True
        read = read_page(given, (yield from request(asking_catalogue(given, following))))
        if isinstance(read, Unread) or (read.rows and read.rows == page.rows):
            return pages, False
        pages.append(read)
        page = read
        if _are_many_bytes([first, *pages]):
            break
    return pages, False


def _are_many_bytes(pages: Iterable[Page]) -> bool:
    return sum(page.size for page in pages) > MAX_BYTES
