"""The states of a key ring as files.

Each state is a file of its own, `ring-000001.json` and on, of which the highest counts. A state is never rewritten, so
no key is ever lost, and two that change the ring at once cannot both take the next number. The files hold no secret;
private keys stand beside them, or in variables. What becomes of the keys is decided in `ring_file`.
"""

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from assay402.attest.base64url import decode_url, encode_url
from assay402.attest.codes import KeysUnusable
from assay402.attest.key_files import make_key, read_key, write_key, write_new
from assay402.attest.keys import PUBLIC_BYTES, Verifier, kid_of, public_bytes, thumbprint

MAX_RING: Final = 1 << 20
"""Bytes of a ring file: some four thousand keys."""
_TRIES: Final = 16
_STATE: Final = re.compile(r"ring-([0-9]{6})\.json")

Moment = Annotated[datetime, Meta(tz=True)]


class Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One key of the ring."""

    kid: str
    x: str
    """The public key in base64url, as a JWK has it."""
    published_at: Moment
    not_before: Moment | None
    """None for the first key of a name: replicas that were given the same key then publish the same, whenever they
    were started."""
    not_after: Moment | None
    """The moment from which its successor signs."""
    address: str
    """Where its private part stands; a relative path starts from the ring's folder."""
    revoked_at: Moment | None = None
    """Since when it is void and published no more: others may have had its private part."""

    @property
    def did(self) -> str:
        """The name of the service the key was made for."""
        return self.kid.partition("#")[0]

    def verifier(self) -> Verifier:
        """Give the public key."""
        return Verifier(
            kid=self.kid,
            public=decode_url(self.x) or b"",
            not_before=self.not_before,
            not_after=self.not_after,
        )


class State(Struct, frozen=True, kw_only=True):
    """One state of the ring, and its number; 0 is the ring that was never written."""

    number: int
    entries: tuple[Entry, ...] = ()

    def of(self, did: str) -> tuple[Entry, ...]:
        """Give the keys made for a service of this name."""
        return tuple(entry for entry in self.entries if entry.did == did)


def read_state(folder: Path) -> State:
    """Read the ring as it stands.

    Raises:
        KeysUnusable: `ring_malformed`.

    """
    number = highest(folder)
    if number == 0:
        return State(number=0)
    try:
        with (folder / _name(number)).open("rb") as file:
            entries = msgspec.json.decode(file.read(MAX_RING), type=tuple[Entry, ...])
    except (OSError, msgspec.DecodeError):
        raise KeysUnusable("ring_malformed") from None
    state = State(number=number, entries=entries)
    is_whole = all(_is_named_by_its_key(entry) for entry in entries)
    if not is_whole or len({entry.kid for entry in entries}) != len(entries):
        raise KeysUnusable("ring_malformed")
    return state


def add(
    folder: Path,
    address: str | None,
    joined: Callable[[State, "Candidate"], tuple[Entry, ...] | None],
) -> State:
    """Add a key to the ring: the one at the address, or a new one whose file stands in the ring's folder.

    `joined` gives the keys of the next state, or None where somebody else was first and the ring is well as it is.

    Raises:
        KeysUnusable: as `change`, or a code of the key.

    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        raise KeysUnusable("key_not_writable") from None
    candidate = _candidate(folder, address)
    state: State | None = None
    try:
        state = change(folder, lambda state: joined(state, candidate))
    finally:
        is_taken = state is not None and any(entry.x == candidate.x for entry in state.entries)
        if address is None and not is_taken:
            (folder / candidate.address.removeprefix("file:")).unlink()
    return state


def change(folder: Path, changed: Callable[[State], tuple[Entry, ...] | None]) -> State:
    """Write the next state of the ring; where somebody else took its number, look again.

    Raises:
        KeysUnusable: `key_reused`, `ring_busy`, `key_not_writable`, or what `changed` raises.

    """
    for _ in range(_TRIES):
        state = read_state(folder)
        entries = changed(state)
        if entries is None:
            return state
        if len({entry.x for entry in entries}) != len(entries):
            raise KeysUnusable("key_reused")
        after = State(number=state.number + 1, entries=entries)
        try:
            write_new(folder / _name(after.number), msgspec.json.format(msgspec.json.encode(entries)) + b"\n")
        except FileExistsError:
            continue
        except OSError:
            raise KeysUnusable("key_not_writable") from None
        return after
    raise KeysUnusable("ring_busy")


class Candidate(Struct, frozen=True, kw_only=True):
    """A key that is about to enter the ring."""

    public: bytes
    address: str

    @property
    def x(self) -> str:
        """The public part as a JWK has it."""
        return encode_url(self.public)

    def entry(self, did: str, published_at: datetime, not_before: datetime | None) -> Entry:
        """Give its entry in the ring."""
        return Entry(
            kid=kid_of(did, self.public),
            x=self.x,
            published_at=published_at,
            not_before=not_before,
            not_after=None,
            address=self.address,
        )


def _candidate(folder: Path, address: str | None) -> Candidate:
    if address is not None:
        return Candidate(public=public_bytes(read_key(address, Path())), address=_lasting(address))
    key = make_key()
    public = public_bytes(key)
    name = f"{thumbprint(public)}.pem"
    write_key(folder / name, key)
    return Candidate(public=public, address=f"file:{name}")


def _lasting(address: str) -> str:
    """Give an address that means the same from every folder."""
    scheme, _, place = address.partition(":")
    return f"file:{Path(place).absolute()}" if scheme == "file" else address


def _is_named_by_its_key(entry: Entry) -> bool:
    public = decode_url(entry.x)
    return public is not None and len(public) == PUBLIC_BYTES and entry.kid == kid_of(entry.did, public)


def highest(folder: Path) -> int:
    """Give the number of the newest state, or 0."""
    try:
        names = [each.name for each in folder.iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except OSError:
        raise KeysUnusable("ring_malformed") from None
    return max((int(found[1]) for name in names if (found := _STATE.fullmatch(name))), default=0)


def _name(number: int) -> str:
    return f"ring-{number:06}.json"
