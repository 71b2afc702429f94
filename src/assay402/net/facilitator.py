"""The Facilitator port over HTTP: verify, settle, supported. Bounded in time and size, and no text of it passes through.

The facilitator's address comes from the settings, so it is not judged: `operators_fetcher` makes a client for such
addresses, and nothing a request holds ever reaches it as an address.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

from assay402.core.asks import Failed, Fetch, Fetched, Limits
from assay402.core.strictjson import JSON, integer, write
from assay402.net.http import Fetcher
from assay402.net.reasons import passed_on, shows_no_broadcast
from assay402.net.turns import Turns
from assay402.net.verdicts import YES, answer_of, is_too_many
from assay402.service.ports import Refused, Settled, Unknown, Verified
from assay402.service.timing import PAUSE_SECONDS, SETTLE_SECONDS
from assay402.service.transactions import is_transaction
from assay402.wire.requirements import mapping, text
from assay402.wire.validity import is_amount

Fetching: TypeAlias = Callable[[Fetch], Awaitable[Fetched | Failed]]

_AT_ONCE: Final = 1_024
"""Connections to the operator's own addresses at one time: more than orders are taken, so that none waits for its turn."""
_NAME: Final = re.compile(r"[A-Za-z0-9]{1,128}")
"""A payer: hexadecimal or base58."""
_USED: Final = re.compile(r"nonce|already|duplicate|replay|(?<![a-z])used(?![a-z])", re.IGNORECASE)
"""In a reason or message of any wording: the authorization was used before, maybe by this very payment."""
_REASONS: Final = ("errorReason", "errorMessage", "invalidReason", "invalidMessage")
_PENDING: Final = "settlement_pending"


class Patience(Struct, frozen=True, kw_only=True):
    """How long each call may take and what is waited for. Longer waits than these are the client's to make."""

    verify_ms: int = 10_000
    settle_ms: int = SETTLE_SECONDS * 1_000
    supported_ms: int = 5_000
    longest_wait_seconds: int = 5
    """Longest `Retry-After` that is waited for; a longer one is passed on."""
    pending_pause_seconds: float = PAUSE_SECONDS
    """Before a settlement that is pending is asked about again, once."""
    supported_for_seconds: float = 300.0
    """How long what is supported is believed."""
    lately_seconds: float = 30.0
    """How long an answer shows that the facilitator is there."""
    apart_seconds: float = 2.0
    """Least time between two questions whether it is there again."""
    retry_after_seconds: int = 10
    """What a client is told where the facilitator names no time."""


class HTTPFacilitator:
    """Asks a facilitator at an address such as `https://facilitator.example.com/x402`.

    `headers` go with each call and are secret. Nothing is raised for what it answers or fails to answer.
    """

    def __init__(  # noqa: PLR0913  (the seams, each named by its keyword)
        self,
        url: str,
        *,
        fetcher: Fetching,
        headers: tuple[tuple[str, str], ...] = (),
        patience: Patience | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._url: Final = url.rstrip("/")
        self._fetcher: Final = fetcher
        self._headers: Final = (*headers, ("Content-Type", "application/json"))
        self._patience: Final = Patience() if patience is None else patience
        self._monotonic: Final = monotonic
        self._sleep: Final = sleep
        self._kinds: Mapping[str, Mapping[str, JSON]] = {}
        self._kinds_at: float | None = None
        self._answered_at: float | None = None
        self._is_there = False
        self._is_doubted = False
        self._asked_at: float | None = None
        self._asking: Final = asyncio.Lock()

    async def verify(
        self, payload: Mapping[str, JSON], requirements: Mapping[str, JSON]
    ) -> Verified | Refused | Unknown:
        """Ask whether a payment would hold. Asked a second time where the first got no answer: nothing moves."""
        answer = await self._post("verify", payload, requirements, self._patience.verify_ms)
        if isinstance(answer, Unknown) and answer.retry_after_seconds <= self._patience.longest_wait_seconds:
            await self._sleep(answer.retry_after_seconds)
            answer = await self._post("verify", payload, requirements, self._patience.verify_ms)
        if isinstance(answer, Unknown):
            return self._unknown(answer.retry_after_seconds)
        if answer.get("isValid") is False:
            return Refused(reason=passed_on(answer.get("invalidReason")), is_used=_tells_of_use(answer))
        if answer.get("isValid") is not True or _denies(answer):
            return self._unknown(0)
        payer = _name(answer.get("payer")) or _payer(payload)
        return Refused(reason="unexpected_verify_error") if payer is None else Verified(payer=payer)

    async def settle(
        self, payload: Mapping[str, JSON], requirements: Mapping[str, JSON]
    ) -> Settled | Refused | Unknown:
        """Ask to settle; a second time only where the facilitator itself says that it is pending.

        A refusal is an outcome where it shows that nothing was sent to the chain: at the first call, without a
        transaction, for a reason that is decided before. The official facilitator says `transaction_failed` of what it
        sent, which may be taken into a block later. A success that names no transaction, or that gives a reason for a refusal,
        is no outcome either.
        """
        answer = await self._post("settle", payload, requirements, self._patience.settle_ms)
        was_pending = not isinstance(answer, Unknown) and _is_pending(answer)
        if was_pending:
            await self._sleep(self._patience.pending_pause_seconds)
            answer = await self._post("settle", payload, requirements, self._patience.settle_ms)
        if isinstance(answer, Unknown):
            return self._unknown(answer.retry_after_seconds)
        if answer.get("success") is True:
            settled = _settled(answer, payload, requirements)
            return self._unknown(0) if settled is None else settled
        if answer.get("success") is not False or was_pending or not _moved_nothing(answer):
            return self._unknown(0)
        return Refused(reason=passed_on(answer.get("errorReason")))

    async def extra(self, network: str) -> Mapping[str, JSON] | None:
        """Give what is supported on a network in scheme `exact` of version 2; None: nothing."""
        if not self._is_fresh(self._kinds_at, self._patience.supported_for_seconds):
            await self._ask_supported()
        return self._kinds.get(network)

    async def is_reachable(self) -> bool:
        """Tell whether the facilitator is there: it answered lately, or answers now what it supports.

        A verification or settlement without an answer is a reason to ask, and no more: the fault may be that one payment's,
        and whoever sent it must not close the service to others.
        """
        is_fresh = self._is_fresh(self._answered_at, self._patience.lately_seconds)
        if is_fresh and (not self._is_doubted or self._asking.locked()):
            return True
        await self._ask_supported()
        return self._is_there

    async def _ask_supported(self) -> None:
        """Ask what is supported, unless that was just done. What was known stays known where there is no answer."""
        async with self._asking:
            if self._is_fresh(self._asked_at, self._patience.apart_seconds):
                return
            self._asked_at = self._monotonic()
            limits = Limits(deadline_ms=self._patience.supported_ms, body_bytes=262_144, wire_bytes=524_288)
            ask = Fetch(url=f"{self._url}/supported", headers=self._headers, limits=limits)
            got = await self._fetcher(ask)
            answered = answer_of(got)
            self._is_doubted = False
            self._is_there = not isinstance(answered, Unknown) or is_too_many(got)
            self._answered_at = self._monotonic() if self._is_there else None
            if not isinstance(answered, Unknown) and isinstance(answered.get("kinds"), list):
                self._kinds = _kinds(answered)
                self._kinds_at = self._monotonic()

    async def _post(
        self, call: str, payload: Mapping[str, JSON], requirements: Mapping[str, JSON], deadline_ms: int
    ) -> Mapping[str, JSON] | Unknown:
        body = write({"x402Version": 2, "paymentPayload": payload, "paymentRequirements": requirements})
        ask = Fetch(
            url=f"{self._url}/{call}",
            method="POST",
            headers=self._headers,
            body=body,
            limits=Limits(deadline_ms=deadline_ms),
        )
        answer = answer_of(await self._fetcher(ask))
        if isinstance(answer, Unknown) and not answer.retry_after_seconds:
            self._is_doubted = True
        else:
            self._answered_at, self._is_there = self._monotonic(), True
        return answer

    def _unknown(self, seconds: int) -> Unknown:
        return Unknown(retry_after_seconds=seconds or self._patience.retry_after_seconds)

    def _is_fresh(self, moment: float | None, seconds: float) -> bool:
        return moment is not None and self._monotonic() - moment < seconds


def operators_fetcher() -> Fetcher:
    """Make a client for addresses that the operator's settings name, wherever they are: never for those of a request."""
    return Fetcher(allow_private=True, turn=Turns(at_once=_AT_ONCE))


def _settled(
    answer: Mapping[str, JSON], payload: Mapping[str, JSON], requirements: Mapping[str, JSON]
) -> Settled | None:
    """Read a success; None where it shows nothing: no transaction of its chain, or not this very payment's."""
    network, asset = text(requirements, "network"), text(requirements, "asset")
    transaction, amount = text(answer, "transaction"), requirements.get("amount")
    if (
        network is None
        or asset is None
        or transaction is None
        or not is_transaction(network, transaction)
        or answer.get("network") != network
        or not isinstance(amount, str)
        or not is_amount(amount)
        or answer.get("amount") not in (None, amount)
        or _denies(answer)
        or _is_of_another(answer, payload)
    ):
        return None
    payer = _name(answer.get("payer")) or _payer(payload)
    return Settled(transaction=transaction, network=network, payer=payer, amount=int(amount), asset=asset)


def _kinds(answered: Mapping[str, JSON]) -> Mapping[str, Mapping[str, JSON]]:
    kinds = answered.get("kinds")
    found: dict[str, Mapping[str, JSON]] = {}
    for kind in kinds if isinstance(kinds, list) else ():
        if not isinstance(kind, Mapping) or kind.get("scheme") != "exact":
            continue
        network = text(kind, "network")
        if network is not None and integer(kind.get("x402Version")) == 2:  # noqa: PLR2004  (the version)
            found[network] = mapping(kind, "extra") or {}
    return found


def _is_pending(answer: Mapping[str, JSON]) -> bool:
    return answer.get("success") is not True and answer.get("errorReason") == _PENDING


def _denies(answer: Mapping[str, JSON]) -> bool:
    """Tell whether an answer says no, or why not, anywhere: a yes that does contradicts itself."""
    return any(answer.get(name) not in (None, "") for name in _REASONS) or any(
        answer.get(name) is False for name in YES
    )


def _is_of_another(answer: Mapping[str, JSON], payload: Mapping[str, JSON]) -> bool:
    """Tell whether an answer names another payer than the one who signed."""
    told, signed = _name(answer.get("payer")), _payer(payload)
    return told is not None and signed is not None and told.lower() != signed.lower()


def _tells_of_use(answer: Mapping[str, JSON]) -> bool:
    said = (text(answer, name) for name in _REASONS)
    return any(each is not None and _USED.search(each) for each in said)


def _moved_nothing(answer: Mapping[str, JSON]) -> bool:
    """Tell whether a refused settlement shows that nothing of it was sent to a chain."""
    return (
        answer.get("transaction") in (None, "")
        and shows_no_broadcast(answer.get("errorReason"))
        and not _tells_of_use(answer)
    )


def _name(value: JSON) -> str | None:
    return value if isinstance(value, str) and _NAME.fullmatch(value) else None


def _payer(payload: Mapping[str, JSON]) -> str | None:
    """Give who signed, where the payload itself says so."""
    exact = mapping(payload, "payload") or {}
    authorization = mapping(exact, "authorization") or mapping(exact, "permit2Authorization") or {}
    return text(authorization, "from")
