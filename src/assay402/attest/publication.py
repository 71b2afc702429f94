"""The public side of a key ring: the JWKS and the did:web document, and reading what a service published so.

Both documents are made from the ring alone and have the same bytes each time. A key that signs no more stays in them
for ever, so that what it signed can be verified; its `exp` says since when it does not sign.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, TypeAlias

from assay402.attest.base64url import decode_url, encode_url
from assay402.attest.codes import KeysUnusable
from assay402.attest.keys import PUBLIC_BYTES, KeyRing, Verifier
from assay402.core.errors import JSONUnreadable
from assay402.core.strictjson import JSON, RepeatedNames, integer, read, write

ALGORITHM: Final = "EdDSA"
"""The name we write for Ed25519 in JOSE. RFC 9864 prefers `Ed25519`, which some libraries do not know yet."""
ACCEPTED_ALGORITHMS: Final = frozenset({ALGORITHM, "Ed25519"})
"""Names of Ed25519 that are read."""
MAX_KEYS: Final = 1 << 20
"""Bytes of a published set of keys."""
JWKS_PATH: Final = "/.well-known/jwks.json"
"""Where a service publishes its JWKS."""
DID_PATH: Final = "/.well-known/did.json"
"""Where did:web looks for the document of a host."""
LAST_SECOND: Final = 253_402_300_799
"""The end of the year 9999, in seconds; later times cannot be said."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)
_CONTEXTS: Final = ("https://www.w3.org/ns/did/v1", "https://w3id.org/security/suites/jws-2020/v1")

KeySet: TypeAlias = Mapping[str, Verifier]
"""Public keys by their names."""


def jwks(ring: KeyRing) -> bytes:
    """Write the JWK set of a ring, for `JWKS_PATH`.

    Its members `nbf` and `exp` tell, in seconds, from when until when a key signs; readers that do not know them
    pass them over.
    """
    return write({"keys": [_jwk(key) for key in ring.keys]})


def did_document(ring: KeyRing) -> bytes:
    """Write the did:web document of a ring, for `DID_PATH`.

    It lists the keys made for this name; keys of a former host are in the JWKS alone.
    """
    own = [key for key in ring.keys if key.kid.startswith(f"{ring.did}#")]
    methods: list[JSON] = [
        {"id": key.kid, "type": "JsonWebKey2020", "controller": ring.did, "publicKeyJwk": _jwk(key)}
        for key in own
    ]
    return write(
        {
            "@context": list(_CONTEXTS),
            "id": ring.did,
            "verificationMethod": methods,
            "assertionMethod": [key.kid for key in own],
        }
    )


def read_keys(source: bytes) -> KeySet:
    """Read a JWKS, a did:web document or a single JWK. Keys of other kinds in it are passed over.

    Raises:
        KeysUnusable: `keys_malformed`, `keys_private`, `keys_ambiguous` or `keys_none`.

    """
    try:
        document = read(source, max_bytes=MAX_KEYS)
    except JSONUnreadable:
        raise KeysUnusable("keys_malformed") from None
    found: dict[str, Verifier] = {}
    for name, jwk in _listed(document):
        verifier = _verifier(name, jwk)
        if verifier is None:
            continue
        if found.setdefault(verifier.kid, verifier) != verifier:
            raise KeysUnusable("keys_ambiguous")
    if not found:
        raise KeysUnusable("keys_none")
    return found


def seconds(moment: datetime) -> int:
    """Give the whole seconds since 1970 of an aware moment."""
    return (moment - _EPOCH) // _SECOND


def moment_of(value: JSON) -> datetime | None:
    """Read seconds since 1970; None for what is no whole number of them up to the year 9999."""
    number = integer(value)
    return datetime.fromtimestamp(number, UTC) if number is not None and 0 <= number <= LAST_SECOND else None


def _jwk(key: Verifier) -> dict[str, JSON]:
    jwk: dict[str, JSON] = {
        "kty": "OKP",
        "crv": "Ed25519",
        "x": encode_url(key.public),
        "kid": key.kid,
        "use": "sig",
        "alg": ALGORITHM,
    }
    if key.not_before is not None:
        jwk["nbf"] = seconds(key.not_before)
    if key.not_after is not None:
        jwk["exp"] = seconds(key.not_after)
    return jwk


def _listed(document: JSON) -> Iterable[tuple[JSON, JSON]]:
    """Give each JWK of a document with the name it has there."""
    match document:
        case RepeatedNames():
            raise KeysUnusable("keys_malformed")
        case {"keys": list() as keys}:
            return [(_member(jwk, "kid"), jwk) for jwk in keys]
        case {"verificationMethod": list() as methods}:
            return [(_member(each, "id"), _member(each, "publicKeyJwk")) for each in methods]
        case {"kty": _}:
            return [(_member(document, "kid"), document)]
        case _:
            raise KeysUnusable("keys_malformed")


def _member(value: JSON, name: str) -> JSON:
    return value.get(name) if isinstance(value, Mapping) and not isinstance(value, RepeatedNames) else None


def _verifier(kid: JSON, jwk: JSON) -> Verifier | None:
    """Read an Ed25519 key with a name, or None for anything else."""
    if isinstance(jwk, RepeatedNames):
        raise KeysUnusable("keys_malformed")
    if not isinstance(jwk, Mapping):
        return None
    if "d" in jwk:
        raise KeysUnusable("keys_private")
    x, algorithm = jwk.get("x"), jwk.get("alg", ALGORITHM)
    named = (jwk.get("kty"), jwk.get("crv"), jwk.get("use", "sig"))
    if named != ("OKP", "Ed25519", "sig") or not isinstance(kid, str) or not isinstance(x, str):
        return None
    if not isinstance(algorithm, str) or algorithm not in ACCEPTED_ALGORITHMS:
        return None
    public = decode_url(x)
    if public is None or len(public) != PUBLIC_BYTES:
        raise KeysUnusable("keys_malformed")
    return Verifier(kid=kid, public=public, not_before=_noted(jwk, "nbf"), not_after=_noted(jwk, "exp"))


def _noted(jwk: Mapping[str, JSON], name: str) -> datetime | None:
    if name not in jwk:
        return None
    moment = moment_of(jwk[name])
    if moment is None:
        raise KeysUnusable("keys_malformed")
    return moment
