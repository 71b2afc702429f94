"""Both legs of an answer, each judged apart."""

import base64
import json
from typing import Any

from assay402.core.asks import Fetched
from assay402.wire.challenge import NoChallenge, body_leg, challenge_of, header_leg, leg_of
from assay402.wire.requirements import PaymentRequired

V1 = json.dumps({"x402Version": 1, "accepts": [{"network": "base"}]}).encode()
V2 = json.dumps({"x402Version": 2, "accepts": [{"network": "eip155:1"}]}).encode()
V2_HEADER = base64.b64encode(V2).decode()


def received(body: bytes, *headers: tuple[str, str]) -> Fetched:
    return Fetched(status=402, headers=headers, body=body)


def test_both_legs_are_read_and_compared() -> None:
    challenge = challenge_of(received(V1, ("payment-required", V2_HEADER)))
    assert isinstance(challenge.body, PaymentRequired)
    assert isinstance(challenge.header, PaymentRequired)
    assert challenge.legs_differ
    assert not challenge_of(received(V2, ("Payment-Required", V2_HEADER))).legs_differ
    assert not challenge_of(received(V2)).legs_differ


def test_what_was_received_stays_whole() -> None:
    answer = received(b"\xff<html>", ("X-Other", "1"))
    assert challenge_of(answer).received is answer


def test_several_headers_count_only_when_they_are_identical() -> None:
    """Reading A49."""
    assert isinstance(header_leg((V2_HEADER, V2_HEADER)), PaymentRequired)
    assert header_leg((V2_HEADER, base64.b64encode(V1).decode())) is NoChallenge.VALUES_DIFFER
    assert header_leg(()) is NoChallenge.ABSENT


def test_a_leg_says_why_it_carries_no_challenge() -> None:
    assert header_leg(("{}",)) is NoChallenge.NOT_BASE64
    assert header_leg(("Zm9v",)) is NoChallenge.NOT_JSON
    assert body_leg(b"<html>") is NoChallenge.NOT_JSON
    assert body_leg(b"[1]") is NoChallenge.NOT_AN_OBJECT
    odd: Any
    for odd in ({}, {"accepts": None}, {"accepts": []}, {"accepts": {"0": 1}}, {"accepts": "x"}):
        assert leg_of(odd) is NoChallenge.NO_ACCEPTS


def test_a_decoded_leg_is_held_to_the_depth_of_the_reader() -> None:
    deep: Any = {"accepts": [1]}
    for _ in range(128):
        deep = {"accepts": [1], "deep": deep}
    assert leg_of(deep) is NoChallenge.TOO_DEEP
    assert isinstance(leg_of(deep["deep"]["deep"]), PaymentRequired)
