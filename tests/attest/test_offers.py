"""Offers and receipts as x402's extension has them."""

import json
from datetime import timedelta
from typing import Any

import jsonschema_rs
import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.attest.base64url import decode_url
from assay402.attest.jws import Invalid
from assay402.attest.offers import (
    Signed,
    offers_extension,
    receipt_extension,
    sign_offer,
    sign_receipt,
    verify_artifact,
)
from assay402.attest.publication import read_keys
from assay402.core.strictjson import read, write
from attest.rings import NOW, key_set, ring, signer
from vectors import VECTORS, cases

OFFERS = json.loads((VECTORS / "attest" / "offers.json").read_bytes())
PUBLISHED = read_keys(json.dumps(OFFERS["keys"]).encode())
REQUIREMENTS = OFFERS["requirements"]
URL = OFFERS["resource_url"]
KEYS = key_set(ring(1))


def decoded(artifact: Any) -> tuple[Any, bytes]:
    header, payload, _ = artifact["signature"].split(".")
    return json.loads(decode_url(header) or b""), decode_url(payload) or b""


@pytest.mark.parametrize("case", cases("attest/offers.json"), ids=lambda case: case["id"])
def test_a_verifier_says_of_an_artifact_what_the_vector_expects(case: Any) -> None:
    outcome = verify_artifact(read(json.dumps(case["artifact"])), PUBLISHED)
    if isinstance(outcome, Invalid):
        assert {"valid": False, "code": outcome.code} == case["expected"]
    else:
        payload = json.loads(write(outcome.payload))
        assert {"valid": True, "kind": outcome.kind, "kid": outcome.kid, "payload": payload} == case[
            "expected"
        ]


def test_an_offer_has_the_members_of_the_extension_and_no_others() -> None:
    offer = sign_offer(signer(), URL, REQUIREMENTS, valid_until=NOW + timedelta(seconds=300), accept_index=1)
    header, payload = decoded(offer)
    assert offer.keys() == {"format", "acceptIndex", "signature"}
    assert header == {"alg": "EdDSA", "kid": signer().kid}
    assert json.loads(payload) == {
        "version": 1,
        "resourceUrl": URL,
        "scheme": "exact",
        "network": "eip155:8453",
        "asset": REQUIREMENTS["asset"],
        "payTo": REQUIREMENTS["payTo"],
        "amount": "10000",
        "validUntil": int(NOW.timestamp()) + 300,
    }
    outcome = verify_artifact(offer, KEYS)
    assert isinstance(outcome, Signed)
    assert outcome.kind == "offer"


def test_a_receipt_names_its_transaction_only_where_it_is_given() -> None:
    given_values: Any = {"resource_url": URL, "network": "eip155:8453", "payer": "0xbb", "issued_at": NOW}
    private, public = (
        sign_receipt(signer(), **given_values),
        sign_receipt(signer(), **given_values, transaction="0x1"),
    )
    wanted = {
        "version": 1,
        "network": "eip155:8453",
        "resourceUrl": URL,
        "payer": "0xbb",
        "issuedAt": int(NOW.timestamp()),
    }
    assert json.loads(decoded(private)[1]) == wanted
    assert json.loads(decoded(public)[1]) == {**wanted, "transaction": "0x1"}
    outcome = verify_artifact(private, KEYS)
    assert isinstance(outcome, Signed)
    assert outcome.kind == "receipt"


@given(url=st.text(st.characters(exclude_categories=["Cs"])), amount=st.text("0123456789", min_size=1))
@settings(max_examples=50, deadline=None)
def test_the_payload_is_canonical_json(url: str, amount: str) -> None:
    """RFC 8785, by another library."""
    offer = sign_offer(signer(), url, {**REQUIREMENTS, "amount": amount}, valid_until=NOW)
    payload = decoded(offer)[1]
    assert payload == rfc8785.dumps(json.loads(payload))
    assert isinstance(verify_artifact(offer, KEYS), Signed)


@given(
    artifact=st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.sampled_from(["format", "signature", "payload", "x"]), inner, max_size=4),
            st.fixed_dictionaries({"format": st.just("jws"), "signature": st.text()}),
        ),
        max_leaves=6,
    )
)
@settings(max_examples=100, deadline=None)
def test_whatever_is_no_artifact_is_not_valid(artifact: Any) -> None:
    assert isinstance(verify_artifact(artifact, KEYS), Invalid)


def test_the_extension_carries_offers_and_receipt_under_info() -> None:
    """x402.md 3.3: `info.offers` in the challenge, `info.receipt` in the settlement."""
    offer = sign_offer(signer(), URL, REQUIREMENTS, valid_until=None)
    receipt = sign_receipt(signer(), resource_url=URL, network="eip155:1", payer="0x1", issued_at=NOW)
    offers, done = offers_extension([offer]), receipt_extension(receipt)
    assert (offers["info"], done["info"]) == ({"offers": [offer]}, {"receipt": receipt})
    schema: Any = offers["schema"]
    assert jsonschema_rs.is_valid(schema, offers["info"])
    assert not jsonschema_rs.is_valid(schema, {"offers": [{"format": "jws"}]})
    schema = done["schema"]
    assert jsonschema_rs.is_valid(schema, done["info"])
