"""Random artefacts, drawn broadly and with ill will over every branch of the dialect rules.

Only artefacts that pass admission come out: right member types, one form of each leg, and at least one of a
body, a header or a payload. The same generator state gives the same artefact on every Python this project runs on.
"""

import json
import random
from collections.abc import Callable
from typing import NamedTuple

from dialect_shapes import Value, coded

_NAMES = ("PAYMENT-SIGNATURE", "X-PAYMENT", "X-Payment-Tx")
_RECEIPTS = ("X-PAYMENT-RESPONSE", "PAYMENT-RESPONSE")
_NEAR_NAMES = (
    "PAYMENT-REQUIRED", "X-PAYMENT-REQUIRED", "X-PAYMENT-REQUIREMENTS", "X_PAYMENT", "PAYMENT_SIGNATURE",
    "X-PAYMENTS", "PAYMENT-RESPONSES", "X-PAYMENT-RESPONSE-TX", "PAYMENT-\u017fIGNATURE", "PAYMENT-RE\u017fPONSE",
    " X-PAYMENT", "X-PAYMENT ", "X-PAYMENT:", "Content-Type", "Authorization", "PAYMENT", "",
)  # fmt: skip
_GLUE = (
    "", "", "", " ", " ", " ", ", ", " or ", ".", "-", "_", "2", "a", "é", "\u212a", "\u017f", "\u2011", "\n", ":",
    '"', "/", "\\", "\u0000", "\ud83d", "💶",
)  # fmt: skip
_SLUGS = ("base", "base-sepolia", "solana", "solana-devnet", "x", "evm", "polygon-", "a1-2", "no-such-chain")
_CAIPS = (
    "eip155:8453", "eip155:1", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "solana:mainnet", "abc:_", "---:-",
    "12345678:" + "Z9" * 16,
)  # fmt: skip
_NEAR_NETWORKS: tuple[object, ...] = (
    "Base", "base_sepolia", "8453", "-base", "base ", "base\n", "ba\u017fe", "basé", "", "base:", ":base", "ab:1",
    "123456789:1", "eip155:" + "1" * 33, "EIP155:1", "eip155:1:2", "eip155:8453\n", " eip155:1", "eip155:a.b",
    "eip155:\u0661", "eip\u0661:1", "cloudflare:402", "algorand:x/y+z=", "eip155", 8453, None, True, [], ["base"],
    {"id": "eip155:1"},
)  # fmt: skip
_AMOUNTS: tuple[object, ...] = ("1000", "$0.01", "", 1000, 0, False, [], {}, "null")
_STATUSES = (100, 200, 204, 301, 302, 400, 401, 403, 404, 405, 429, 500, 503, 999)
_NOT_OBJECTS: tuple[object, ...] = (None, "exact", 0, True, [], [{"network": "base", "amount": "1"}])


class Spelt(NamedTuple):
    """JSON text to stand in a raw leg, and the value that stands for it where no text is written."""

    text: str
    value: object


class Pairs(NamedTuple):
    """An object as written: in order, and with its duplicates."""

    members: tuple[tuple[str, object], ...]


_VERSIONS: tuple[object, ...] = (
    Spelt("1", 1), Spelt("2", 2), Spelt("1", 1), Spelt("2", 2), Spelt("1", 1), Spelt("2", 2), Spelt("1.0", 1.0),
    Spelt("2.0", 2.0), Spelt("1e0", 1.0), Spelt("20E-1", 2.0), Spelt("0.2e+1", 2.0), Spelt("3", 3), Spelt("0", 0),
    Spelt("-1", -1), Spelt("-0", 0), Spelt("1" + "0" * 30, 10**30), "1", "2", "1.0", True, False, None, [1], {},
)  # fmt: skip


def random_artefact(rng: random.Random) -> Value:
    """Draw one artefact that passes admission."""
    has_body, has_header, has_payload = _chance(rng, 66), _chance(rng, 60), _chance(rng, 40)
    drawn: Value = {}
    if _chance(rng, 70):
        drawn["status"] = 402 if _chance(rng, 82) else rng.choice(_STATUSES)
    if has_body:
        tree = _leg(rng, "v1" if _chance(rng, 60) else "v2")
        if _chance(rng, 50):
            drawn["body_obj"] = _plain(tree)
        else:
            drawn["body_raw"] = _marred(rng, _written(rng, tree))
    if has_header:
        tree = _leg(rng, "v2" if _chance(rng, 70) else "v1")
        held = _plain(tree)
        if isinstance(held, dict) and _chance(rng, 45):
            drawn["header_obj"] = held
        else:
            drawn["payment_required_header"] = _encoded(rng, _written(rng, tree))
    if has_payload or not (has_body or has_header):
        drawn["payload_obj"] = _payload(rng)
    if _chance(rng, 40):
        drawn["payload_headers"] = _header_set(rng, _NAMES)
    if _chance(rng, 50):
        drawn["response_headers"] = _header_set(rng, _RECEIPTS)
    return drawn


def _chance(rng: random.Random, percent: int) -> bool:
    return rng.randrange(100) < percent


# --- the legs ----------------------------------------------------------------------------------------------


def _leg(rng: random.Random, dialect: str) -> object:
    """Draw what a leg holds: mostly a challenge, else something near one."""
    challenge = _challenge(rng, dialect)
    match rng.choices(("challenge", "wrapped", "flat", "other"), (80, 8, 6, 6))[0]:
        case "challenge":
            return challenge
        case "wrapped":
            wrapper = rng.choice(("detail", "x402", "payment", "data", "error", "resource", "accepts"))
            return Pairs(((wrapper, challenge),))
        case "flat":
            return _entry(rng, dialect)
        case _:
            return rng.choice((None, 0, False, "", "X-PAYMENT", [], [challenge], Pairs(())))


def _challenge(rng: random.Random, dialect: str) -> Pairs:
    members: list[tuple[str, object]] = []
    if _chance(rng, 80):
        own = Spelt(dialect[1:], int(dialect[1:]))
        members.append(("x402Version", own if _chance(rng, 50) else rng.choice(_VERSIONS)))
    if _chance(rng, 60):
        members.append(
            ("error", _error(rng) if _chance(rng, 90) else rng.choice((None, 5, ["X-PAYMENT"], Pairs(()))))
        )
    members.append(("accepts", _accepts(rng, dialect)))
    if _chance(rng, 25):
        place = rng.choice(
            ("message", "hint", "Error", "accept", "Accepts", "network", "amount", "x402version")
        )
        members.append((place, rng.choice((_error(rng), "base", None, 1))))
    if _chance(rng, 30):
        members.append(("description", "?>?~" * rng.randrange(1, 5)))  # base64 of it holds both signs
    if _chance(rng, 6):
        depth = rng.choice((125, 126, 127, 128, 129))  # the challenge around it is one more
        members.append(("extensions", Spelt("[" * depth + "]" * depth, [])))
    rng.shuffle(members)
    if _chance(rng, 12):
        name = rng.choice(members)[0]
        again = {"accepts": _accepts(rng, dialect), "x402Version": rng.choice(_VERSIONS)}.get(
            name, _error(rng)
        )
        members.insert(rng.randrange(len(members) + 1), (name, again))
    return Pairs(tuple(members))


def _accepts(rng: random.Random, dialect: str) -> object:
    match rng.choices(("one", "several", "odd first", "odd"), (72, 12, 7, 9))[0]:
        case "one":
            return [_entry(rng, dialect)]
        case "several":
            return [_entry(rng, dialect), _entry(rng, rng.choice(("v1", "v2")))]
        case "odd first":
            return [rng.choice(_NOT_OBJECTS), _entry(rng, dialect)][: rng.randrange(3)]
        case _:
            return rng.choice(([], None, "exact", 1, Pairs(()), _entry(rng, dialect), [Pairs(())]))


def _entry(rng: random.Random, dialect: str) -> Pairs:
    """Draw a requirements entry, true to the dialect about half of the time."""
    first = dialect == "v1"
    name, network = "maxAmountRequired" if first else "amount", rng.choice(_SLUGS if first else _CAIPS)
    members: list[tuple[str, object]] = [("scheme", "exact")] if _chance(rng, 70) else []
    if _chance(rng, 55):
        members += [(name, "1000"), ("network", network)]
    else:
        for amount in (
            "maxAmountRequired",
            "amount",
            rng.choice(("Amount", "maxAmount", "amount ", "price")),
        ):
            if _chance(rng, 45):
                members.append((amount, rng.choice(_AMOUNTS) if _chance(rng, 75) else None))
        if _chance(rng, 85):
            members.append(("network", rng.choice(rng.choice((_SLUGS, _CAIPS, _NEAR_NETWORKS)))))
    if _chance(rng, 10):
        members.append(rng.choice((("x402Version", 1), ("extra", {"amount": "1"}), ("error", "X-PAYMENT"))))
    rng.shuffle(members)
    if members and _chance(rng, 8):
        members.append((rng.choice(members)[0], rng.choice((None, "base", "eip155:1"))))
    return Pairs(tuple(members))


def _error(rng: random.Random) -> str:
    """Draw an error text: names in any case, glued to what may or may not bound them."""
    pieces = [rng.choice(("", "send ", "Payment required. ", "missing"))]
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3))):
        name = rng.choice(_NAMES) if _chance(rng, 85) else rng.choice((*_NEAR_NAMES, *_RECEIPTS))
        pieces += [rng.choice(_GLUE), _recased(rng, name), rng.choice(_GLUE)]
    return "".join(pieces)


def _recased(rng: random.Random, name: str) -> str:
    recase: Callable[[str], str] = rng.choice((str, str, str.lower, str.title, str.swapcase))
    return recase(name)


# --- the payment and the header sets -----------------------------------------------------------------------


def _payload(rng: random.Random) -> Value:
    payload = _placement(rng)
    if _chance(rng, 60):
        others: tuple[object, ...] = (None, [], "exact", [{"scheme": "exact"}], 1)
        payload["accepted"] = _placement(rng) if _chance(rng, 80) else rng.choice(others)
    if _chance(rng, 30):
        payload["payload"] = {"accepted": _placement(rng), **_placement(rng)}
    if _chance(rng, 10):
        return {rng.choice(("paymentPayload", "x402", "Accepted")): payload}
    return payload


def _placement(rng: random.Random) -> Value:
    drawn: Value = {}
    for name in ("scheme", "network", rng.choice(("Scheme", "networks", "x402Version"))):
        if _chance(rng, 40):
            drawn[name] = rng.choice(("exact", "base", None, None, "", 0, False, {}))
    return drawn


def _header_set(rng: random.Random, known: tuple[str, ...]) -> Value:
    drawn: Value = {}
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        name = rng.choice(known) if _chance(rng, 70) else rng.choice((*_NEAR_NAMES, *_NAMES, *_RECEIPTS))
        drawn[_recased(rng, name)] = rng.choice(
            ("e30=", "x", "", "X-PAYMENT", "PAYMENT-RESPONSE", None, ["x"], 1)
        )
    return drawn


# --- from a tree to a value, a text, a header --------------------------------------------------------------


def _plain(tree: object) -> object:
    match tree:
        case Spelt():
            return tree.value
        case Pairs():
            return {name: _plain(member) for name, member in tree.members}
        case list():
            return [_plain(item) for item in tree]
        case _:
            return tree


def _written(rng: random.Random, tree: object) -> str:
    """Write a tree as JSON, with blanks and escapes at random."""
    blank = rng.choice(("", "", "", " ", "\n", "\t", "\r\n "))
    match tree:
        case Spelt():
            return tree.text
        case Pairs():
            inner = [
                f"{_quoted(rng, name)}{blank}:{blank}{_written(rng, member)}" for name, member in tree.members
            ]
            return "{" + blank + f"{blank},".join(inner) + blank + "}"
        case list():
            return "[" + f",{blank}".join(_written(rng, item) for item in tree) + "]"
        case dict():
            return _written(rng, Pairs(tuple(tree.items())))
        case str():
            return _quoted(rng, tree)
        case _:
            return json.dumps(tree)


def _quoted(rng: random.Random, text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=_chance(rng, 50) or not _is_encodable(text))
    if text.isalnum() and _chance(rng, 6):
        at = rng.randrange(len(text))
        return json.dumps(text[:at])[:-1] + f"\\u{ord(text[at]):04x}" + json.dumps(text[at + 1 :])[1:]
    return quoted


def _is_encodable(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _marred(rng: random.Random, text: str) -> str:
    """Leave the text, or do to it what JSON bears or what it does not."""
    if _chance(rng, 72):
        return text
    added = rng.choice(
        (
            ',"n":NaN}',
            ',"n":Infinity}',
            ',"n":01}',
            ',"n":1.}',
            ",}",
            ',"n":1E+400}',
            ',"n":"\t"}',
            ',"n":"\\x"}',
        )
    )
    return rng.choice(
        (
            "\ufeff" + text, "\ufeff\ufeff" + text, " \ufeff" + text, text + "\ufeff", " \r\n\t" + text + "\n",
            "\u00a0" + text, text + "\x0b", text[:-1], text[: len(text) // 2], text + text, text + "}", text + ",",
            text.replace('"', "'"), text.replace(":", "=", 1), "//\n" + text, text[:-1] + added, text[:-1] + added, "",
            "<html>" + text, json.dumps(text), text + "\x00", ")]}'\n" + text,
        )
    )  # fmt: skip


def _encoded(rng: random.Random, text: str) -> str:
    """Write a header value: standard base64, its bearable variants, or something that is none."""
    if _chance(rng, 12):
        text = _marred(rng, text)
    signs = rng.choice(("", "", "\n", "  ")) + text  # shifts the padding
    octets = signs.encode()
    if _chance(rng, 8):
        octets = rng.choice(
            (
                text.encode("utf-16"),
                octets + b"\xff",
                octets.replace(b"exact", b"\xed\xa0\x80"),
                b"\xc3" + octets,
            )
        )
    value = coded(octets)
    bare = value.rstrip("=")
    safe = value.replace("+", "-").replace("/", "_")
    if _chance(rng, 45):
        return value
    return rng.choice(
        (
            bare, bare, bare + "=", bare + "==", bare + "===", safe, safe, safe.rstrip("="), f" \t{value}\r\n", f"{value} ",
            value.replace("+", "-"), value.replace("/", "_"), "-" + value, "+" + safe, value[:20] + "\n" + value[20:],
            value[:20] + " " + value[20:], "=" + value, bare[:10] + "=" + bare[10:], value + "A", bare + "A", bare[:-1],
            bare[:-1] + rng.choice("ABQRgfwxZ"), bare[: len(bare) // 2], value[:30] + "...", text, f'"{value}"', "", " ", "==",
            value + ", " + value, value + "\u00a0", "\x0c" + value, value.replace("=", "%3D"), value.swapcase(), coded(value),
        )
    )  # fmt: skip
