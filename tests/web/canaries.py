"""Canaries: words of their own in every place of every request, and where none of them may be found afterwards.

Each is looked for as it is and as every digest somebody might have thought harmless, in the spellings digests have.
"""

import base64
import hashlib
import itertools
import json
from collections.abc import Iterable, Iterator
from typing import Any

from Crypto.Hash import keccak

import facilitator_faults as faults
from assay402.checks import CHECKS
from assay402.core.asks import Failed, Fetch, Fetched
from assay402.core.canon import canonical
from assay402.core.check import Custody
from assay402.core.exactjson import Exact, read_exact
from assay402.formats.schema import schemas_of
from assay402.service.resources import PATHS
from web.paid import PaidService, packed
from web.served import Reply

KEEPS = {check.name for check in CHECKS if check.custody is Custody.ANSWER}
THEIRS = "theirs5e1d"
"""In the names that clients give their own payments and requests: kept with the payment, and told to nobody else."""
FIRST = 12
MARK = "canary5e1d"
"""In every canary; so one look says whether any of them stands somewhere as it is."""


class Canaries:
    """Makes canaries, remembers whose they are, and looks for them."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._known: dict[bytes, list[bytes]] = {}
        self.nothing: set[bytes] = set()
        """Sent to rooms that keep nothing, or belonging to no room."""
        self.answers: set[bytes] = set()
        """Sent to rooms that keep their answers."""

    def fresh(self, room: str = "") -> str:
        """Give a word that was not there before: letters and digits, so that it fits anywhere."""
        word = f"{MARK}x{next(self._numbers):05d}"
        self.note(room, word.encode())
        return word

    def note(self, room: str, data: bytes) -> bytes:
        """Remember something that was sent, whose digest must not be found either."""
        (self.answers if room in KEEPS else self.nothing).add(data)
        return data

    def sown(self, room: str, value: Any) -> Any:
        """Put a canary behind every text of a value, and remember the whole."""
        match value:
            case dict():
                return {name: self.sown(room, each) for name, each in value.items()}
            case list():
                return [self.sown(room, each) for each in value]
            case str():
                return self.note(room, (value + self.fresh(room)).encode()).decode()
            case _:
                return value

    def assert_absent(
        self, haystack: bytes, where: str, *, allows_answers: bool = False, allows_names: bool = False
    ) -> None:
        """Check that none is in a place; of rooms that keep answers one may be where answers are kept."""
        if not allows_answers:
            assert MARK.encode() not in haystack, f"a canary is in {where}"
            assert allows_names or THEIRS.encode() not in haystack, f"a client's own name is in {where}"
        # Every trace is longer than its first bytes, by which many can be looked for at once.
        wanted: dict[bytes, list[bytes]] = {}
        for data in self.nothing if allows_answers else self.nothing | self.answers:
            for trace in self._traces(data):
                wanted.setdefault(trace[:FIRST], []).append(trace)
        for place in range(len(haystack) - FIRST + 1):
            for trace in wanted.get(haystack[place : place + FIRST], ()):
                assert not haystack.startswith(trace, place), f"{trace!r}, a trace of a canary, is in {where}"

    def _traces(self, data: bytes) -> list[bytes]:
        if data not in self._known:
            self._known[data] = list(traces(data))
        return self._known[data]


def traces(data: bytes) -> Iterator[bytes]:
    """Give what data may have left behind: itself, its spellings, its digests in theirs."""
    if len(data) < 512:
        yield data
        yield data.hex().encode()
        yield base64.b64encode(data).rstrip(b"=")
    digests = [hashlib.new(name, data).digest() for name in ("sha256", "sha1", "md5")]
    digests.append(keccak.new(digest_bits=256, data=data).digest())
    for digest in digests:
        yield digest
        yield digest.hex().encode()
        yield digest.hex().upper().encode()
        yield base64.b64encode(digest).rstrip(b"=")
        yield base64.urlsafe_b64encode(digest).rstrip(b"=")


class Seller:
    """What requests name: it answers with canaries, or breaks the service with one."""

    def __init__(self, canaries: Canaries) -> None:
        self.canaries = canaries
        self.breaks = False
        self.is_late = False

    async def fetch(self, ask: Fetch) -> Fetched | Failed:
        """Answer as a seller whose challenge is full of canaries."""
        word = self.canaries.fresh()
        if self.is_late:
            return Failed(state="deadline", headers=(("X-Note", word),))
        if self.breaks:
            raise ValueError(word, ask)
        challenge = {
            "x402Version": 1,
            "error": word,
            "accepts": [{"scheme": "exact", "network": "base", "maxAmountRequired": "1", "payTo": word}],
        }
        body = self.canaries.note("", json.dumps(challenge).encode())
        headers = (("Content-Type", "application/json"), ("X-Note", word), ("PAYMENT-REQUIRED", word))
        return Fetched(status=402, headers=headers, body=body)


def requests(canaries: Canaries, name: str) -> Iterator[bytes]:
    """Give requests of an operation: answered ones, refused ones, unreadable ones, each with canaries of its own."""
    room = name.partition("/")[0]
    example = schemas_of(*name.split("/")).example

    def word() -> str:
        return canaries.fresh(room)

    def document(value: Any) -> bytes:
        body = json.dumps(value).encode()
        read = read_exact(body)
        if isinstance(read, Exact):
            canaries.note(room, canonical(read.value))
        return canaries.note(room, body)

    good: dict[str, list[Any]] = {
        "dialect": [
            {"mode": "probe", "url": f"https://seller.shop.dev/{word()}?{word()}={word()}"},
            {"mode": "submitted", "artefact": {"status": 402, "body_raw": word()}},
            {
                "mode": "submitted",
                **({"caller": word()} if name == "dialect/precheck" else {}),
                "artefact": {
                    "status": 402,
                    "body_obj": {"error": word(), "accepts": [{"network": word(), word(): word()}]},
                    "response_headers": {"X-Note": word()},
                },
            },
            {"mode": "probe", "url": f"https://10.0.0.1/{word()}"},
            {"mode": "probe", "url": f"https://{word()}@seller.shop.dev/"},
        ],
        "deliverable": [
            {
                "deliverable": {"kind": "text", "value": word()},
                "criteria": [{"id": word(), "check": "contains", "value": word()}],
            }
        ],
        "claims": [
            {
                **example,
                "candidate_output": f"The {word()} refund of $60 has been completed.",
                "evidence": [{**example["evidence"][0], "text": f"refund 60 of {word()} pending"}],
            }
            if room == "claims"
            else {}
        ],
        "listing": [
            {"url": "https://seller.shop.dev/", "endpoint": f"https://seller.shop.dev/{word()}?a={word()}"}
        ],
        "terms": [{**example, "url": f"https://seller.shop.dev/{word()}"}],
    }
    for value in good[room]:
        yield document(value)
    yield document(canaries.sown(room, example))
    yield document({**example, word(): word()})
    yield document([word()])
    yield document(word())
    yield canaries.note(room, f'{{"{word()}'.encode())
    yield canaries.note(room, b"\xff" + word().encode())
    yield canaries.note(room, f'{{"a":"{word()}","a":1e999999}}'.encode())
    yield canaries.note(room, f'"{word()}"'.encode() * 60_000)


def headers(canaries: Canaries) -> Iterator[dict[str, str]]:
    """Give headers with canaries, payments that are none among them."""
    yield {"PAYMENT-SIGNATURE": canaries.fresh()}
    yield {"PAYMENT-SIGNATURE": packed({"x402Version": 2, canaries.fresh(): canaries.fresh()})}
    yield {
        "PAYMENT-SIGNATURE": packed(
            {"x402Version": 2, "accepted": {"scheme": canaries.fresh()}, "payload": {}}
        )
    }
    yield {"X-PAYMENT": canaries.fresh()}
    yield {"Idempotency-Key": f"{canaries.fresh()} x"}
    yield {"ARBITER-QUOTE-ID": canaries.fresh()}
    yield {"Content-Type": f"text/{canaries.fresh()}"}
    yield {"Content-Encoding": canaries.fresh()}
    yield {"SIGN-IN-WITH-X": canaries.fresh(), "Authorization": f"Bearer {canaries.fresh()}"}
    yield {"Host": f"{canaries.fresh()}.example", "User-Agent": canaries.fresh(), "Cookie": canaries.fresh()}
    yield {
        "X-Forwarded-For": canaries.fresh(),
        "Referer": canaries.fresh(),
        canaries.fresh(): canaries.fresh(),
    }


class Story:
    """Sends all of it to a service, and judges what comes back."""

    def __init__(self, running: PaidService, canaries: Canaries, seller: Seller) -> None:
        self.running = running
        self.canaries = canaries
        self.seller = seller
        self.statuses: dict[str, list[int]] = {name: [] for name in PATHS}
        self.bought: list[Reply] = []
        self._payers = itertools.count(1)

    def live(self) -> None:
        """Go through every route with every request, paid for where that is wanted, and through every fault."""
        for name in PATHS:
            for body in requests(self.canaries, name):
                self.take(name, body)
            for sent in headers(self.canaries):
                self.judge(name, self.running.ask(name, body=example(name), headers=sent))
            named = {"Idempotency-Key": f"{THEIRS}-key-of-{name.replace('/', '-')}"}
            self.take(name, example(name), named, payment_id=f"{THEIRS}-id-of-{name.replace('/', '-')}")
        self.wander()

    def take(
        self, name: str, body: bytes, headers: dict[str, str] | None = None, payment_id: str | None = None
    ) -> Reply:
        """Send a request; where it is to be paid for, pay, with canaries in what a payment may carry beside."""
        # The free pre-check has its pause.
        self.running.clock.pass_by(6)
        answer = self.judge(name, self.running.ask(name, body=body, headers=headers))
        if answer.status != 402:
            return answer
        payment = self.payment(name, body, payment_id)
        return self.judge(name, self.running.ask(name, payment, body=body, headers=headers))

    def payment(self, name: str, body: bytes, payment_id: str | None) -> dict[str, Any]:
        """Make a payment with canaries beside what pays."""
        sold = "dialect/check" if name == "dialect/precheck" else name
        offered = body if sold == name else example(sold)
        payment = self.running.payment(
            sold, offered, payer=f"0x{next(self._payers):040x}", payment_id=payment_id
        )
        payment["extensions"] = {
            **payment["extensions"],
            self.canaries.fresh(): {"info": self.canaries.fresh()},
        }
        extra = payment["accepted"].get("extra") or {}
        payment["accepted"] = {**payment["accepted"], "extra": {**extra, "note": self.canaries.fresh()}}
        return payment

    def judge(self, name: str, answer: Reply) -> Reply:
        """Check that an answer other than the answer that was asked for repeats nothing."""
        self.statuses.setdefault(name, []).append(answer.status)
        told = b"" if answer.status == 200 or name.startswith("terms/") else answer.body
        told += "".join(f"{key}: {value}\n" for key, value in answer.headers).encode()
        for word in (MARK, THEIRS):
            assert word.encode() not in told, f"an answer {answer.status} of {name} repeats what was sent"
        return answer

    def wander(self) -> None:
        """Ask for what is not there, in ways that are not there."""
        for method in ("GET", "HEAD", "POST", "OPTIONS", "PUT", self.canaries.fresh().upper()):
            for path in (
                f"/{self.canaries.fresh()}",
                f"/dialect-check/{self.canaries.fresh()}",
                f"/api/v1/receipts/{self.canaries.fresh()}",
                f"/healthz?{self.canaries.fresh()}=1",
                f"{PATHS['dialect/check']}?{self.canaries.fresh()}={self.canaries.fresh()}",
            ):
                self.judge("", self.running.call(method, path, b"" if method == "POST" else None))

    def suffer(self) -> None:
        """Have the facilitator and the work fail while canaries are on their way."""
        money = self.running.money
        for call, fault in itertools.product(("/verify", "/settle"), (faults.unavailable, faults.refused)):
            money.faulty.faults[call] = fault
            for name in ("dialect/check", "deliverable/check", "claims/diagnose"):
                self.take(name, next(requests(self.canaries, name)))
            money.faulty.faults.clear()
        self.seller.breaks = True
        for name in ("dialect/check", "listing/check", "terms/verify"):
            for body in itertools.islice(requests(self.canaries, name), 3):
                self.take(name, body)
        self.seller.breaks, self.seller.is_late = False, True
        for name in ("dialect/check", "terms/verify"):
            self.take(name, next(requests(self.canaries, name)))
        self.seller.is_late = False


def example(name: str) -> bytes:
    """Give the example of an operation."""
    return json.dumps(schemas_of(*name.split("/")).example).encode()


def joined(parts: Iterable[bytes]) -> bytes:
    """Put parts into one, apart from each other."""
    return b"\n".join(parts)
