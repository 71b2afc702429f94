"""`assay keys` over a data directory, as an operator meets it."""

import json
from pathlib import Path

import pytest

from assay402.attest.publication import read_keys
from cli.test_cli import assay

URL = "https://assay.example"


@pytest.fixture
def place(tmp_path: Path) -> tuple[str, ...]:
    return ("--data-dir", str(tmp_path / "data"), "--public-url", URL)


def test_a_ring_is_made_shown_and_published(place: tuple[str, ...]) -> None:
    made = assay("keys", "new", *place)
    kid = made.stdout.decode().removeprefix("made: ").strip()
    assert made.returncode == 0
    assert kid.startswith("did:web:assay.example#")
    assert kid in assay("keys", "show", *place).stdout.decode()
    told = json.loads(assay("keys", "show", "--json", *place).stdout)
    assert (told["did"], told["keys"][0]["kid"], told["keys"][0]["state"]) == (
        "did:web:assay.example",
        kid,
        "signs",
    )
    jwks, did = assay("keys", "jwks", *place).stdout, assay("keys", "did", *place).stdout
    assert list(read_keys(jwks)) == list(read_keys(did)) == [kid]
    assert assay("keys", "jwks", *place).stdout == jwks
    assert assay("keys", "new", *place).returncode == 2


def test_a_rotation_publishes_the_next_key_a_day_ahead(place: tuple[str, ...]) -> None:
    assay("keys", "new", *place)
    rotated = assay("keys", "rotate", *place)
    assert rotated.returncode == 0
    assert b"signs from: " in rotated.stdout
    states = [each["state"] for each in json.loads(assay("keys", "show", "--json", *place).stdout)["keys"]]
    assert states == ["signs", "next"]
    assert b" until " in assay("keys", "show", *place).stdout
    again = assay("keys", "rotate", *place)
    assert (again.returncode, b"rotation_pending" in again.stderr) == (2, True)
    soon = assay("keys", "rotate", "--hours", "23", *place)
    assert (soon.returncode, b"rotation_wait" in soon.stderr) == (2, True)


def test_a_key_is_revoked_by_its_name(place: tuple[str, ...]) -> None:
    kid = assay("keys", "new", *place).stdout.decode().removeprefix("made: ").strip()
    revoked = assay("keys", "revoke", kid, *place)
    assert (revoked.returncode, b"signs from now: " in revoked.stdout) == (0, True)
    states = [each["state"] for each in json.loads(assay("keys", "show", "--json", *place).stdout)["keys"]]
    assert states == ["revoked", "signs"]
    assert kid.encode() not in assay("keys", "jwks", *place).stdout
    again = assay("keys", "revoke", kid, *place)
    assert (again.returncode, b"key_not_in_ring" in again.stderr) == (2, True)


def test_a_key_is_made_outside_and_taken_into_the_ring(place: tuple[str, ...], tmp_path: Path) -> None:
    address = f"file:{tmp_path / 'next.pem'}"
    assay("keys", "new", *place)
    made = assay("keys", "new", address)
    assert (made.returncode, made.stdout.startswith(b"made: key ")) == (0, True)
    rotated = assay("keys", "rotate", "--key", address, *place)
    assert made.stdout.split()[-1] in rotated.stdout
    exists = assay("keys", "new", address)
    assert (exists.returncode, b"key_exists" in exists.stderr) == (2, True)
    assert assay("keys", "new", "env:NAME").returncode == 2


def test_settings_of_the_service_are_read_from_the_environment(tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    assert b"did:web:localhost#" in assay("keys", "new", ASSAY_DATA_DIR=data, ASSAY_PORT="9402").stdout
    other = assay("keys", "show", "--json", ASSAY_DATA_DIR=data, ASSAY_PUBLIC_URL=URL)
    assert [each["state"] for each in json.loads(other.stdout)["keys"]] == ["other"]
    home = assay("keys", "new", XDG_DATA_HOME=str(tmp_path / "home"))
    assert home.returncode == 0
    assert (tmp_path / "home" / "assay402" / "keys" / "ring-000001.json").exists()


def test_settings_of_the_service_are_read_from_its_file(tmp_path: Path) -> None:
    file, key = tmp_path / "assay.toml", tmp_path / "own.pem"
    file.write_text(f'data_dir = "{tmp_path / "data"}"\npublic_url = "{URL}"\nsigning_key = "file:{key}"\n')
    assay("keys", "new", f"file:{key}")
    made = assay("keys", "new", "--settings", str(file))
    assert made.stdout.startswith(b"made: did:web:assay.example#")
    shown = json.loads(assay("keys", "show", "--json", ASSAY_SETTINGS=str(file)).stdout)
    assert shown["keys"][0]["address"] == f"file:{key}"
    assert assay("keys", "jwks", "--settings", str(file)).returncode == 0
    missing = assay("keys", "show", "--settings", str(tmp_path / "none.toml"))
    assert (missing.returncode, b"ASSAY_SETTINGS" in missing.stderr) == (2, True)


def test_without_a_public_address_each_key_is_told_under_its_own_name(place: tuple[str, ...]) -> None:
    assay("keys", "new", *place)
    shown = json.loads(assay("keys", "show", "--json", *place[:2]).stdout)
    assert [each["state"] for each in shown["keys"]] == ["signs"]


@pytest.mark.parametrize("command", ["show", "jwks", "did", "rotate"])
def test_without_a_ring_there_is_nothing_to_show(command: str, place: tuple[str, ...]) -> None:
    run = assay("keys", command, *place)
    assert (run.returncode, b"ring_missing" in run.stderr) == (2, True)


def test_a_host_that_makes_no_name_is_refused(place: tuple[str, ...]) -> None:
    run = assay("keys", "new", *place[:2], "--public-url", "https://192.0.2.7")
    assert (run.returncode, b"did_host" in run.stderr) == (2, True)
