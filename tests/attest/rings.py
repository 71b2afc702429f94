"""Keys, moments and rings for tests. The keys are made of counted bytes: nothing is signed with them elsewhere."""

from datetime import UTC, datetime, timedelta

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assay402.attest.keys import KeyRing, Signer, Verifier, kid_of, public_bytes
from assay402.attest.publication import KeySet

DID = "did:web:assay.example"
NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
DAY = timedelta(hours=24)


def private(number: int) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)


def signer(number: int = 1, did: str = DID) -> Signer:
    key = private(number)
    return Signer(kid_of(did, public_bytes(key)), key)


def ring(*numbers: int, did: str = DID) -> KeyRing:
    """Make a ring of keys without an end to their time."""
    signers = tuple(signer(number, did) for number in numbers or (1,))
    keys = tuple(Verifier(kid=each.kid, public=each.public) for each in signers)
    return KeyRing(did=did, keys=keys, signers=signers)


def key_set(of: KeyRing) -> KeySet:
    """Give the public keys of a ring by their names."""
    return {key.kid: key for key in of.keys}
