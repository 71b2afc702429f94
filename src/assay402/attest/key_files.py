"""Private keys at their addresses: `file:PATH`, a PEM file closed to others, or `env:NAME`, a variable with that PEM."""

import os
import tempfile
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from assay402.attest.codes import KeysUnusable

MAX_PEM: Final = 16_384
"""Bytes of a key file; a key has 120."""
_OTHERS: Final = 0o077 if os.name == "posix" else 0
"""Permissions of anybody but the owner; elsewhere the file system has other means."""


def read_key(address: str, folder: Path) -> Ed25519PrivateKey:
    """Read the private key at an address; a relative path starts from the folder.

    Raises:
        KeysUnusable: `key_address`, `key_missing`, `key_mode` or `key_malformed`.

    """
    scheme, _, place = address.partition(":")
    if not place or scheme not in ("file", "env"):
        raise KeysUnusable("key_address")
    return _decoded(_file(folder / place) if scheme == "file" else _variable(place))


def make_key() -> Ed25519PrivateKey:
    """Make a new key."""
    return Ed25519PrivateKey.generate()


def write_key(path: Path, key: Ed25519PrivateKey) -> None:
    """Write a private key to a file that is not there yet: whole or not at all, closed to others.

    Raises:
        KeysUnusable: `key_exists` or `key_not_writable`.

    """
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        write_new(path, pem)
    except FileExistsError:
        raise KeysUnusable("key_exists") from None
    except OSError:
        raise KeysUnusable("key_not_writable") from None


def write_new(path: Path, content: bytes) -> None:
    """Write a new file, durably and as a whole, for its owner alone.

    Raises:
        FileExistsError: where there is a file already, which stays as it is.
        OSError: where the system refuses; nothing half-written remains.

    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".assay-")
    try:
        with open(handle, "wb") as file:  # noqa: PTH123  (an open handle)
            file.write(content)
            file.flush()
            os.fsync(handle)
        # A link fails where the name is taken, which a rename would not.
        os.link(name, path)
    finally:
        os.unlink(name)  # noqa: PTH108


def _file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            # Judged on the open file, so that it cannot be exchanged in between.
            is_open_to_others = bool(os.fstat(file.fileno()).st_mode & _OTHERS)
            pem = file.read(MAX_PEM + 1)
    except (OSError, ValueError):
        raise KeysUnusable("key_missing") from None
    if is_open_to_others:
        raise KeysUnusable("key_mode")
    return pem


def _variable(name: str) -> bytes:
    try:
        return os.environb[os.fsencode(name)] if os.supports_bytes_environ else os.environ[name].encode()
    except (KeyError, ValueError):
        raise KeysUnusable("key_missing") from None


def _decoded(pem: bytes) -> Ed25519PrivateKey:
    if len(pem) > MAX_PEM:
        raise KeysUnusable("key_malformed")
    # What the library says of a key may quote it.
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeysUnusable("key_malformed")
    return key
