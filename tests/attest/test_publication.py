"""Keys are published in two documents, made of the ring alone, and read back strictly."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.attest.codes import KeysUnusable
from assay402.attest.keys import KeyRing, Verifier
from assay402.attest.publication import MAX_KEYS, did_document, jwks, read_keys
from attest.rings import DAY, DID, NOW, key_set, ring, signer
from vectors import cases


@pytest.mark.parametrize("case", cases("attest/keys.json"), ids=lambda case: case["id"])
def test_a_set_of_keys_is_read_as_the_vector_expects(case: Any) -> None:
    source = case["document"].encode()
    if "code" in case["expected"]:
        with pytest.raises(KeysUnusable) as caught:
            read_keys(source)
        assert caught.value.code == case["expected"]["code"]
    else:
        assert list(read_keys(source)) == case["expected"]["kids"]


def test_both_documents_give_back_the_ring_with_its_times() -> None:
    old, new = signer(1), signer(2)
    keys = (
        Verifier(kid=old.kid, public=old.public, not_before=NOW, not_after=NOW + DAY),
        Verifier(kid=new.kid, public=new.public, not_before=NOW + DAY),
    )
    whole = KeyRing(did=DID, keys=keys, signers=())
    assert read_keys(jwks(whole)) == key_set(whole)
    assert read_keys(did_document(whole)) == key_set(whole)
    assert (jwks(whole), did_document(whole)) == (jwks(whole), did_document(whole))
    assert b'"d"' not in jwks(whole) + did_document(whole)


def test_keys_of_a_former_host_stay_in_the_jwks_alone() -> None:
    former, now = ring(1, did="did:web:old.example"), ring(2)
    both = KeyRing(did=DID, keys=former.keys + now.keys, signers=now.signers)
    assert list(read_keys(jwks(both))) == [former.keys[0].kid, now.keys[0].kid]
    document = json.loads(did_document(both))
    assert document["id"] == DID
    assert [each["id"] for each in document["verificationMethod"]] == [now.keys[0].kid]
    assert document["assertionMethod"] == [now.keys[0].kid]


def test_a_set_that_is_too_long_is_not_read() -> None:
    with pytest.raises(KeysUnusable):
        read_keys(jwks(ring()) + b" " * MAX_KEYS)


@given(
    document=st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(
                    [
                        "keys",
                        "kty",
                        "crv",
                        "x",
                        "kid",
                        "alg",
                        "use",
                        "nbf",
                        "verificationMethod",
                        "publicKeyJwk",
                        "id",
                    ]
                ),
                st.one_of(inner, st.sampled_from(["OKP", "Ed25519", "sig", "A" * 43])),
                max_size=8,
            ),
        ),
        max_leaves=12,
    )
)
@settings(max_examples=150, deadline=None)
def test_whatever_is_no_set_of_keys_has_a_code(document: Any) -> None:
    try:
        found = read_keys(json.dumps(document).encode())
    except KeysUnusable as error:
        assert error.code.startswith("keys_")
    else:
        assert all(len(key.public) == 32 for key in found.values())
