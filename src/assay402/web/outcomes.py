"""How every end of an order reads as HTTP: status, headers, body."""

from collections.abc import Mapping

from assay402.attest.signature import ENVELOPE_TYPE, enveloped
from assay402.core.strictjson import JSON, write, write_plain
from assay402.service.order import Declined, Delivered, Offered, Outcome, Pending, Resource
from assay402.web.answers import (
    LOGICAL_PAYMENT,
    QUOTE,
    REPLAYED,
    SIGNATURE,
    HTTPAnswer,
    notice_of,
    problem,
)
from assay402.wire.transport import PAYMENT_REQUIRED, PAYMENT_RESPONSE, encode_header

_Headers = tuple[tuple[str, str], ...]


def answer_of(outcome: Outcome, resource: Resource | None, *, as_envelope: bool = False) -> HTTPAnswer:
    """Give the HTTP answer of an outcome."""
    match outcome:
        case Delivered():
            return _delivered(outcome, as_envelope=as_envelope)
        case Offered():
            return _offered(outcome)
        case Pending():
            return _pending(outcome)
        case Declined():
            return _declined(outcome, resource)


def _delivered(outcome: Delivered, *, as_envelope: bool) -> HTTPAnswer:
    headers: _Headers = (
        *outcome.headers,
        *_settlement(outcome.settlement),
        *_logical(outcome.logical_payment_id),
        *(((REPLAYED, "true"),) if outcome.is_replay else ()),
    )
    said = "replayed" if outcome.is_replay else "delivered"
    signature = dict(outcome.headers).get(SIGNATURE)
    if as_envelope and signature is not None:
        body = enveloped(outcome.body, signature)
        return HTTPAnswer(status=200, body=body, content_type=ENVELOPE_TYPE, headers=headers, outcome=said)
    return HTTPAnswer(status=200, body=outcome.body, headers=headers, outcome=said)


def _offered(outcome: Offered) -> HTTPAnswer:
    headers: _Headers = (
        (PAYMENT_REQUIRED, encode_header(outcome.payment_required)),
        *(((QUOTE, outcome.quote_id),) if outcome.quote_id is not None else ()),
        *_settlement(outcome.settlement),
        *_logical(outcome.logical_payment_id),
    )
    return HTTPAnswer(status=402, body=outcome.payment_required, headers=headers, outcome="offered")


def _pending(outcome: Pending) -> HTTPAnswer:
    notice = notice_of("payment_pending")
    said = {} if notice is None else {"title": notice.text, "detail": notice.hint}
    seconds = outcome.retry_after_seconds
    return HTTPAnswer(
        status=202,
        body=write({"code": "payment_pending", **said, "retry_after_seconds": seconds}),
        headers=(("Retry-After", str(seconds)), *_logical(outcome.logical_payment_id)),
        outcome="pending",
        code="payment_pending",
    )


def _declined(outcome: Declined, resource: Resource | None) -> HTTPAnswer:
    seconds = outcome.retry_after_seconds
    headers: _Headers = (
        *((("Retry-After", str(seconds)),) if seconds is not None else ()),
        *_logical(outcome.logical_payment_id),
    )
    if outcome.body is not None:
        return HTTPAnswer(
            status=outcome.status,
            body=write(outcome.body),
            headers=headers,
            outcome="declined",
            code=outcome.code,
        )
    return problem(
        outcome.status,
        outcome.code,
        check=None if resource is None else resource.check,
        numbers=outcome.numbers,
        more={"free_retry": True} if outcome.free_retry else None,
        headers=headers,
    )


def _settlement(settlement: Mapping[str, JSON] | None) -> _Headers:
    return () if settlement is None else ((PAYMENT_RESPONSE, encode_header(write_plain(settlement))),)


def _logical(logical_payment_id: str | None) -> _Headers:
    return () if logical_payment_id is None else ((LOGICAL_PAYMENT, logical_payment_id),)
