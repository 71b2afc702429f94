"""The key ring on disk: which keys there are, since when, and where their private parts stand.

Each state of the ring is a file of its own, `ring-000001.json` and on, of which the highest counts. A state is never
rewritten, so no key is ever lost, and two that change the ring at once cannot both take the next number. The files
hold no secret; private keys stand beside them, or in variables.
"""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec import Meta, Struct
from msgspec.structs import replace

from assay402.attest.base64url import decode_url, encode_url
from assay402.attest.codes import KeysUnusable
from assay402.attest.key_files import make_key, read_key, write_key, write_new
from assay402.attest.keys import PUBLIC_BYTES, KeyRing, Signer, Verifier, kid_of, public_bytes, thumbprint

PUBLISHED_BEFORE_USE: Final = timedelta(hours=24)
"""How long a next key is published at least before it signs: a verifier's saved set is a day old at most."""
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


class LiveRing:
    """The ring as it stands: read again when a command has changed it, so that a service need not be restarted."""

    def __init__(self, folder: Path, *, did: str, address: str | None = None) -> None:
        self._folder: Final = folder
        self._did: Final = did
        self._address: Final = address
        self._number = 0
        self._ring: KeyRing | None = None

    def at(self, now: datetime) -> KeyRing:
        """Give the ring; the first call makes it where there is none. Raises as `open_ring`."""
        if self._ring is None or _highest(self._folder) != self._number:
            self._ring = open_ring(self._folder, did=self._did, address=self._address, now=now)
            self._number = _highest(self._folder)
        return self._ring


def open_ring(folder: Path, *, did: str, address: str | None, now: datetime) -> KeyRing:
    """Open the ring of a service; a first key is made where it has none of this name.

    `address` is where the first key's private part stands, if it is not to be made here; later it only says where
    the key it names has moved to. A key has one name for ever, so a service that moves to another host gets a new
    key, and its old ones stay in the ring.

    Raises:
        KeysUnusable: with a code of the ring or of one of its keys.

    """
    state = read_state(folder)
    if not state.of(did):
        since = now.replace(microsecond=0)
        state = _add(
            folder,
            address,
            lambda state, first: None if state.of(did) else (*state.entries, first.entry(did, since, None)),
        )
    configured = None if address is None else _Configured(address)
    own = state.of(did)
    if configured is not None and configured.x not in {entry.x for entry in own}:
        raise KeysUnusable("key_not_in_ring")
    signers = tuple(
        Signer(entry.kid, _private(folder, entry, configured))
        for entry in own
        if entry.not_after is None or entry.not_after > now
    )
    return KeyRing(did=did, keys=tuple(entry.verifier() for entry in state.entries), signers=signers)


def public_ring(folder: Path, *, did: str) -> KeyRing:
    """Give the public keys of a ring that is there; nothing can be signed with it.

    Raises:
        KeysUnusable: `ring_missing` or `ring_malformed`.

    """
    entries = read_state(folder).entries
    if not entries:
        raise KeysUnusable("ring_missing")
    return KeyRing(did=did, keys=tuple(entry.verifier() for entry in entries), signers=())


def rotate(
    folder: Path,
    *,
    did: str,
    now: datetime,
    address: str | None = None,
    wait: timedelta = PUBLISHED_BEFORE_USE,
) -> Entry:
    """Publish the next key, which signs once `wait` is over; until then the present one does.

    Raises:
        KeysUnusable: `ring_missing`, `rotation_pending`, `rotation_wait`, `key_reused`, or a code of the key.

    """
    if wait < PUBLISHED_BEFORE_USE:
        raise KeysUnusable("rotation_wait")
    if not read_state(folder).of(did):
        raise KeysUnusable("ring_missing")
    published_at = now.replace(microsecond=0)
    since = published_at + wait

    def succeeded(state: State, successor: _Candidate) -> tuple[Entry, ...]:
        own = state.of(did)
        if any(entry.not_before is not None and entry.not_before > now for entry in own):
            raise KeysUnusable("rotation_pending")
        kept = (replace(each, not_after=since) if each == own[-1] else each for each in state.entries)
        return (*kept, successor.entry(did, published_at, since))

    return _add(folder, address, succeeded).entries[-1]


def read_state(folder: Path) -> State:
    """Read the ring as it stands.

    Raises:
        KeysUnusable: `ring_malformed`.

    """
    number = _highest(folder)
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


def _add(
    folder: Path,
    address: str | None,
    joined: Callable[[State, "_Candidate"], tuple[Entry, ...] | None],
) -> State:
    """Add a key to the ring: the one at the address, or a new one whose file stands in the ring's folder.

    `joined` gives the keys of the next state, or None where somebody else was first and the ring is well as it is.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        raise KeysUnusable("key_not_writable") from None
    candidate = _candidate(folder, address)
    state: State | None = None
    try:
        state = _next_state(folder, candidate, joined)
    finally:
        is_taken = state is not None and any(entry.x == candidate.x for entry in state.entries)
        if address is None and not is_taken:
            (folder / candidate.address.removeprefix("file:")).unlink()
    return state


def _next_state(
    folder: Path, candidate: "_Candidate", joined: Callable[[State, "_Candidate"], tuple[Entry, ...] | None]
) -> State:
    for _ in range(_TRIES):
        state = read_state(folder)
        entries = joined(state, candidate)
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


class _Candidate(Struct, frozen=True, kw_only=True):
    """A key that is about to enter the ring."""

    public: bytes
    address: str

    @property
    def x(self) -> str:
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


def _candidate(folder: Path, address: str | None) -> _Candidate:
    if address is not None:
        return _Candidate(public=public_bytes(read_key(address, Path())), address=_lasting(address))
    key = make_key()
    public = public_bytes(key)
    name = f"{thumbprint(public)}.pem"
    write_key(folder / name, key)
    return _Candidate(public=public, address=f"file:{name}")


def _lasting(address: str) -> str:
    """Give an address that means the same from every folder."""
    scheme, _, place = address.partition(":")
    return f"file:{Path(place).absolute()}" if scheme == "file" else address


def _private(folder: Path, entry: Entry, configured: "_Configured | None") -> Ed25519PrivateKey:
    """Read the private part of a key of the ring, from where the configuration has it now if it has it.

    Raises:
        KeysUnusable: `key_malformed` where another key stands at the address, or as `read_key`.

    """
    if configured is not None and configured.x == entry.x:
        return configured.key
    key = read_key(entry.address, folder)
    if encode_url(public_bytes(key)) != entry.x:
        raise KeysUnusable("key_malformed")
    return key


class _Configured:
    """The key at the configured address."""

    def __init__(self, address: str) -> None:
        self.key: Final = read_key(address, Path())
        self.x: Final = encode_url(public_bytes(self.key))


def _is_named_by_its_key(entry: Entry) -> bool:
    public = decode_url(entry.x)
    return public is not None and len(public) == PUBLIC_BYTES and entry.kid == kid_of(entry.did, public)


def _highest(folder: Path) -> int:
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
