"""`assay verify` as a buyer meets it: whatever form the answer was saved in."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.attest.offers import sign_receipt
from assay402.attest.publication import did_document, jwks
from assay402.attest.signature import enveloped, sign_answer
from assay402.cli.verify import _given, _judged
from assay402.core.errors import TheirError
from attest.rings import NOW, key_set, ring, signer
from cli.published_keys import published
from cli.test_cli import assay

BODY = '{"verdict":"ACCEPT","note":"é"}\n'.encode()
VALUE = sign_answer(BODY, signer(1), issued_at=NOW, version="test 1")
RECEIPT = sign_receipt(
    signer(1), resource_url="https://assay.example/x", network="eip155:8453", payer="0x1", issued_at=NOW
)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    headers = [{"name": "Assay-Signature", "value": VALUE}]
    content = {"text": base64.b64encode(BODY).decode(), "encoding": "base64"}
    entry = {"request": {"headers": []}, "response": {"status": 200, "headers": headers, "content": content}}
    named = {
        "keys.json": jwks(ring(1, 2)),
        "did.json": did_document(ring(1)),
        "others.json": jwks(ring(3)),
        "body.json": BODY,
        "signature.txt": f"Assay-Signature: {VALUE}\r\n".encode(),
        "value.txt": VALUE.encode() + b"\n",
        "document.json": enveloped(BODY, VALUE),
        "compact.txt": VALUE.replace(
            "..", f".{base64.urlsafe_b64encode(BODY).decode().rstrip('=')}."
        ).encode(),
        "saved.txt": b"HTTP/1.1 200 OK\r\nassay-signature: %s\r\nContent-Length: %d\r\n\r\n%s"
        % (VALUE.encode(), len(BODY), BODY),
        "saved.har": json.dumps({"log": {"entries": [entry]}}).encode(),
        "unsigned.txt": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        "twice.txt": b"HTTP/1.1 200 OK\r\nAssay-Signature: a\r\nAssay-Signature: b\r\n\r\n{}",
        "receipt.json": json.dumps(RECEIPT).encode(),
    }
    for name, data in named.items():
        (tmp_path / name).write_bytes(data)
    return {name: str(tmp_path / name) for name in named}


@pytest.mark.parametrize("name", ["document.json", "compact.txt", "saved.txt", "saved.har"])
def test_an_answer_is_verified_in_every_form_it_is_saved_in(name: str, files: dict[str, str]) -> None:
    run = assay("verify", files[name], "--keys", files["keys.json"])
    assert (run.returncode, run.stderr) == (0, b"")
    for words in ("VALID", signer(1).kid, "2026-03-01T12:00:00Z", "test 1"):
        assert words in run.stdout.decode()
    assert assay("verify", files[name], "--keys", files["did.json"], "--body").stdout == BODY


@pytest.mark.parametrize("signature", ["signature.txt", "value.txt", None])
def test_a_body_is_verified_by_a_signature_beside_it(signature: str | None, files: dict[str, str]) -> None:
    given = VALUE if signature is None else files[signature]
    run = assay("verify", "-", "--signature", given, "--keys", files["keys.json"], "--json", stdin=BODY)
    told = json.loads(run.stdout)
    assert run.returncode == 0
    assert (told["valid"], told["code"], told["kind"], told["kid"]) == (True, None, "answer", signer(1).kid)
    assert (told["issued_at"], told["criteria"], told["bytes"]) == (
        "2026-03-01T12:00:00Z",
        "test 1",
        len(BODY),
    )


def test_what_is_not_valid_exits_1_and_says_why(files: dict[str, str]) -> None:
    changed = assay("verify", "-", "--signature", VALUE, "--keys", files["keys.json"], stdin=BODY[:-1])
    assert changed.returncode == 1
    assert b"NOT VALID  signature_wrong" in changed.stdout
    others = assay("verify", files["saved.txt"], "--keys", files["others.json"], "--json")
    assert (others.returncode, json.loads(others.stdout)) == (
        1,
        {"valid": False, "code": "signature_key_unknown"},
    )
    twice = assay("verify", files["twice.txt"], "--keys", files["keys.json"], "--json")
    assert (twice.returncode, json.loads(twice.stdout)["code"]) == (1, "signature_malformed")
    assert assay(
        "verify", files["document.json"], "--keys", files["others.json"], "--body"
    ).stdout.startswith(b"NOT")


def test_a_receipt_of_x402_is_verified_and_shown(files: dict[str, str]) -> None:
    run = assay("verify", files["receipt.json"], "--keys", files["keys.json"], "--json")
    told = json.loads(run.stdout)
    assert (run.returncode, told["kind"], told["payload"]["payer"]) == (0, "receipt", "0x1")
    shown = assay("verify", files["receipt.json"], "--keys", files["keys.json"]).stdout.decode()
    assert "VALID  receipt" in shown
    assert "issuedAt: 1772366400" in shown


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("unsigned.txt", "--keys", "keys.json"), "signature_missing"),
        (("body.json", "--keys", "keys.json"), "signature_missing"),
        (("keys.json", "--keys", "keys.json"), "signature_missing"),
        (("value.txt", "--keys", "body.json"), "keys_malformed"),
        (("saved.har", "--entry", "7", "--keys", "keys.json"), "har_entry_out_of_range"),
        (("saved.txt", "--entry", "0", "--keys", "keys.json"), "transcript_not_har"),
        (("others.json", "--signature", "others.json", "--keys", "missing"), "usage"),
        (("saved.txt", "--keys", "keys.json", "--json", "--body"), "usage"),
        (("saved.txt",), "usage"),
    ],
)
def test_what_cannot_be_judged_exits_2(arguments: Any, code: str, files: dict[str, str]) -> None:
    run = assay("verify", *(files.get(each, each) for each in arguments))
    assert (run.returncode, run.stdout) == (2, b"")
    assert code in run.stderr.decode()


def test_keys_are_fetched_from_the_service_that_publishes_them(files: dict[str, str]) -> None:
    with published(
        {"/.well-known/jwks.json": jwks(ring(1)), "/.well-known/did.json": did_document(ring(1))}
    ) as url:
        for address in (url, f"{url}/", f"{url}/.well-known/did.json"):
            run = assay("verify", files["saved.txt"], "--keys", address, "--allow-private")
            assert (run.returncode, run.stderr) == (0, b"")
        missing = assay("verify", files["saved.txt"], "--keys", f"{url}/none", "--allow-private")
        assert (missing.returncode, b"keys_malformed status=404" in missing.stderr) == (2, True)
        guarded = assay("verify", files["saved.txt"], "--keys", url)
        assert (guarded.returncode, guarded.stdout) == (2, b"")
    gone = assay("verify", files["saved.txt"], "--keys", url, "--allow-private")
    assert (gone.returncode, b"unreachable" in gone.stderr) == (2, True)
    unusable = assay("verify", files["saved.txt"], "--keys", url, "--ca-file", files["saved.txt"])
    assert (unusable.returncode, b"ca_file_unreadable" in unusable.stderr) == (2, True)


@given(
    start=st.sampled_from(
        [b"", b"{", b"[", b"HTTP/1.1 200 OK\r\nAssay-Signature: ", b'{"format":"jws","signature":"']
    ),
    rest=st.one_of(st.binary(max_size=80), st.sampled_from([VALUE.encode(), enveloped(BODY, VALUE)])),
)
@settings(max_examples=100, deadline=None)
def test_whatever_is_given_is_judged_or_refused_by_a_code(start: bytes, rest: bytes) -> None:
    try:
        outcome = _judged(_given(start + rest, None, None), key_set(ring(1)))
    except TheirError as error:
        assert error.code
    else:
        assert outcome is not None
