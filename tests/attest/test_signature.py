"""An answer is signed by its exact bytes, and whatever a verifier is given, it says valid or why not."""

import base64
import json
from typing import Any

import jwt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joserfc import jws as joserfc_jws
from joserfc.errors import SecurityWarning
from joserfc.jwk import OKPKey

from assay402.attest.base64url import encode_url
from assay402.attest.codes import NOTICES
from assay402.attest.jws import MAX_HEADER, MAX_PAYLOAD, Invalid, Parts, check, split
from assay402.attest.keys import Verifier, public_bytes
from assay402.attest.publication import read_keys
from assay402.attest.signature import Valid, enveloped, parts_of, sign_answer, verify_answer, verify_document
from attest.rings import NOW, key_set, private, ring, signer
from vectors import VECTORS, cases

KEYS = key_set(ring(1, 2))
ANSWERS = json.loads((VECTORS / "attest" / "answers.json").read_bytes())
PUBLISHED = read_keys(json.dumps(ANSWERS["keys"]).encode())
BODY = b'{"verdict":"ACCEPT"}'
VALUE = sign_answer(BODY, signer(1), issued_at=NOW, version="test 1")


def told(outcome: Valid | Invalid) -> dict[str, Any]:
    if isinstance(outcome, Invalid):
        return {"valid": False, "code": outcome.code}
    return {
        "valid": True,
        "kid": outcome.kid,
        "issued_at": outcome.issued_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "version": outcome.version,
    }


@pytest.mark.parametrize("case", cases("attest/answers.json"), ids=lambda case: case["id"])
def test_a_verifier_says_of_an_answer_what_the_vector_expects(case: Any) -> None:
    body = case["body"].encode()
    outcome = verify_answer(body, case["signature"], PUBLISHED)
    assert told(outcome) == case["expected"]
    if isinstance(outcome, Valid):
        assert outcome.body == body


@pytest.mark.parametrize(
    "case", [each for each in ANSWERS["cases"] if "signed_by" in each], ids=lambda case: case["id"]
)
def test_signing_gives_the_bytes_of_the_vector(case: Any) -> None:
    """Ed25519 is deterministic: an implementation can compare whole values."""
    jwk = ANSWERS["private_keys"][case["signed_by"]]
    outcome = verify_answer(case["body"].encode(), case["signature"], PUBLISHED)
    assert isinstance(outcome, Valid)
    number = {"retired": 1, "present": 2}[case["signed_by"]]
    signed = sign_answer(
        case["body"].encode(), signer(number), issued_at=outcome.issued_at, version=outcome.version
    )
    assert (signed, jwk["kid"]) == (case["signature"], signer(number).kid)


def test_the_published_signing_input_and_document_are_those_of_the_present_key() -> None:
    first = ANSWERS["cases"][0]
    header, _, signature = first["signature"].split(".")
    body = encode_url(first["body"].encode())
    assert ANSWERS["signing_input_of_present_key"] == f"{header}.{body}"
    assert ANSWERS["document_of_present_key"] == {
        "payload": body,
        "protected": header,
        "signature": signature,
    }


@given(body=st.binary(max_size=200), version=st.text("abc -.019", min_size=1, max_size=20))
@settings(max_examples=40, deadline=None)
def test_what_is_signed_verifies_in_every_form(body: bytes, version: str) -> None:
    value = sign_answer(body, signer(1), issued_at=NOW, version=version)
    wanted = Valid(body=body, kid=signer(1).kid, issued_at=NOW, version=version)
    document = enveloped(body, value)
    whole = value.replace("..", f".{encode_url(body)}.")
    assert verify_answer(body, value, KEYS) == wanted
    assert verify_answer(body, whole, KEYS) == wanted
    assert verify_document(document, KEYS) == wanted
    assert verify_document(whole.encode() + b"\n", KEYS) == wanted


@given(body=st.binary(min_size=1, max_size=60), at=st.integers(min_value=0), flip=st.integers(1, 255))
@settings(max_examples=60, deadline=None)
def test_a_changed_byte_is_never_valid(body: bytes, at: int, flip: int) -> None:
    value = sign_answer(body, signer(1), issued_at=NOW, version="test 1")
    changed = bytearray(body)
    changed[at % len(body)] ^= flip
    assert verify_answer(bytes(changed), value, KEYS) == Invalid(code="signature_wrong")
    signed = bytearray(enveloped(body, value))
    signed[at % len(signed)] ^= flip
    outcome = verify_document(bytes(signed), KEYS)
    assert isinstance(outcome, Invalid) or outcome.body == body


@given(
    text=st.one_of(
        st.text(), st.from_regex(r"[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]*", fullmatch=True)
    )
)
@settings(max_examples=150, deadline=None)
def test_a_verifier_never_raises_and_explains_itself(text: str) -> None:
    source = text.encode(errors="surrogatepass")
    for outcome in (
        verify_answer(BODY, text, KEYS),
        verify_answer(source, VALUE, KEYS),
        verify_document(source, KEYS),
        verify_document(b"{" + source, KEYS),
    ):
        assert isinstance(outcome, Invalid)
        assert outcome.code in NOTICES


@given(
    header=st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(["alg", "kid", "typ", "iat", "ver", "crit", "x"]), inner, max_size=6
            ),
        ),
        max_leaves=8,
    )
)
@settings(max_examples=150, deadline=None)
def test_a_header_of_any_shape_is_judged(header: Any) -> None:
    encoded = encode_url(json.dumps(header).encode())
    signature = encode_url(signer(1).sign(f"{encoded}.{encode_url(BODY)}".encode()))
    assert isinstance(verify_answer(BODY, f"{encoded}..{signature}", KEYS), Invalid)


@pytest.mark.parametrize(
    "document",
    [
        b"{}",
        b"[]",
        b"",
        b"{",
        b'{"payload":"","protected":"","signature":""}',
        b'{"payload":1,"protected":"a","signature":"b"}',
        b'{"payload":"","protected":"a","signature":"b","header":{}}',
        b'{"payload":"","payload":"","protected":"a","signature":"b"}',
        '{"payload":"é","protected":"a","signature":"b"}'.encode(),
        b'{"payload":"a.b","protected":"a","signature":"b"}',
    ],
)
def test_a_document_of_another_shape_is_malformed(document: bytes) -> None:
    assert verify_document(document, KEYS) == Invalid(code="signature_malformed")


def test_lengths_are_bounded() -> None:
    header = "A" * (MAX_HEADER + 4)
    assert check(Parts(header=header, payload="", signature="A"), KEYS) == Invalid(code="signature_too_long")
    assert split("A" * (MAX_PAYLOAD * 4 // 3 + 10_000)) == Invalid(code="signature_too_long")


def test_an_independent_library_verifies_an_answer() -> None:
    """PyJWT, whose compact form holds the payload."""
    whole = VALUE.replace("..", f".{encode_url(BODY)}.")
    decoded = jwt.PyJWS().decode_complete(whole, private(1).public_key(), algorithms=["EdDSA"])
    assert decoded["payload"] == BODY
    assert decoded["header"] == {
        "alg": "EdDSA",
        "kid": signer(1).kid,
        "typ": "assay-answer",
        "iat": int(NOW.timestamp()),
        "ver": "test 1",
    }
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.PyJWS().decode(whole, private(2).public_key(), algorithms=["EdDSA"])


def test_an_independent_library_verifies_the_document_and_the_detached_value() -> None:
    """joserfc, by the flattened form and by RFC 7515 appendix F."""
    key = OKPKey.import_key({"kty": "OKP", "crv": "Ed25519", "x": encode_url(public_bytes(private(1)))})
    document = json.loads(enveloped(BODY, VALUE))
    # Its default takes no header member beyond the registered ones.
    registry = joserfc_jws.JWSRegistry(algorithms=["EdDSA"], strict_check_header=False)
    with pytest.warns(SecurityWarning, match="RFC 9864"):
        verified = joserfc_jws.deserialize_json(document, key, registry=registry)
    with pytest.warns(SecurityWarning, match="RFC 9864"):
        compact = joserfc_jws.deserialize_compact(VALUE.encode(), key, payload=BODY, registry=registry)
    assert (verified.payload, compact.payload) == (BODY, BODY)


def test_the_raw_primitive_verifies_the_signing_input() -> None:
    """What the guide tells: nothing but base64url, a dot and Ed25519."""
    header, _, signature = VALUE.split(".")
    body = base64.urlsafe_b64encode(BODY).rstrip(b"=").decode()
    private(1).public_key().verify(base64.urlsafe_b64decode(signature + "=="), f"{header}.{body}".encode())


def test_what_another_library_signs_verifies_here() -> None:
    members = {"kid": signer(1).kid, "typ": "assay-answer", "iat": int(NOW.timestamp()), "ver": "v"}
    token = jwt.PyJWS().encode(BODY, private(1), algorithm="EdDSA", headers=members)
    outcome = verify_document(token.encode(), KEYS)
    assert outcome == Valid(body=BODY, kid=signer(1).kid, issued_at=NOW, version="v")


def test_a_key_without_noted_times_verifies_at_any_time() -> None:
    key = signer(1)
    bare = {key.kid: Verifier(kid=key.kid, public=key.public)}
    assert isinstance(verify_answer(BODY, VALUE, bare), Valid)


def test_parts_are_read_from_both_forms() -> None:
    assert parts_of(enveloped(BODY, VALUE)) == parts_of(VALUE.replace("..", f".{encode_url(BODY)}.").encode())
