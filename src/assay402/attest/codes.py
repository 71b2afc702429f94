"""What can be wrong with a key, a set of keys or a signature: the codes, explained. Nothing heavy is loaded here."""

from collections.abc import Mapping
from typing import Final

from assay402.core.errors import Notice, TheirError


class KeysUnusable(TheirError):
    """A key, a key ring or a published set of keys that cannot be used as it is.

    Codes: those of `NOTICES` that begin with `key_`, `keys_`, `ring_`, `rotation_` or `did_`.
    """


NOTICES: Final[Mapping[str, Notice]] = {
    "key_address": Notice(
        "The address of a key is neither a file nor a variable.",
        "Write `file:PATH` or `env:NAME`.",
    ),
    "key_missing": Notice(
        "There is no key at its address, or it cannot be read.",
        "Make one with `assay keys new file:PATH`, or put the file or the variable in place.",
    ),
    "key_mode": Notice(
        "The file of a private key is open to others than its owner.",
        "Close it: `chmod 600 FILE`. Where others may have read it, use another key.",
    ),
    "key_malformed": Notice(
        "What stands at the address is no Ed25519 private key.",
        "It is PEM with `-----BEGIN PRIVATE KEY-----` (PKCS #8, without a password), as `assay keys new` writes it.",
    ),
    "key_exists": Notice(
        "There is a file at the key's address already.",
        "A key is never overwritten: choose another path.",
    ),
    "key_not_writable": Notice(
        "The folder of a key or of the key ring cannot be written.",
        "Give a folder that the service may write, or name a key with ASSAY_SIGNING_KEY and put the ring in place.",
    ),
    "key_not_in_ring": Notice(
        "The key is not in the key ring under this host, or is revoked.",
        "`assay keys show` lists the keys. A key of your own is published first with `assay keys rotate --key ADDRESS`;"
        " it signs a day later.",
    ),
    "key_reused": Notice(
        "The key is in the key ring already.",
        "A key has one name for ever, its host included: take a new key.",
    ),
    "key_none_valid": Notice(
        "No key of the ring is valid at this moment.",
        "Check the clock of this machine, then `assay keys show`.",
    ),
    "ring_missing": Notice(
        "There is no key ring in the data directory.",
        "`assay keys new` makes one, as the first start of the service does.",
    ),
    "ring_malformed": Notice(
        "The newest file of the key ring is damaged.",
        "Put back a copy of it; the files beside it with lower numbers are its earlier states.",
    ),
    "ring_busy": Notice("Others kept changing the key ring at the same time.", "Try again."),
    "rotation_pending": Notice(
        "A next key is published already and does not sign yet.",
        "Wait until it signs: `assay keys show` says when.",
    ),
    "rotation_wait": Notice(
        "The next key must be published for a day or longer before it signs.",
        "Give 24 hours or more.",
    ),
    "did_host": Notice(
        "The public address has no host that a did:web name can carry.",
        "Use a domain name; of numeric addresses only 127.0.0.1 is taken, for this machine alone.",
    ),
    "keys_malformed": Notice(
        "This is no set of public keys.",
        "Give a JWKS or a did:web document as the service publishes it.",
    ),
    "keys_private": Notice(
        "The set of keys holds a private key.",
        "A key that was given away signs for anybody: ask the service for its public keys.",
    ),
    "keys_ambiguous": Notice(
        "Two different keys of the set have the same name.",
        "Fetch the set again from the service.",
    ),
    "keys_none": Notice(
        "The set holds no Ed25519 key with a name.", "Give the set of the service that signed."
    ),
    "signature_missing": Notice(
        "There is no signature with the answer.",
        "Give the `Assay-Signature` header with --signature, the saved response with its headers, or the signed"
        " document of `?envelope=1`.",
    ),
    "signature_malformed": Notice(
        "The signature is not in the form of a JSON Web Signature.",
        "Give the value of the header as it was received.",
    ),
    "signature_too_long": Notice(
        "The signature or its header is too long.", "Give the value of the header and nothing else."
    ),
    "signature_header": Notice(
        "The signed header lacks a member, repeats one, or has one of the wrong kind.",
        "The answer was not signed as this service signs.",
    ),
    "signature_type": Notice(
        "The signature was made for something else than an answer.",
        "Offers and receipts of x402 and answers are signed apart: give what was signed.",
    ),
    "signature_algorithm": Notice(
        "The signature names another algorithm than Ed25519.",
        "Do not trust it: this service signs with Ed25519 alone.",
    ),
    "signature_critical": Notice(
        "The signature demands an extension that is not known here.",
        "Do not trust it: this service demands none.",
    ),
    "signature_key_unknown": Notice(
        "The key that the signature names is not in the set.",
        "Fetch the keys of the service again: a set saved before the key was made does not hold it.",
    ),
    "signature_wrong": Notice(
        "The signature is not of these bytes by that key.",
        "Compare the bytes with those received: nothing may be reformatted, not even the end of the file.",
    ),
    "signature_outside_validity": Notice(
        "The signature is dated outside the time in which its key signed.",
        "Do not trust it before the service explains it.",
    ),
    "signature_payload": Notice(
        "What was signed is no offer or receipt of x402.",
        "Give the signed object as it stands under `offer-receipt`.",
    ),
}
"""Every code of this room."""
