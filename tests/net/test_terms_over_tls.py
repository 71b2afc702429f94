"""`verify` and `discover` against a real server behind TLS, with an authority made for the test."""

import asyncio
import base64
import gzip
import json
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assay402 import terms
from assay402.checks.terms import CHECK
from assay402.core.asks import Limits, adrive
from assay402.net.answerer import NetworkAnswerer
from assay402.net.connection import trust_with
from assay402.net.http import Fetcher
from tls_seller import DRIP, Seller, answer, tls_seller

TERMS = b"# Terms\r\n\xff\x00 exactly these bytes\n"
LARGE = b"x" * (2 << 20)


@pytest.fixture(scope="module")
def seller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seller]:
    with tls_seller(tmp_path_factory.mktemp("tls")) as running:
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        running.answers |= {
            "/terms": answer(200, TERMS),
            "/identity": answer(200, TERMS, "Content-Encoding: identity"),
            "/pieces": chunked + b"".join(b"1\r\n%c\r\n" % byte for byte in TERMS) + b"0\r\n\r\n",
            "/until-close": b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + TERMS,
            "/other": answer(200, TERMS + b"\n"),
            "/redirect": answer(302, b"", "Location: /terms"),
            "/large": answer(200, LARGE),
            "/large-in-pieces": chunked + b"200000\r\n" + LARGE + b"\r\n0\r\n\r\n",
            "/at-the-limit": answer(200, b"y" * (1 << 20)),
            "/gzip": answer(200, gzip.compress(TERMS), "Content-Encoding: gzip"),
            "/gzip-unsaid": answer(200, gzip.compress(TERMS)),
            "/short": answer(200, TERMS).replace(b"Content-Length: ", b"Content-Length: 1"),
            "/drip": DRIP,
            "/\u00e9".encode().decode("latin-1"): answer(200, TERMS),
        }
        yield running


def run(
    operation_name: str, request: Any, seller: Seller, *, allow_private: bool = True, trust: Any = None
) -> Any:
    """Run an operation on the network and give what it publishes; two seconds stand for the ten."""
    operation = CHECK.operation(operation_name)
    fetcher = Fetcher(
        allow_private=allow_private,
        trust=trust or trust_with(seller.ca_file),
        limits=Limits(deadline_ms=2_000, body_bytes=1 << 20, wire_bytes=8 << 20),
    )
    given = operation.admit(request, allow_private=allow_private)
    return operation.publish(asyncio.run(adrive(operation.run(given), NetworkAnswerer(fetcher))))


def challenge(seller: Seller, path: str) -> Any:
    advertisement = {
        "ref": {"type": "sha256", "value": terms.hash_terms(TERMS)},
        "termsUrl": seller.url(path),
    }
    return terms.place(advertisement, {"x402Version": 2, "accepts": [{"scheme": "exact"}]})["value"]


@pytest.mark.parametrize("path", ["/terms", "/identity", "/pieces", "/until-close"])
def test_bytes_that_are_the_advertised_ones_match(seller: Seller, path: str) -> None:
    found = run("verify", {"doc": challenge(seller, path)}, seller)
    assert (found["outcome"], found["bytes"]) == ("match", len(TERMS))


@pytest.mark.parametrize(
    ("path", "code", "detail"),
    [
        ("/other", "hash-mismatch", None),
        ("/at-the-limit", "hash-mismatch", None),
        ("/gzip-unsaid", "hash-mismatch", None),
        ("/redirect", "atr-unfetchable", "status 302"),
        ("/missing", "atr-unfetchable", "status 404"),
        ("/gzip", "atr-unfetchable", 'content coding "gzip"'),
        ("/short", "atr-unfetchable", "protocol"),
        ("/drip", "atr-unfetchable", "deadline"),
        ("/large", "atr-too-large", "body_cap"),
        ("/large-in-pieces", "atr-too-large", "body_cap"),
    ],
)
def test_anything_else_is_declined(seller: Seller, path: str, code: str, detail: str | None) -> None:
    found = run("verify", {"doc": challenge(seller, path)}, seller)
    assert (found["outcome"], found["code"]) == ("decline", code)
    if detail is not None:
        assert found["detail"] == detail


def test_a_private_address_is_not_contacted(seller: Seller) -> None:
    before = len(seller.requests)
    found = run("verify", {"doc": challenge(seller, "/terms")}, seller, allow_private=False)
    assert (found["code"], found["detail"]) == ("atr-unfetchable", "host_single_label")
    loopback = challenge(seller, "/terms")
    loopback["extensions"]["legalContext"]["info"]["legalContextUrl"] = "https://127.0.0.1/terms"
    loopback["accepts"] = []
    found = run("verify", {"doc": loopback}, seller, allow_private=False)
    assert (found["code"], found["detail"]) == ("atr-unfetchable", "addr_loopback")
    assert len(seller.requests) == before


def test_a_certificate_nobody_vouches_for_is_declined(seller: Seller) -> None:
    stranger = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    found = run("verify", {"doc": challenge(seller, "/terms")}, seller, trust=stranger)
    assert (found["code"], found["detail"]) == ("atr-unfetchable", "tls")


def test_the_request_asks_for_no_coding(seller: Seller) -> None:
    run("verify", {"doc": challenge(seller, "/terms")}, seller)
    assert b"accept-encoding: identity" in seller.requests[-1].lower()


def test_an_endpoint_is_asked_and_its_terms_are_fetched(seller: Seller) -> None:
    offer = json.dumps(challenge(seller, "/terms")).encode()
    header = f"PAYMENT-REQUIRED: {base64.b64encode(offer).decode()}"
    seller.answers |= {"/pay": answer(402, b"{}", header), "/free": answer(200, b"{}", header)}
    assert run("verify", {"url": seller.url("/pay")}, seller)["outcome"] == "match"
    assert run("verify", {"url": seller.url("/free")}, seller)["detail"] == "terms/not-a-402"
    closed = run("verify", {"url": seller.url("/pay")}, seller, allow_private=False)
    assert (closed["code"], closed["detail"]) == ("offer-unreadable", "host_single_label")


def test_a_listing_is_discovered_and_held_to_its_word(seller: Seller) -> None:
    listing = {"terms": seller.url("/terms"), "atrHash": terms.hash_terms(TERMS), "termsFormat": "markdown"}
    seller.answers["/.well-known/legal-context.json"] = answer(200, json.dumps(listing).encode())
    found = run("discover", {"origin": seller.origin}, seller)
    assert found["ok"]
    assert found["listing"] == listing
    seller.answers["/.well-known/legal-context.json"] = answer(200, b" " * 65_537)
    assert run("discover", {"origin": seller.origin}, seller)["code"] == "listing-too-large"
    del seller.answers["/.well-known/legal-context.json"]
    assert run("discover", {"origin": seller.origin}, seller)["detail"] == "status 404"


def test_a_file_of_authorities_that_is_none_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    path.write_text("nothing")
    for name in (path, tmp_path / "missing.pem"):
        with pytest.raises(OSError, match=r"."):
            trust_with(str(name))
