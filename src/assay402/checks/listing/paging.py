"""Asking catalogues, page by page, within bounds."""

from typing import Final

from assay402.checks.listing.model import (
    Catalogue,
    Facilitator,
    Listed,
    ListingInput,
    Queried,
    Unread,
)
from assay402.checks.listing.reading.catalogue import Page, listed, read_page
from assay402.checks.listing.reading.facilitators import CDP, resolve_facilitator
from assay402.checks.listing.requests import as_component, asking_catalogue
from assay402.core.asks import Collecting, Failed, Fetched, all_at_once, request, side_by_side, together

MERCHANT_ROWS: Final = 50
"""Rows of a page of one merchant; the reference asks for as many."""
LIST_ROWS: Final = 100
"""Rows of a page of everybody's list: the most the specification allows."""
MAX_PAGES: Final = 50
"""Pages read of one catalogue; beyond them the answer is incomplete."""
AT_ONCE: Final = 8
"""Pages asked for at the same time."""
_UNDECLARED: Final = (CDP, "payai")
"""Whose catalogues are asked where no facilitator is declared."""


def query_once(given: ListingInput, url: str) -> Collecting[Queried]:
    """Ask one question and take its answer for the whole, as the reference does."""
    page = read_page(given, (yield from request(asking_catalogue(given, url))))
    return Queried(
        url=url, found=page if isinstance(page, Unread) else listed([page], pay_to=None, is_complete=True)
    )


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
    is_reference_list = given.discovery_base_url is not None and catalogue.kind == "list"
    size = MERCHANT_ROWS if catalogue.kind == "merchant" else LIST_ROWS
    url = f"{catalogue.url}?payTo={as_component(pay_to)}" + ("" if is_reference_list else f"&limit={size}")
    first = read_page(given, (yield from request(asking_catalogue(given, url))))
    if isinstance(first, Unread):
        return Queried(url=url, found=first, facilitator=facilitator)
    pages, is_complete = [first], True
    if len(first.rows) and (first.total is None or first.total > len(first.rows)):
        more, is_complete = yield from _read_on(given, url, first, size)
        pages += more
    found: Listed = listed(pages, pay_to=pay_to, is_complete=is_complete)
    return Queried(url=url, found=found, facilitator=facilitator)


def _read_on(given: ListingInput, url: str, first: Page, size: int) -> Collecting[tuple[list[Page], bool]]:
    """Read the pages behind the first, and tell whether that was all of them.

    A catalogue that says how many rows there are is asked for several pages at once; one that does not, for pages as
    long as they are full. A page that fails or repeats what was read ends the reading.
    """
    step = len(first.rows) if first.total is not None else size
    if first.total is None and len(first.rows) < size:
        return [], True
    needed = MAX_PAGES if first.total is None else -(-first.total // step)
    offsets = [position * step for position in range(1, min(needed, MAX_PAGES))]
    at_once = AT_ONCE if first.total is not None else 1
    pages: list[Page] = []
    for start in range(0, len(offsets), at_once):
        asks = [
            asking_catalogue(given, f"{url}&offset={offset}") for offset in offsets[start : start + at_once]
        ]
        answers = yield from together(asks)
        for answer in answers:
            assert isinstance(answer, Fetched | Failed)  # noqa: S101  (fetches were asked)
            page = read_page(given, answer)
            if isinstance(page, Unread) or page.rows == (pages or [first])[-1].rows:
                return pages, False
            pages.append(page)
            if first.total is None and len(page.rows) < size:
                return pages, True
            if not page.rows:
                return pages, sum(len(each.rows) for each in (first, *pages)) >= (first.total or 0)
    return pages, needed <= MAX_PAGES and first.total is not None
