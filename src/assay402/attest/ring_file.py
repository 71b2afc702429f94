"""The key ring of a service: opened, rotated, and a key of it revoked. How it stands on disk is in `ring_state`."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from assay402.attest.base64url import encode_url
from assay402.attest.codes import KeysUnusable
from assay402.attest.key_files import read_key
from assay402.attest.keys import KeyRing, Signer, Verifier, is_local, public_bytes
from assay402.attest.ring_state import Candidate, Entry, State, add, change, highest, read_state

PUBLISHED_BEFORE_USE: Final = timedelta(hours=24)
"""How long a next key is published at least before it signs: a verifier's saved set is a day old at most."""


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
        # Counted before it is read: a change in between is met by the next call.
        number = highest(self._folder)
        if self._ring is None or number != self._number:
            self._ring = open_ring(self._folder, did=self._did, address=self._address, now=now)
            self._number = number
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
        state = add(
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
        if entry.revoked_at is None and (entry.not_after is None or entry.not_after > now)
    )
    return KeyRing(did=did, keys=_published(state, did), signers=signers)


def public_ring(folder: Path, *, did: str) -> KeyRing:
    """Give the public keys of a ring that is there; nothing can be signed with it.

    Raises:
        KeysUnusable: `ring_missing` or `ring_malformed`.

    """
    state = read_state(folder)
    if not state.entries:
        raise KeysUnusable("ring_missing")
    return KeyRing(did=did, keys=_published(state, did), signers=())


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

    def succeeded(state: State, successor: Candidate) -> tuple[Entry, ...]:
        own = [entry for entry in state.of(did) if entry.revoked_at is None]
        if any(_waits(entry, now) for entry in own):
            raise KeysUnusable("rotation_pending")
        present = {entry.kid for entry in own if entry.verifier().signs_at(now)}
        kept = (replace(each, not_after=since) if each.kid in present else each for each in state.entries)
        return (*kept, successor.entry(did, published_at, since))

    return add(folder, address, succeeded).entries[-1]


def revoke(folder: Path, *, did: str, kid: str, now: datetime, address: str | None = None) -> Entry | None:
    """Make a key void: it is published no more, and nothing it signed verifies with a set fetched from now on.

    Where it is the one that signs, a new key signs at once, without its day of notice; it is given.

    Raises:
        KeysUnusable: `key_not_in_ring`, or a code of the ring or of the new key.

    """
    since = now.replace(microsecond=0)
    found = [entry for entry in read_state(folder).of(did) if entry.kid == kid and entry.revoked_at is None]
    if not found:
        raise KeysUnusable("key_not_in_ring")
    if _waits(found[0], now) or not found[0].verifier().signs_at(now):
        change(folder, lambda state: _without(state, kid, since))
        return None

    def replaced(state: State, successor: Candidate) -> tuple[Entry, ...]:
        waiting = [
            entry.not_before for entry in state.of(did) if entry.revoked_at is None and _waits(entry, now)
        ]
        entry = replace(successor.entry(did, since, since), not_after=waiting[0] if waiting else None)
        return (*_without(state, kid, since), entry)

    return add(folder, address, replaced).entries[-1]


def _without(state: State, kid: str, since: datetime) -> tuple[Entry, ...]:
    """Give the keys of a state with one of them void; where it was to succeed another, that one goes on."""
    void = next(entry for entry in state.entries if entry.kid == kid)
    has_predecessor = void.not_before is not None and void.not_before > since
    return tuple(
        replace(entry, revoked_at=since)
        if entry is void
        else replace(entry, not_after=None)
        if has_predecessor and entry.did == void.did and entry.not_after == void.not_before
        else entry
        for entry in state.entries
    )


def _waits(entry: Entry, now: datetime) -> bool:
    """Tell whether a key is published and does not sign yet."""
    return entry.not_before is not None and entry.not_before > now


def _published(state: State, did: str) -> tuple[Verifier, ...]:
    """Give the keys that a service of this name vouches for: its own, and those of hosts it had before.

    A service with a public name does not vouch for what was signed where it was tried out.
    """
    return tuple(
        entry.verifier()
        for entry in state.entries
        if entry.revoked_at is None and (entry.did == did or not is_local(entry.did))
    )


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
