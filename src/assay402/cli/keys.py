"""`assay keys`: the key ring of a service, made, shown, rotated and published from the command line."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from assay402.attest.codes import KeysUnusable
from assay402.cli.data_dir import KEYS
from assay402.cli.output import plain, print_bytes, print_lines, published_line
from assay402.cli.service_settings import (
    data_dir_option,
    data_folder,
    name_options,
    settings_option,
    with_settings,
)
from assay402.cli.usage import Usage

if TYPE_CHECKING:
    from assay402.attest.keys import KeyRing
    from assay402.attest.ring_state import Entry
    from assay402.service.settings import Settings

_DAY: Final = 24
_GROUP: Final = """The keys that answers are signed with.

They stand in the folder `keys` of the data directory: private keys in files that are closed to others, and the ring,
`ring-NUMBER.json`, which holds every key there ever was and no secret. The service makes the first key itself."""
_ROTATE: Final = """Publish the next key.

It signs once it has been published for a day, so that no verifier meets a key it has not seen; until then the
present key signs. The old key stays published for ever, and what it signed stays verifiable. A running service needs
no restart."""


def keys_command() -> click.Group:
    """Make the group of commands."""
    show = "Show every key: which signs, since when, until when."
    jwks, did = _published("JWK set", "jwks.json"), _published("did:web document", "did.json")
    return click.Group(
        "keys",
        help=_GROUP,
        commands=[
            click.Command(
                "new", help=_NEW, callback=with_settings(_new), params=[_address_argument(), *_place()]
            ),
            click.Command("show", help=show, callback=with_settings(_show), params=[_json(), *_place()]),
            click.Command(
                "rotate",
                help=_ROTATE,
                callback=with_settings(_rotate),
                params=[_key_option(), _hours_option(), *_place()],
            ),
            click.Command(
                "revoke",
                help=_REVOKE,
                callback=with_settings(_revoke),
                params=[_kid_argument(), _key_option(), *_place()],
            ),
            click.Command("jwks", help=jwks, callback=with_settings(_jwks), params=_place()),
            click.Command("did", help=did, callback=with_settings(_did), params=_place()),
        ],
    )


_REVOKE: Final = """Make a key void, because others may have its private part.

It is published no more, so nothing that it signed verifies with keys fetched from now on, whoever signed it. Where it
is the key that signs, a new one signs at once. KID is a name of `assay keys show`."""
_NEW: Final = """Make the first key of the ring, or with ADDRESS (`file:PATH`) a key outside it.

A file that is there is never overwritten."""


def _published(what: str, name: str) -> str:
    return f"Print the {what}, as the service publishes it under /.well-known/{name}."


def _address_argument() -> click.Parameter:
    return click.Argument(["address"], required=False, metavar="[ADDRESS]")


def _key_option() -> click.Parameter:
    return click.Option(
        ["--key", "address"], metavar="ADDRESS", help="Take this key as the next, `file:PATH` or `env:NAME`."
    )


def _kid_argument() -> click.Parameter:
    return click.Argument(["kid"], metavar="KID")


def _hours_option() -> click.Parameter:
    return click.Option(
        ["--hours"],
        type=click.IntRange(1, _DAY * 365),
        default=_DAY,
        show_default=True,
        help="Sign with it after so many hours; 24 at least.",
    )


def _json() -> click.Parameter:
    return click.Option(["--json", "as_json"], is_flag=True, help="Print JSON.")


def _place() -> list[click.Parameter]:
    return [settings_option(), data_dir_option(), *name_options()]


def _folder(settings: "Settings") -> Path:
    return data_folder(settings) / KEYS


def _did_of(settings: "Settings") -> str:
    from assay402.attest.keys import did_of  # noqa: PLC0415  (as below)

    return did_of(settings.public_url)


def _new(address: str | None, settings: "Settings") -> None:
    # Loaded in each command: cryptography must not load with the help.
    from assay402.attest.key_files import make_key, write_key  # noqa: PLC0415
    from assay402.attest.keys import public_bytes, thumbprint  # noqa: PLC0415
    from assay402.attest.ring_file import open_ring  # noqa: PLC0415
    from assay402.attest.ring_state import read_state  # noqa: PLC0415
    from assay402.net.clock import utc_now  # noqa: PLC0415

    if address is not None:
        scheme, _, path = address.partition(":")
        if scheme != "file" or not path:
            raise Usage("A key is made at file:PATH only.")
        key = make_key()
        write_key(Path(path), key)
        print_lines([f"made: key {thumbprint(public_bytes(key))}"])
        return
    did, folder = _did_of(settings), data_folder(settings, makes=True) / KEYS
    if read_state(folder).of(did):
        raise Usage("The ring has a key already; `assay keys rotate` publishes the next.")
    ring = open_ring(folder, did=did, address=settings.signing_key, now=utc_now())
    print_lines([f"made: {ring.keys[-1].kid}"])


def _rotate(address: str | None, hours: int, settings: "Settings") -> None:
    from assay402.attest.ring_file import rotate  # noqa: PLC0415
    from assay402.net.clock import utc_now  # noqa: PLC0415

    entry = rotate(
        _folder(settings),
        did=_did_of(settings),
        now=utc_now(),
        address=address,
        wait=timedelta(hours=hours),
    )
    print_lines([f"published: {entry.kid}", f"signs from: {_time(entry.not_before)}"])


def _revoke(kid: str, address: str | None, settings: "Settings") -> None:
    from assay402.attest.ring_file import revoke  # noqa: PLC0415
    from assay402.net.clock import utc_now  # noqa: PLC0415

    did = _did_of(settings)
    successor = revoke(_folder(settings), did=did, kid=kid, now=utc_now(), address=address)
    print_lines(["revoked", *([] if successor is None else [f"signs from now: {successor.kid}"])])


def _show(as_json: bool, settings: "Settings") -> None:
    from assay402.attest.ring_state import read_state  # noqa: PLC0415
    from assay402.net.clock import utc_now  # noqa: PLC0415

    entries, did, now = read_state(_folder(settings)).entries, _did_of(settings), utc_now()
    if not entries:
        raise KeysUnusable("ring_missing")
    # Without a public address it is not said which name the service has: each key is told under its own.
    asked = None if settings.public_url is None else did
    told = [_told(entry, _state(entry, asked, now)) for entry in entries]
    if as_json:
        print_bytes(published_line({"did": did, "keys": told}))
        return
    for each in told:
        style = {"signs": "green", "next": "yellow"}.get(each["state"])
        print_lines(
            [
                click.style(f"{each['state']:<8}", fg=style) + plain(each["kid"]),
                f"        from {each['not_before'] or each['published_at']}"
                + (f" until {each['not_after']}" if each["not_after"] else ""),
                f"        {plain(each['address'])}",
            ]
        )


def _state(entry: "Entry", did: str | None, now: Any) -> str:  # noqa: ANN401  (a datetime, whose module need not load)
    if entry.revoked_at is not None:
        return "revoked"
    if did is not None and entry.did != did:
        return "other"
    if entry.not_before is not None and entry.not_before > now:
        return "next"
    return "retired" if entry.not_after is not None and entry.not_after <= now else "signs"


def _told(entry: "Entry", state: str) -> dict[str, Any]:
    return {
        "kid": entry.kid,
        "state": state,
        "published_at": _time(entry.published_at),
        "not_before": _time(entry.not_before),
        "not_after": _time(entry.not_after),
        "revoked_at": _time(entry.revoked_at),
        "address": entry.address,
    }


def _time(moment: Any) -> str | None:  # noqa: ANN401  (a datetime or None)
    return None if moment is None else str(moment.strftime("%Y-%m-%dT%H:%M:%SZ"))


def _jwks(settings: "Settings") -> None:
    from assay402.attest.publication import jwks  # noqa: PLC0415

    print_bytes(jwks(_ring(settings)) + b"\n")


def _did(settings: "Settings") -> None:
    from assay402.attest.publication import did_document  # noqa: PLC0415

    print_bytes(did_document(_ring(settings)) + b"\n")


def _ring(settings: "Settings") -> "KeyRing":
    """Give the public side of the ring: no private key is read for it."""
    from assay402.attest.ring_file import public_ring  # noqa: PLC0415

    return public_ring(_folder(settings), did=_did_of(settings))
