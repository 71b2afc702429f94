"""A facilitator that fails as real ones do, in front of one that works. It needs no package of the sandbox.

    faulty = FaultyFacilitator(facilitator.url)
    faulty.faults["/settle"] = lost

A fault is given the request's answer as something it may ask for or not, so that money moves or does not before it fails.
"""

import json
import threading
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

from assay402.sandbox.serving import LoopbackServer, Reply, Request

SECONDS = 60

Answer = Callable[[], Reply]
Fault = Callable[[Answer], Reply]


def unavailable(_answer: Answer) -> Reply:
    """Answer 500 with words that no client of ours may ever see; nothing moves."""
    return Reply(status=500, body=b'{"error":"canary-facilitator-text"}')


def garbage(_answer: Answer) -> Reply:
    """Answer 200 with no JSON; nothing moves."""
    return Reply(body=b"<html>canary-facilitator-text")


def dropped(_answer: Answer) -> Reply:
    """Close the connection without an answer; nothing moves."""
    raise ConnectionAbortedError


def lost(answer: Answer) -> Reply:
    """Settle, then close the connection without an answer: money moved and nobody was told."""
    answer()
    raise ConnectionAbortedError


def failed_after(answer: Answer) -> Reply:
    """Settle, then answer 500."""
    return unavailable(answer) if answer().status else Reply()


def pending(answer: Answer) -> Reply:
    """Settle, then say that it is broadcast and not yet confirmed."""
    told = json.loads(answer().body)
    return _told(told | {"success": False, "errorReason": "settlement_pending"})


def without_transaction(_answer: Answer) -> Reply:
    """Claim success without a transaction; nothing moves."""
    return _told({"success": True, "transaction": "", "network": "eip155:84532", "payer": "0x" + "00" * 20})


def on_another_network(_answer: Answer) -> Reply:
    """Claim success on a network nobody asked for; nothing moves."""
    return _told({"success": True, "transaction": "0x" + "ab" * 32, "network": "eip155:1"})


def refused(_answer: Answer) -> Reply:
    """Refuse with a code of x402 and text beside it; nothing moves."""
    told = {"success": False, "isValid": False, "transaction": "", "network": "eip155:84532"}
    reason = "invalid_exact_evm_insufficient_balance"
    words = {"errorMessage": "canary-facilitator-text", "invalidMessage": "canary-facilitator-text"}
    return _told(told | {"errorReason": reason, "invalidReason": reason} | words)


def stalled_until(released: threading.Event) -> Fault:
    """Make a fault that does the work and then keeps its answer back until it is released."""

    def stalled(answer: Answer) -> Reply:
        reply = answer()
        released.wait(SECONDS)
        return reply

    return stalled


class FaultyFacilitator:
    """Passes requests on, but for the paths in `faults`; counts what it is asked."""

    def __init__(self, behind: str) -> None:
        self._behind = urlsplit(behind)
        self.faults: dict[str, Fault] = {}
        self.asked: list[str] = []
        self._server = LoopbackServer(self._reply)
        self.url = self._server.url

    def close(self) -> None:
        """Stop."""
        self._server.close()

    def _reply(self, request: Request) -> Reply:
        self.asked.append(request.path)
        fault = self.faults.get(request.path)
        return self._passed(request) if fault is None else fault(lambda: self._passed(request))

    def _passed(self, request: Request) -> Reply:
        connection = HTTPConnection(self._behind.hostname or "", self._behind.port, timeout=SECONDS)
        try:
            headers = {"Content-Type": "application/json"}
            connection.request(request.method, request.path, request.body, headers)
            answer = connection.getresponse()
            return Reply(status=answer.status, body=answer.read())
        finally:
            connection.close()


def _told(value: dict[str, Any]) -> Reply:
    return Reply(body=json.dumps(value).encode())
