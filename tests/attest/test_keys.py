"""A key has one name, made of the service's host and the key itself."""

from datetime import timedelta

import pytest

from assay402.attest.base64url import decode_url
from assay402.attest.codes import KeysUnusable
from assay402.attest.keys import KeyRing, Verifier, did_of, kid_of, thumbprint
from attest.rings import DAY, DID, NOW, signer


def test_the_thumbprint_is_that_of_the_standard() -> None:
    """RFC 8037, appendix A.3."""
    public = decode_url("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
    assert public is not None
    assert thumbprint(public) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
    assert kid_of(DID, public) == f"{DID}#kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


@pytest.mark.parametrize(
    ("url", "did"),
    [
        ("https://assay.example", "did:web:assay.example"),
        ("https://Assay.Example:443/api", "did:web:assay.example"),
        ("https://assay.example:8443/", "did:web:assay.example%3A8443"),
        ("http://localhost:8402", "did:web:localhost%3A8402"),
        ("http://127.0.0.1:8402", "did:web:127.0.0.1%3A8402"),
        ("http://localhost:80", "did:web:localhost"),
        (None, "did:web:localhost"),
    ],
)
def test_the_host_of_the_public_address_names_the_service(url: str | None, did: str) -> None:
    assert did_of(url) == did


@pytest.mark.parametrize(
    "url",
    [
        "https://192.0.2.1",
        "https://[::1]:8402",
        "https://a.b.7",
        "https://exa_mple.com",
        "https://bücher.example",
        "https://",
        "ftp://assay.example",
        "assay.example",
        "https://a..b",
        "https://[::1",
        "https://assay.example:99999",
        f"https://{'a' * 64}.example",
        f"https://{'a.' * 130}example",
    ],
)
def test_a_host_that_makes_no_name_is_refused(url: str) -> None:
    """did:web takes no numeric addresses."""
    with pytest.raises(KeysUnusable) as caught:
        did_of(url)
    assert caught.value.code == "did_host"


def test_a_signature_verifies_by_its_own_key_and_bytes_alone() -> None:
    one, other = signer(1), signer(2)
    signature = one.sign(b"bytes")
    verifier = Verifier(kid=one.kid, public=one.public)
    assert verifier.verify(b"bytes", signature)
    assert not verifier.verify(b"byte", signature)
    assert not Verifier(kid=one.kid, public=other.public).verify(b"bytes", signature)
    assert not verifier.verify(b"bytes", b"short")


def test_a_signer_shows_nothing_of_its_key() -> None:
    assert "_key" not in repr(signer())
    assert not hasattr(signer(), "__dict__")


def test_the_newer_of_two_valid_keys_signs_and_none_outside_their_time() -> None:
    old, new = signer(1), signer(2)
    keys = (
        Verifier(kid=old.kid, public=old.public, not_before=NOW, not_after=NOW + 2 * DAY),
        Verifier(kid=new.kid, public=new.public, not_before=NOW + DAY, not_after=NOW + 3 * DAY),
    )
    ring = KeyRing(did=DID, keys=keys, signers=(old, new))
    assert ring.signer(NOW).kid == old.kid
    assert ring.signer(NOW + DAY - timedelta(seconds=1)).kid == old.kid
    assert ring.signer(NOW + DAY).kid == new.kid
    for moment in (NOW - timedelta(seconds=1), NOW + 3 * DAY):
        with pytest.raises(KeysUnusable) as caught:
            ring.signer(moment)
        assert caught.value.code == "key_none_valid"
