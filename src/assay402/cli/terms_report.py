"""What a person reads of the terms check: documents, advertisements, verdicts, and what to know beside them."""

from collections.abc import Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import click

from assay402.checks.terms import CHECK
from assay402.checks.terms.kit.values import escaped
from assay402.checks.terms.model import (
    WELL_KNOWN,
    DeclaredFieldsEmpty,
    DiscoverReport,
    Extracted,
    Integrity,
    Match,
    NotListed,
    Placed,
    Read,
    Refused,
    VerifyReport,
    WellKnown,
)
from assay402.cli.output import notice_of, pretty
from assay402.core.canon import sha256_hex

_SAME_BYTES: Final = (
    "The terms URL must serve the very bytes that were hashed: no template, no redirect, no compression."
)
_IS_NOT_DISCOVERY: Final = "The discovery document at /.well-known/legal-context.json is not the terms."
_IS_DISCOVERY: Final = (
    "WARNING: this terms URL is the discovery document, which is not the terms: with the hash of the terms,"
    " every check of a buyer fails. Give the URL of the terms themselves."
)
_LEADS_TO_DISCOVERY: Final = "The link leads to the discovery document, which is not the terms."


def present_document(result: Placed | WellKnown | NotListed | Refused) -> Iterable[str]:
    """Give the document itself, laid out for reading."""
    if isinstance(result, Placed | WellKnown):
        yield from pretty(result.document).decode().splitlines()


def remark_document(
    result: Placed | WellKnown | NotListed | Refused, values: Mapping[str, Any]
) -> Iterable[str]:
    """Say what to know of a URL that was written, or why nothing was."""
    match result:
        case NotListed() | Refused():
            return _refusal_lines(result)
        case WellKnown(document=document):
            url = document["terms"]
        case Placed():
            url = values.get("termsUrl")
    if url is None:
        return ()
    return (_SAME_BYTES, _IS_DISCOVERY if urlsplit(url).path.rstrip("/") == WELL_KNOWN else _IS_NOT_DISCOVERY)


def _refusal_lines(refused: Refused | NotListed) -> Iterable[str]:
    yield f"REFUSED: {refused.code}"
    yield from _explained(refused.code, refused.detail)


def _explained(code: str, detail: str | None) -> Iterable[str]:
    """Say what was found, what the code means and what to do; a detail that is a code itself is explained too."""
    if detail is not None:
        yield f"  Found: {detail}"
    # A detail may say more behind its code.
    for each in (code, (detail or "").partition(": ")[0]):
        notice = notice_of(each, CHECK) if each else None
        if notice is not None:
            yield f"  {notice.text}"
            yield f"  {notice.hint}"


def present_extracted(result: Extracted | Refused) -> Iterable[str]:
    """Lay out what a document advertises."""
    if isinstance(result, Refused):
        yield from _refusal_lines(result)
        return
    yield f"{'type':<8}{result.ref.type}"
    yield f"{'value':<8}{escaped(result.ref.value)}"
    match result.terms_url:
        case Read(url=url):
            yield f"{'terms':<8}{escaped(url)}"
        case DeclaredFieldsEmpty(fields=fields):
            yield f"{'terms':<8}no URL stands in {' or '.join(fields)}"
        case _:
            yield f"{'terms':<8}this protocol has no place for a URL"


def present_verified(report: VerifyReport) -> Iterable[str]:
    """Lay out what was promised, what was served, and the verdict."""
    if report.offer is not None:
        yield f"{'link':<10}{escaped(report.offer.terms_url)}"
        yield f"{'promised':<10}{report.offer.atr_hash}"
    body = report.verdict.body
    if body is not None:
        yield f"{'served':<10}0x{sha256_hex(body)}  ({len(body)} bytes)"
        yield ""
    if isinstance(report.verdict, Match):
        yield click.style("MATCH: the link serves exactly the advertised bytes.", fg="green", bold=True)
        return
    yield click.style(f"DECLINE: {report.verdict.code}", fg="red", bold=True)
    yield from _explained(report.verdict.code, report.verdict.detail)
    if report.offer is not None and urlsplit(report.offer.terms_url).path.rstrip("/") == WELL_KNOWN:
        yield f"  {_LEADS_TO_DISCOVERY}"


def present_discovered(report: DiscoverReport) -> Iterable[str]:
    """Lay out what a listing promises, what was served, and the verdict."""
    yield f"{'listing':<10}{report.url}"
    if report.listing is not None:
        yield f"{'terms':<10}{escaped(report.listing.terms)}"
        yield f"{'format':<10}{escaped(report.listing.terms_format or 'not stated')}"
    verdict = report.verdict
    if isinstance(verdict, Integrity):
        yield f"{'promised':<10}{verdict.advertised or 'no hash'}"
        yield f"{'served':<10}{verdict.served}"
    yield ""
    if isinstance(verdict, Integrity) and verdict.ok:
        yield click.style("OK: the listing promises what is served.", fg="green", bold=True)
        return
    code = verdict.status if isinstance(verdict, Integrity) else verdict.code
    yield click.style(f"NOT OK: {code}", fg="red", bold=True)
    yield from _explained(code, None if isinstance(verdict, Integrity) else verdict.detail)
