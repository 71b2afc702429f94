"""The pieces that hand-built artefacts are made of: entries, challenges and encodings, all values invented."""

import base64
import json
from collections.abc import Callable
from typing import NamedTuple

PAYEE = "0x" + "5e" * 20
ASSET = "0x" + "a5" * 20
URL = "https://seller.example/report"
SOLANA = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
PAID = "eyJzdWNjZXNzIjp0cnVlfQ=="
HTML = "<!doctype html><html><title>Payment required</title><p>Connect a wallet</p></html>"

ABSENT = object()  # the member is left out

Value = dict[str, object]


class Case(NamedTuple):
    """One hand-built artefact, with the sentence it proves."""

    name: str
    proves: str
    artefact: Value


def case(name: str, proves: str, /, **artefact: object) -> Case:
    """Name an artefact by its members."""
    return Case(name, proves, artefact)


def changed(value: Value, changes: Value) -> Value:
    """Give the object with members set, or left out where `ABSENT`."""
    merged = {**value, **changes}
    return {name: member for name, member in merged.items() if member is not ABSENT}


def v1_entry(**changes: object) -> Value:
    """Build a requirements entry as version 1 servers write it."""
    plain: Value = {
        "scheme": "exact",
        "network": "base",
        "maxAmountRequired": "2500",
        "resource": URL,
        "description": "daily report",
        "mimeType": "application/json",
        "payTo": PAYEE,
        "maxTimeoutSeconds": 60,
        "asset": ASSET,
    }
    return changed(plain, changes)


def v2_entry(**changes: object) -> Value:
    """Build a requirements entry as version 2 servers write it."""
    plain: Value = {
        "scheme": "exact",
        "network": "eip155:8453",
        "amount": "2500",
        "asset": ASSET,
        "payTo": PAYEE,
        "maxTimeoutSeconds": 60,
    }
    return changed(plain, changes)


def v1(*entries: object, **changes: object) -> Value:
    """Build a version 1 challenge; without entries, one ordinary entry."""
    return changed({"x402Version": 1, "accepts": list(entries) or [v1_entry()]}, changes)


def v2(*entries: object, **changes: object) -> Value:
    """Build a version 2 challenge; without entries, one ordinary entry."""
    plain: Value = {"x402Version": 2, "resource": {"url": URL}, "accepts": list(entries) or [v2_entry()]}
    return changed(plain, changes)


def text(value: object) -> str:
    """Write compact JSON."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def coded(content: str | bytes) -> str:
    """Write standard padded base64 on one line."""
    octets = content.encode() if isinstance(content, str) else content
    return base64.b64encode(octets).decode()


def header(value: object) -> str:
    """Write a challenge as the official servers put it into PAYMENT-REQUIRED."""
    return coded(text(value))


def padded_to(padding: str) -> str:
    """Write a version 2 header whose standard base64 ends in exactly this padding."""
    return _first(lambda value: value.endswith(padding) and not value.endswith("=" + padding), "")


def with_both_signs() -> str:
    """Write a version 2 header whose standard base64 holds `+` and `/`, so that the alphabet shows."""
    return _first(lambda value: "+" in value and "/" in value, "???>>>~~~")


def _first(wanted: Callable[[str], bool], filler: str) -> str:
    candidates = (header(v2(error="." * length + filler * 3)) for length in range(12))
    return next(value for value in candidates if wanted(value))


def nested(depth: int) -> str:
    """Write a version 2 body that holds `depth` containers open at its deepest."""
    inside = depth - 1  # the challenge itself is the first
    return text(v2())[:-1] + ',"extensions":' + "[" * inside + "]" * inside + "}"
