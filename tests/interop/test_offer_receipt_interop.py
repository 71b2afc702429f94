"""The official TypeScript package reads and verifies our offers and receipts, and we verify its."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from assay402.attest.base64url import encode_url
from assay402.attest.jws import Invalid
from assay402.attest.keys import KeyRing, Signer, Verifier, did_of, kid_of, public_bytes
from assay402.attest.offers import (
    Signed,
    offers_extension,
    receipt_extension,
    sign_offer,
    sign_receipt,
    verify_artifact,
)
from assay402.attest.publication import did_document
from assay402.attest.signature import enveloped, sign_answer
from assay402.core.canon import canonical
from attest.rings import key_set, private
from cli.published_keys import published
from interop.node_client import run_node

URL = "https://assay.example/dialect-check/check"
REQUIREMENTS: dict[str, Any] = {
    "scheme": "exact",
    "network": "eip155:8453",
    "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    "payTo": "0x00000000000000000000000000000000000000aa",
    "amount": "10000",
    "maxTimeoutSeconds": 300,
}
TERMS = ("scheme", "network", "asset", "payTo", "amount")
SCRIPT = """
import { readFileSync } from "node:fs";
import * as x402 from "@x402/extensions";
import * as jose from "jose";
const given = JSON.parse(readFileSync(process.argv[2]));
const offers = x402.extractOffersFromPaymentRequired({ extensions: { "offer-receipt": given.offers } });
const offer = x402.decodeSignedOffers(offers)[0];
const key = await jose.importJWK(given.jwk, "EdDSA");
const receipt = given.receipt.info.receipt;
const bad = { ...offers[0], signature: offers[0].signature.slice(0, -4) + "AAAA" };
const signer = {
  kid: given.kid, format: "jws", algorithm: "EdDSA",
  sign: async (data) => Buffer.from(await crypto.subtle.sign("Ed25519", await crypto.subtle.importKey(
    "jwk", { ...given.jwk, d: given.d }, "Ed25519", false, ["sign"]), data)).toString("base64url"),
};
const input = { ...given.requirements, acceptIndex: 0, offerValiditySeconds: 60 };
console.log(JSON.stringify({
  byDid: await x402.verifyOfferSignatureJWS(offers[0]),
  byKey: await x402.verifyOfferSignatureJWS(offers[0], given.jwk),
  receiptByDid: await x402.verifyReceiptSignatureJWS(receipt),
  about: x402.findAcceptsObjectFromSignedOffer(offer, [given.requirements]),
  matches: x402.verifyReceiptMatchesOffer(receipt, offer, ["0xbb"]),
  refused: await x402.verifyOfferSignatureJWS(bad, given.jwk).then(() => false, () => true),
  theirOffer: await x402.createOfferJWS(given.url, input, signer),
  theirReceipt: await x402.createReceiptJWS(
    { resourceUrl: given.url, network: given.requirements.network, payer: "0xbb" }, signer),
  canonical: given.values.map((value) => x402.canonicalize(value)),
  answer: new TextDecoder().decode((await jose.flattenedVerify(given.document, key)).payload),
}));
"""
# Not among them: control characters, which the package writes as \u00XX where RFC 8785 has the short escapes.
VALUES: list[Any] = [{"b": 1, "a": [True, None, "é"]}, {"€": "x", "1": 1}, {"😀": 1, "ﬀ": 2}, "text", 10**20]


def test_the_official_package_and_ours_verify_each_other(node_packages: Path, tmp_path: Path) -> None:
    """The public key is found by the official client itself, through our did:web document on loopback."""
    now = datetime.now(UTC)
    documents: dict[str, bytes] = {}
    with published(documents) as address:
        did = did_of(address)
        signer = Signer(kid_of(did, public_bytes(private(1))), private(1))
        ring = KeyRing(did=did, keys=(Verifier(kid=signer.kid, public=signer.public),), signers=(signer,))
        documents["/.well-known/did.json"] = did_document(ring)
        given = given_to_node(signer, now)
        path = tmp_path / "given.json"
        path.write_text(json.dumps(given))
        run = run_node(node_packages, SCRIPT, str(path))
    assert run.returncode == 0, run.stderr
    told = json.loads(run.stdout)
    assert (
        told["byDid"]
        == told["byKey"]
        == {
            "version": 1,
            "resourceUrl": URL,
            **{name: REQUIREMENTS[name] for name in TERMS},
            "validUntil": int((now + timedelta(seconds=300)).timestamp()),
        }
    )
    assert told["receiptByDid"]["payer"] == "0xbb"
    assert (told["about"], told["matches"], told["refused"]) == (REQUIREMENTS, True, True)
    assert [text.encode() for text in told["canonical"]] == [canonical(value) for value in VALUES]
    assert told["answer"] == '{"answer":"é"}'
    theirs = (
        verify_artifact(told["theirOffer"], key_set(ring)),
        verify_artifact(told["theirReceipt"], key_set(ring)),
    )
    assert [each.kind for each in theirs if not isinstance(each, Invalid)] == ["offer", "receipt"]
    assert isinstance(theirs[0], Signed)
    assert theirs[0].payload["resourceUrl"] == URL
    assert all(theirs[0].payload[name] == REQUIREMENTS[name] for name in TERMS)


def given_to_node(signer: Signer, now: datetime) -> dict[str, Any]:
    offer = sign_offer(signer, URL, REQUIREMENTS, valid_until=now + timedelta(seconds=300), accept_index=0)
    receipt = sign_receipt(signer, resource_url=URL, network="eip155:8453", payer="0xbb", issued_at=now)
    body = '{"answer":"é"}'.encode()
    document = enveloped(body, sign_answer(body, signer, issued_at=now, version="test 1"))
    return {
        "url": URL,
        "kid": signer.kid,
        "jwk": {"kty": "OKP", "crv": "Ed25519", "x": encode_url(signer.public)},
        "d": encode_url(private(1).private_bytes_raw()),
        "requirements": REQUIREMENTS,
        "offers": offers_extension([offer]),
        "receipt": receipt_extension(receipt),
        "document": json.loads(document),
        "values": VALUES,
    }
