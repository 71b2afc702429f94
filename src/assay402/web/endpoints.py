"""The endpoints: one that takes orders, one that gives receipts, and documents that anybody may read."""

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from assay402.core.check import Operation, Refusal
from assay402.service.order import Declined, Order, Resource
from assay402.service.ports import StoreUnavailable
from assay402.web.answers import HTTPAnswer, Receive, Scope, problem
from assay402.web.limits import Bodies, body_kind_problem, busy, header_values
from assay402.web.outcomes import answer_of
from assay402.web.requests import (
    Networks,
    asked,
    client_address,
    idempotency_key,
    payment_of,
    quote_id,
)
from assay402.web.rooms import Full, Rooms
from assay402.web.serving import Orders

_RECEIPT_ID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_BEARER: Final = re.compile(r"(?i:bearer) +([A-Za-z0-9._~+/=-]{1,512})")
_MAX_SIGN_IN: Final = 16_384
_RETRY: Final = (("Retry-After", "5"),)
_MAX_KNOWN_LENGTH: Final = 2**63

Endpoint = Callable[[Scope, Receive], Awaitable[HTTPAnswer]]


class OrderEndpoint:
    """Takes orders of one path; where its operation answers under several contracts, the query names one."""

    def __init__(  # noqa: PLR0913  (what an order passes on its way)
        self,
        resources: Mapping[str, Resource],
        orders: Orders,
        bodies: Bodies,
        rooms: Rooms,
        proxies: Networks,
        *,
        signs: bool,
    ) -> None:
        """`resources` are those of the path, by profile; the first is what the bare path means."""
        self._by_profile: Final = resources
        self._profiles: Final = tuple(name for name in resources if name)
        self._default: Final = next(iter(resources.values()))
        self._orders: Final = orders
        self._bodies: Final = bodies
        self._rooms: Final = rooms
        self._proxies: Final = proxies
        self._signs: Final = signs
        self.route: Final = self._default.name
        self.methods: Final = ("POST",)

    async def __call__(self, scope: Scope, receive: Receive) -> HTTPAnswer:
        """Read an order and take it."""
        wanted = asked(scope, self._profiles)
        if isinstance(wanted, HTTPAnswer):
            return wanted
        if wanted.as_envelope and not self._signs:
            return problem(400, "envelope_unavailable")
        resource = self._default if wanted.profile is None else self._by_profile[wanted.profile]
        refused = body_kind_problem(scope)
        key, quote = idempotency_key(scope), quote_id(scope)
        for found in (refused, key, quote):
            if isinstance(found, HTTPAnswer):
                return found
        body = await self._bodies.read(scope, receive, resource.operation.request_bytes)
        if isinstance(body, HTTPAnswer):
            return body
        if isinstance(body, int):
            return over_cap(resource, body)
        try:
            order = Order(
                resource=resource,
                request=bytes(body),
                payment=payment_of(scope),
                idempotency_key=key if isinstance(key, str) else None,
                quote_id=quote if isinstance(quote, str) else None,
                wants_signature=wanted.as_envelope,
                client_address=client_address(scope, self._proxies),
            )
            return await self._take(order, as_envelope=wanted.as_envelope)
        finally:
            self._bodies.done(body)

    async def _take(self, order: Order, *, as_envelope: bool) -> HTTPAnswer:
        try:
            with self._rooms.place(order.resource.check.name):
                outcome = await self._orders.take(order)
        except Full:
            return busy()
        except StoreUnavailable:
            return problem(503, "store_unavailable", headers=_RETRY)
        return answer_of(outcome, order.resource, as_envelope=as_envelope)


class ReceiptEndpoint:
    """Gives a receipt to whoever may have it; to everybody else there is none."""

    route: Final = "receipts"
    methods: Final = ("GET",)

    def __init__(self, orders: Orders) -> None:
        self._orders: Final = orders

    async def __call__(self, scope: Scope, _receive: Receive) -> HTTPAnswer:
        """Read who asks for what."""
        receipt_id = scope["path_params"]["receipt_id"]
        if not _RECEIPT_ID.fullmatch(receipt_id):
            return problem(404, "receipt_unknown")
        bearers = [_BEARER.fullmatch(value.strip()) for value in header_values(scope, "Authorization")]
        sign_ins = header_values(scope, "SIGN-IN-WITH-X")
        if len(bearers) > 1 or len(sign_ins) > 1:
            return problem(400, "header_repeated")
        bearer = bearers[0][1] if bearers and bearers[0] else None
        sign_in = sign_ins[0] if sign_ins and len(sign_ins[0]) <= _MAX_SIGN_IN else None
        try:
            outcome = await self._orders.receipt(receipt_id, bearer=bearer, sign_in=sign_in)
        except StoreUnavailable:
            return problem(503, "store_unavailable", headers=_RETRY)
        return answer_of(outcome, None)


class OpenEndpoint:
    """Gives a document that anybody may read, free and without a body to read."""

    methods: Final = ("GET", "HEAD")

    def __init__(self, route: str, give: Callable[[], Awaitable[HTTPAnswer]]) -> None:
        self.route: Final = route
        self._give: Final = give

    async def __call__(self, _scope: Scope, _receive: Receive) -> HTTPAnswer:
        """Give it."""
        return await self._give()


def over_cap(resource: Resource, length: int) -> HTTPAnswer:
    """Refuse a body beyond the cap as the room says it: with the cap, and the length where it is known."""
    operation: Operation[Any, Any] = resource.operation
    known = min(length, _MAX_KNOWN_LENGTH)
    refusal = Refusal(code="over_cap", length=known, cap=operation.request_bytes)
    said = operation.admit(refusal)
    refusal = said if isinstance(said, Refusal) else refusal
    has_own_shape = operation.publish_refusal is not Refusal.published
    numbers = {"length": known, "cap": operation.request_bytes}
    outcome = Declined(
        status=413,
        code=refusal.code,
        body=operation.publish_refusal(refusal) if has_own_shape else None,
        numbers=numbers,
    )
    answer = answer_of(outcome, resource)
    return HTTPAnswer(
        status=answer.status,
        body=answer.body,
        content_type=answer.content_type,
        headers=answer.headers,
        outcome=answer.outcome,
        code=answer.code,
        closes=True,
    )
