"""The door of `formats.transcript`: every vector, and what the vectors cannot say."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from assay402.core import strictjson
from assay402.core.errors import JSONUnreadable
from assay402.formats import transcript
from assay402.formats.transcript import NOTICES, TranscriptUnreadable, capture, exchange

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "vectors" / "transcript"
RESPONSE = b"HTTP/1.1 402 Payment Required\r\nContent-Length: 2\r\n\r\n{}"


def cases() -> list[Any]:
    return [
        pytest.param(case, id=f"{path.stem}: {case['description']}")
        for path in sorted(VECTORS.glob("*.json"))
        for case in json.loads(path.read_text())
    ]


def source(case: dict[str, Any]) -> bytes:
    if "input_text" in case:
        text: str = case["input_text"]
        return text.encode()
    return base64.b64decode(case["input_base64"], validate=True)


@pytest.mark.parametrize("case", cases())
def test_every_vector_gives_its_artefact_or_its_code(case: dict[str, Any]) -> None:
    if "code" in case:
        with pytest.raises(TranscriptUnreadable) as caught:
            exchange(source(case), entry=case.get("entry"), having=case.get("having"))
        assert caught.value.code == case["code"]
        assert caught.value.numbers == case.get("numbers", {})
    else:
        artefact = capture(source(case), entry=case.get("entry"))
        assert json.loads(strictjson.write(artefact)) == case["expected"]


def test_the_vectors_show_every_code_and_the_notices_explain_every_code() -> None:
    shown = {case.values[0]["code"] for case in cases() if "code" in case.values[0]}
    raised: set[str] = set()
    for module in (ROOT / "src" / "assay402" / "formats").glob("*.py"):
        raised |= set(re.findall(r'TranscriptUnreadable\("(\w+)"', module.read_text()))
    documented = set(re.findall(r"`((?:transcript|har)_\w+)`", TranscriptUnreadable.__doc__ or ""))
    assert shown == raised == documented == set(NOTICES)


def test_an_artefact_holds_only_members_of_the_input_contract_in_its_order() -> None:
    order = [
        "status",
        "body_raw",
        "payment_required_header",
        "payload_obj",
        "payload_headers",
        "response_headers",
    ]
    for case in cases():
        if "expected" in case.values[0]:
            made = list(capture(source(case.values[0]), entry=case.values[0].get("entry")))
            assert made == [name for name in order if name in made]


def test_numbers_in_a_payload_keep_their_spelling() -> None:
    payload = base64.b64encode(b'{"scheme":"exact","n":1.0,"m":123456789012345678901234567890}').decode()
    text = f"> GET / HTTP/1.1\r\n> X-PAYMENT: {payload}\r\n> \r\n< HTTP/1.1 200 OK\r\n< \r\n"
    written = strictjson.write(capture(text.encode())["payload_obj"])
    assert written == b'{"scheme":"exact","n":1.0,"m":123456789012345678901234567890}'


@pytest.mark.parametrize(
    "body", [b'{"a":"\xff"}', b'"\xc3"', b"\xff", b'\xed\xa0\x80{"accepts":[1]}', b"[\x80]"]
)
def test_a_body_that_is_not_utf_8_never_becomes_json(body: bytes) -> None:
    made = capture(b"HTTP/1.1 402 x\r\n\r\n" + body)["body_raw"]
    with pytest.raises(JSONUnreadable):
        strictjson.read(made)


def test_secrets_of_a_paid_exchange_stay_behind() -> None:
    for case in cases():
        if "expected" in case.values[0]:
            made = capture(source(case.values[0]), entry=case.values[0].get("entry"))
            assert b"secret" not in strictjson.write(made)


def test_an_error_quotes_nothing_of_the_file() -> None:
    with pytest.raises(TranscriptUnreadable) as caught:
        capture(b'{"log": canary')
    assert str(caught.value) == "har_malformed position=8"


def test_the_form_is_found_whatever_stands_before_it() -> None:
    assert capture(b"{ [5 bytes data]\n" + RESPONSE) == capture(RESPONSE)


def test_the_module_offers_its_error_to_those_who_import_the_door() -> None:
    assert transcript.TranscriptUnreadable("transcript_empty").code == "transcript_empty"


def test_a_header_looked_for_chooses_the_last_response_that_has_it() -> None:
    """Of several saved answers the signed one is meant."""
    entries = [
        {
            "request": {"headers": []},
            "response": {"status": 200, "headers": headers, "content": {"text": str(number)}},
        }
        for number, headers in enumerate([[], [{"name": "assay-signature", "value": "v"}], []])
    ]
    archive = json.dumps({"log": {"entries": entries}}).encode()
    assert exchange(archive, having="Assay-Signature").body == b"1"
    assert exchange(archive, having="Assay-Signature", entry=2).body == b"2"
    assert exchange(RESPONSE, having="Assay-Signature").headers == (("Content-Length", "2"),)
