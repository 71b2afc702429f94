"""The key ring on disk: made once, never losing a key, rotated without a surprise for anybody who saved its keys."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from assay402.attest import ring_state
from assay402.attest.codes import KeysUnusable
from assay402.attest.jws import Invalid
from assay402.attest.key_files import MAX_PEM, make_key, read_key, write_key
from assay402.attest.keys import public_bytes, thumbprint
from assay402.attest.publication import did_document, jwks, read_keys
from assay402.attest.ring_file import LiveRing, open_ring, public_ring, revoke, rotate
from assay402.attest.ring_state import read_state
from assay402.attest.signature import Valid, sign_answer, verify_answer
from attest.rings import DAY, DID, NOW, private

SECOND = timedelta(seconds=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "keys"


def code_of(error: pytest.ExceptionInfo[KeysUnusable]) -> str:
    return error.value.code


def pem_file(path: Path, number: int = 1) -> str:
    write_key(path, private(number))
    return f"file:{path}"


def test_the_first_start_makes_a_key_closed_to_others(folder: Path) -> None:
    ring = open_ring(folder, did=DID, address=None, now=NOW)
    key = ring.keys[0]
    path = folder / f"{thumbprint(key.public)}.pem"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert ring.signer(NOW).kid == key.kid == f"{DID}#{thumbprint(key.public)}"
    assert sorted(each.name for each in folder.iterdir()) == sorted([path.name, "ring-000001.json"])
    assert b"PRIVATE" not in (folder / "ring-000001.json").read_bytes()


def test_the_next_start_finds_the_same_ring(folder: Path) -> None:
    first = open_ring(folder, did=DID, address=None, now=NOW)
    again = open_ring(folder, did=DID, address=None, now=NOW + DAY)
    assert (again.did, again.keys) == (first.did, first.keys)
    assert (jwks(again), did_document(again)) == (jwks(first), did_document(first))
    assert public_ring(folder, did=DID).keys == first.keys


def test_workers_that_start_at_once_share_one_key(folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        rings = list(pool.map(lambda _: open_ring(folder, did=DID, address=None, now=NOW), range(16)))
    assert len({ring.keys for ring in rings}) == 1
    assert len(list(folder.glob("*.pem"))) == 1
    assert len(list(folder.iterdir())) == 2


def test_a_report_of_a_retired_key_verifies_with_a_key_set_saved_later_or_before(folder: Path) -> None:
    """Section 4.2 of the service's page."""
    first = open_ring(folder, did=DID, address=None, now=NOW)
    report = b'{"report":1}'
    signature = sign_answer(report, first.signer(NOW), issued_at=NOW, version="test 1")
    saved_before = jwks(first)
    rotate(folder, did=DID, now=NOW + DAY)
    later = open_ring(folder, did=DID, address=None, now=NOW + 30 * DAY)
    assert first.signer(NOW).kid not in [each.kid for each in later.signers]
    for saved in (saved_before, jwks(later), did_document(later)):
        outcome = verify_answer(report, signature, read_keys(saved))
        assert outcome == Valid(body=report, kid=first.keys[0].kid, issued_at=NOW, version="test 1")


def test_the_next_key_is_published_a_day_before_it_signs(folder: Path) -> None:
    old = open_ring(folder, did=DID, address=None, now=NOW).keys[0]
    entry = rotate(folder, did=DID, now=NOW)
    ring = open_ring(folder, did=DID, address=None, now=NOW)
    assert [key.kid for key in ring.keys] == [old.kid, entry.kid]
    assert ring.signer(NOW + DAY - SECOND).kid == old.kid
    assert ring.signer(NOW + DAY).kid == entry.kid
    assert entry.kid.encode() in jwks(ring)
    signature = sign_answer(b"", ring.signer(NOW), issued_at=NOW + DAY, version="v")
    assert verify_answer(b"", signature, read_keys(jwks(ring))) == Invalid(code="signature_outside_validity")


def test_a_rotation_is_refused_while_another_waits_or_comes_too_soon(folder: Path) -> None:
    open_ring(folder, did=DID, address=None, now=NOW)
    with pytest.raises(KeysUnusable) as caught:
        rotate(folder, did=DID, now=NOW, wait=DAY - SECOND)
    assert code_of(caught) == "rotation_wait"
    rotate(folder, did=DID, now=NOW)
    with pytest.raises(KeysUnusable) as caught:
        rotate(folder, did=DID, now=NOW + DAY - SECOND)
    assert code_of(caught) == "rotation_pending"
    assert len(list(folder.glob("*.pem"))) == 2
    rotate(folder, did=DID, now=NOW + DAY)
    assert len(open_ring(folder, did=DID, address=None, now=NOW + DAY).keys) == 3


def test_a_revoked_key_is_published_no_more_and_a_new_one_signs_at_once(folder: Path) -> None:
    first = open_ring(folder, did=DID, address=None, now=NOW)
    stolen = first.signer(NOW)
    signature = sign_answer(b"x", stolen, issued_at=NOW, version="v")
    entry = revoke(folder, did=DID, kid=stolen.kid, now=NOW + SECOND)
    ring = open_ring(folder, did=DID, address=None, now=NOW + SECOND)
    assert entry is not None
    assert ring.signer(NOW + SECOND).kid == entry.kid
    assert (
        [key.kid for key in ring.keys]
        == [key.kid for key in public_ring(folder, did=DID).keys]
        == [entry.kid]
    )
    assert verify_answer(b"x", signature, read_keys(jwks(ring))) == Invalid(code="signature_key_unknown")
    rotate(folder, did=DID, now=NOW + DAY)
    for kid in (stolen.kid, f"{DID}#none"):
        with pytest.raises(KeysUnusable) as caught:
            revoke(folder, did=DID, kid=kid, now=NOW + DAY)
        assert code_of(caught) == "key_not_in_ring"


def test_a_key_revoked_while_another_waits_is_replaced_until_that_one_signs(folder: Path) -> None:
    present = open_ring(folder, did=DID, address=None, now=NOW).signer(NOW)
    following = rotate(folder, did=DID, now=NOW)
    between = revoke(folder, did=DID, kid=present.kid, now=NOW + SECOND)
    ring = open_ring(folder, did=DID, address=None, now=NOW + SECOND)
    assert between is not None
    assert ring.signer(NOW + SECOND).kid == ring.signer(NOW + DAY - SECOND).kid == between.kid
    assert ring.signer(NOW + DAY).kid == following.kid
    assert rotate(folder, did=DID, now=NOW + DAY).not_before == NOW + 2 * DAY
    later = open_ring(folder, did=DID, address=None, now=NOW + DAY)
    assert later.signer(NOW + DAY).kid == following.kid
    assert later.signer(NOW + 2 * DAY).kid not in (following.kid, between.kid)


def test_revoking_a_key_that_waits_or_is_retired_makes_no_new_one(folder: Path) -> None:
    present = open_ring(folder, did=DID, address=None, now=NOW).signer(NOW)
    assert revoke(folder, did=DID, kid=rotate(folder, did=DID, now=NOW).kid, now=NOW) is None
    ring = open_ring(folder, did=DID, address=None, now=NOW)
    assert ring.signer(NOW + 9 * DAY).kid == present.kid
    following = rotate(folder, did=DID, now=NOW)
    assert revoke(folder, did=DID, kid=present.kid, now=NOW + 2 * DAY) is None
    ring = open_ring(folder, did=DID, address=None, now=NOW + 2 * DAY)
    assert [key.kid for key in ring.keys] == [following.kid]
    assert ring.signer(NOW + 2 * DAY).kid == following.kid


def test_two_rotations_at_once_make_one_next_key(folder: Path) -> None:
    open_ring(folder, did=DID, address=None, now=NOW)

    def attempt(_: int) -> str:
        try:
            return rotate(folder, did=DID, now=NOW).kid
        except KeysUnusable as error:
            return error.code

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(attempt, range(8)))
    assert outcomes.count("rotation_pending") == 7
    assert len(list(folder.glob("*.pem"))) == 2


def test_there_is_nothing_to_rotate_or_publish_before_the_first_key(folder: Path) -> None:
    for attempt in (lambda: rotate(folder, did=DID, now=NOW), lambda: public_ring(folder, did=DID)):
        with pytest.raises(KeysUnusable) as caught:
            attempt()
        assert code_of(caught) == "ring_missing"


def test_a_running_service_meets_the_change_of_a_command(folder: Path) -> None:
    live = LiveRing(folder, did=DID)
    first = live.at(NOW)
    assert live.at(NOW).keys == first.keys
    assert live.at(NOW) is live.at(NOW)
    entry = rotate(folder, did=DID, now=NOW)
    assert live.at(NOW).keys[-1].kid == entry.kid
    assert live.at(NOW + DAY).signer(NOW + DAY).kid == entry.kid


def test_a_service_that_moves_gets_a_new_key_and_keeps_the_old_one_published(folder: Path) -> None:
    """One name per key: the host is part of it."""
    old = open_ring(folder, did="did:web:old.example", address=None, now=NOW).keys[0]
    ring = open_ring(folder, did=DID, address=None, now=NOW + DAY)
    assert ring.keys[0].kid == old.kid
    assert [each.kid for each in ring.signers] == [ring.keys[1].kid]
    assert ring.keys[1].kid.startswith(f"{DID}#")


@pytest.mark.parametrize("local", ["did:web:localhost", "did:web:localhost%3A8402", "did:web:127.0.0.1%3A1"])
def test_a_service_with_a_public_name_does_not_vouch_for_keys_of_its_trials(folder: Path, local: str) -> None:
    """A bug of the past: each port it was tried on left a key in what it published, without an end."""
    tried = open_ring(folder, did=local, address=None, now=NOW).keys
    ring = open_ring(folder, did=DID, address=None, now=NOW + DAY)
    assert [each.kid.partition("#")[0] for each in ring.keys] == [DID]
    assert public_ring(folder, did=DID).keys == ring.keys
    again = open_ring(folder, did=local, address=None, now=NOW + DAY)
    assert again.keys[0] == tried[0]
    assert again.signers[0].kid == tried[0].kid


def test_a_configured_key_enters_an_empty_ring_and_no_other(folder: Path, tmp_path: Path) -> None:
    one, other = pem_file(tmp_path / "one.pem"), pem_file(tmp_path / "other.pem", 2)
    ring = open_ring(folder, did=DID, address=one, now=NOW)
    assert ring.signer(NOW).public == public_bytes(private(1))
    assert list(folder.glob("*.pem")) == []
    assert open_ring(folder, did=DID, address=None, now=NOW).keys == ring.keys
    with pytest.raises(KeysUnusable) as caught:
        open_ring(folder, did=DID, address=other, now=NOW)
    assert code_of(caught) == "key_not_in_ring"
    assert rotate(folder, did=DID, now=NOW, address=other).address == other
    assert open_ring(folder, did=DID, address=other, now=NOW).signer(NOW + DAY).public == public_bytes(
        private(2)
    )
    with pytest.raises(KeysUnusable) as caught:
        rotate(folder, did=DID, now=NOW + DAY, address=one)
    assert code_of(caught) == "key_reused"
    with pytest.raises(KeysUnusable) as caught:
        open_ring(folder, did="did:web:new.example", address=one, now=NOW)
    assert code_of(caught) == "key_reused"


def test_a_configured_key_may_have_moved(folder: Path, tmp_path: Path) -> None:
    pem_file(tmp_path / "one.pem")
    open_ring(folder, did=DID, address=f"file:{tmp_path / 'one.pem'}", now=NOW)
    (tmp_path / "one.pem").rename(tmp_path / "two.pem")
    with pytest.raises(KeysUnusable) as caught:
        open_ring(folder, did=DID, address=None, now=NOW)
    assert code_of(caught) == "key_missing"
    assert open_ring(folder, did=DID, address=f"file:{tmp_path / 'two.pem'}", now=NOW).signers


def test_a_key_that_signs_no_more_need_not_be_there(folder: Path) -> None:
    first = open_ring(folder, did=DID, address=None, now=NOW).keys[0]
    rotate(folder, did=DID, now=NOW)
    (folder / f"{thumbprint(first.public)}.pem").unlink()
    with pytest.raises(KeysUnusable):
        open_ring(folder, did=DID, address=None, now=NOW)
    assert len(open_ring(folder, did=DID, address=None, now=NOW + DAY).signers) == 1


def test_another_key_in_the_place_of_one_is_found_out(folder: Path) -> None:
    first = open_ring(folder, did=DID, address=None, now=NOW).keys[0]
    path = folder / f"{thumbprint(first.public)}.pem"
    path.unlink()
    pem_file(path, 9)
    with pytest.raises(KeysUnusable) as caught:
        open_ring(folder, did=DID, address=None, now=NOW)
    assert code_of(caught) == "key_malformed"


def test_replicas_that_were_given_one_key_publish_the_same_whenever_they_started(tmp_path: Path) -> None:
    """A container without a disk of its own makes its ring anew; what it signed before must stay valid."""
    address = pem_file(tmp_path / "one.pem")
    one = open_ring(tmp_path / "a", did=DID, address=address, now=NOW)
    other = open_ring(tmp_path / "b", did=DID, address=address, now=NOW + DAY)
    assert (jwks(one), did_document(one)) == (jwks(other), did_document(other))
    signature = sign_answer(b"x", one.signer(NOW), issued_at=NOW, version="v")
    assert isinstance(verify_answer(b"x", signature, read_keys(jwks(other))), Valid)


def test_a_key_may_stand_in_a_variable(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pem_file(tmp_path / "one.pem")
    monkeypatch.setenv("ASSAY_TEST_KEY", (tmp_path / "one.pem").read_text())
    ring = open_ring(folder, did=DID, address="env:ASSAY_TEST_KEY", now=NOW)
    assert ring.signers[0].public == public_bytes(private(1))
    assert read_state(folder).entries[0].address == "env:ASSAY_TEST_KEY"
    monkeypatch.delenv("ASSAY_TEST_KEY")
    with pytest.raises(KeysUnusable) as caught:
        open_ring(folder, did=DID, address=None, now=NOW)
    assert code_of(caught) == "key_missing"


@pytest.mark.parametrize("address", ["", "file:", "env:", "key.pem", "https://example.com/key", "FILE:x"])
def test_an_address_is_a_file_or_a_variable(address: str, tmp_path: Path) -> None:
    with pytest.raises(KeysUnusable) as caught:
        read_key(address, tmp_path)
    assert code_of(caught) == "key_address"


@pytest.mark.parametrize(
    "address",
    ["file:none.pem", "file:.", "file:a\0b", "env:ASSAY_NO_SUCH", "env:a\0b", "env:=", "env:\ud800"],
)
def test_a_key_that_is_not_there_is_missing(address: str, tmp_path: Path) -> None:
    with pytest.raises(KeysUnusable) as caught:
        read_key(address, tmp_path)
    assert code_of(caught) == "key_missing"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666, 0o610])
def test_a_key_file_open_to_others_is_refused(mode: int, tmp_path: Path) -> None:
    address = pem_file(tmp_path / "key.pem")
    (tmp_path / "key.pem").chmod(mode)
    with pytest.raises(KeysUnusable) as caught:
        read_key(address, tmp_path)
    assert code_of(caught) == "key_mode"
    (tmp_path / "key.pem").chmod(0o400)
    assert public_bytes(read_key(address, tmp_path)) == public_bytes(private(1))


def test_what_is_no_key_of_ours_is_malformed(tmp_path: Path) -> None:
    other = generate_private_key(SECP256R1())
    locked = make_key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    pems = {
        "other": other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        "text": b"key",
        "empty": b"",
        "broken": locked.replace(b"M", b"N"),
        "long": locked + b"\n" * MAX_PEM,
        "public": make_key().public_key().public_bytes_raw(),
    }
    for name, pem in pems.items():
        (tmp_path / name).write_bytes(pem)
        (tmp_path / name).chmod(0o600)
        with pytest.raises(KeysUnusable) as caught:
            read_key(f"file:{name}", tmp_path)
        assert code_of(caught) == "key_malformed"
        assert str(caught.value) == "key_malformed"


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    pem_file(tmp_path / "key.pem")
    before = (tmp_path / "key.pem").read_bytes()
    with pytest.raises(KeysUnusable) as caught:
        pem_file(tmp_path / "key.pem", 2)
    assert code_of(caught) == "key_exists"
    assert (tmp_path / "key.pem").read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["key.pem"]


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(KeysUnusable) as caught:
        pem_file(tmp_path / "none" / "key.pem")
    assert code_of(caught) == "key_not_writable"
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(KeysUnusable) as caught:
        open_ring(tmp_path / "file" / "keys", did=DID, address=None, now=NOW)
    assert code_of(caught) == "key_not_writable"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[{}]",
        (
            b'[{"kid":"k","x":"y","published_at":"2026-01-01T00:00:00Z","not_before":"2026-01-01T00:00:00Z",'
            b'"not_after":null,"address":"a"}]'
        ),
        b"\xff",
    ],
)
def test_a_damaged_ring_is_told_and_nothing_is_made_in_its_place(content: bytes, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "ring-000001.json").write_bytes(content)
    with pytest.raises(KeysUnusable) as caught:
        open_ring(folder, did=DID, address=None, now=NOW)
    assert code_of(caught) == "ring_malformed"
    assert [each.name for each in folder.iterdir()] == ["ring-000001.json"]


def test_a_ring_whose_key_was_exchanged_or_repeated_is_damaged(folder: Path) -> None:
    open_ring(folder, did=DID, address=None, now=NOW)
    path = folder / "ring-000001.json"
    whole = path.read_bytes()
    kid = read_state(folder).entries[0].kid
    path.write_bytes(whole.replace(kid.encode(), f"{DID}#{'A' * 43}".encode()))
    with pytest.raises(KeysUnusable):
        read_state(folder)
    path.write_bytes(whole.replace(b"[", b"[" + whole.strip()[1:-1] + b",", 1))
    with pytest.raises(KeysUnusable):
        read_state(folder)


def test_a_ring_that_others_keep_changing_is_busy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state is never rewritten: whoever finds its number taken looks again, and gives up in the end."""
    open_ring(folder, did=DID, address=None, now=NOW)
    (folder / "ring-000002.json").symlink_to(folder / "nowhere")
    monkeypatch.setattr(ring_state, "highest", lambda _folder: 1)
    with pytest.raises(KeysUnusable) as caught:
        rotate(folder, did=DID, now=NOW)
    assert code_of(caught) == "ring_busy"
    assert len(list(folder.glob("*.pem"))) == 1


def test_a_file_system_that_refuses_leaves_nothing_half_made(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = pem_file(tmp_path / "one.pem")

    def refuse(_source: str, _target: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    for each in (None, address):
        with pytest.raises(KeysUnusable) as caught:
            open_ring(folder, did=DID, address=each, now=NOW)
        assert code_of(caught) == "key_not_writable"
        assert list(folder.iterdir()) == []


def test_a_ring_folder_that_is_not_readable_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_folder: Path) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(KeysUnusable) as caught:
        read_state(folder)
    assert code_of(caught) == "ring_malformed"
