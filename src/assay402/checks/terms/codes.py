"""Every code of the terms check, explained. A refusal's code is `<protocol>/<reason>`; the reason is what is listed."""

from collections.abc import Mapping
from typing import Final

from assay402.core.errors import Notice

SERVICE: Final = "legal-context-placement"
VERSION: Final = "0.11.0"
REQUEST_BYTES: Final = 1_048_576
"""A whole document with its wrapping; challenges run to some kilobytes, credentials to some hundred."""

_REMOVE: Final = (
    "Remove the stale slot that `detail` names; some slots are only read, and placing again leaves them."
)
_OWN_MACHINE: Final = "For your own machine add `--allow-private`."

NOTICES: Final[Mapping[str, Notice]] = {
    "carrier-type-not-permitted": Notice(
        "The protocol does not permit a reference of this type in this place.",
        "Use `sha256`, the hash of the exact bytes of the terms.",
    ),
    "terms-url-unplaceable": Notice(
        "The protocol has no place for a terms URL.",
        "Leave the URL out; the reference is placed alone.",
    ),
    "terms-url-missing": Notice(
        "A hash needs the URL of its document, and none is there.",
        "Give the https URL that serves the very bytes that were hashed.",
    ),
    "terms-url-malformed": Notice(
        "The terms URL is no https link that every reader takes.",
        "Write https:// in lower case, a host, and no blank, control character or backslash; at most 2048 characters.",
    ),
    "terms-url-slot-unwritable": Notice(
        "The document has no room for the terms URL at its place.", "Mend what stands above that place."
    ),
    "terms-url-mismatch": Notice(
        "Two places of the document name different terms URLs.",
        "Place the terms again with `assay terms place`: every place of the URL is written anew.",
    ),
    "document-malformed": Notice(
        "The document is no object, or something in it stands where the reference would have to go.",
        "Give the whole challenge; `detail` names the place and what was found there.",
    ),
    "write-condition-unmet": Notice(
        "The document does not meet the condition under which the protocol lets the reference be written.",
        "Place into a document that does.",
    ),
    "reference-malformed": Notice(
        "The reference is missing, is none, or its value is none of its type.",
        "A hash is 0x in lower case and 64 hexadecimal digits.",
    ),
    "reference-absent": Notice(
        "The document advertises no terms in any place of this protocol.",
        "Name the protocol with `--protocol` if it is not x402; else the seller must place terms.",
    ),
    "receipt-already-issued": Notice(
        "The receipt is signed; writing into it would break its proof.", "Place before the receipt is issued."
    ),
    "tier-b-not-writable": Notice(
        "The protocol's verifiers must reject what they do not know, so this place is only read.",
        "Agree on a constraint type with the network first; nothing is written until then.",
    ),
    "insecure-terms-url": Notice(
        "The link to the terms is not https and could be rewritten on the way.", "Serve the terms over https."
    ),
    "terms/hash-mismatch": Notice("Two places of the document commit to different terms.", _REMOVE),
    "terms/mirror-malformed": Notice("A place for the hash holds something that is none.", _REMOVE),
    "terms/name-repeated": Notice(
        "A name stands more than once in one object, and readers differ in the value they take.",
        "Write every name once; if this is a challenge you were sent, do not pay.",
    ),
    "terms/not-placed": Notice(
        "A 402 left without the terms in either leg; `detail` says what each leg was.",
        "Let compression stand outside of the middleware, and send the challenge as one readable header or JSON body.",
    ),
    "terms/leg-unreadable": Notice(
        "Header or body of the 402 is there and cannot be read strictly; other clients may read terms in it.",
        "Do not pay. The seller must send plain base64 and plain JSON in UTF-8, and the same in both legs.",
    ),
    "terms/protocol-unknown": Notice(
        "The protocol has no placement here.",
        "Choose one of x402, mpp, ap2, ack, acp, ucp, visa-tap, mastercard-vi, a2a; mcp delivers terms by itself.",
    ),
    "terms/request-malformed": Notice(
        "The request is no object of the members this operation knows, in their types.",
        "place takes {ref, termsUrl?, doc, protocol?, faithful?}, extract {doc, protocol?, strict?},"
        " verify {doc} or {url}, discover {origin}.",
    ),
    "terms/not-a-402": Notice(
        "The endpoint did not answer with status 402.",
        "Ask with the address and method that are paid for, or save its challenge and verify the file.",
    ),
    "terms/no-challenge": Notice(
        "Neither header nor body of the 402 carries a challenge.",
        "`assay dialect check` tells what is wrong with it.",
    ),
    "terms/origin-malformed": Notice(
        "This is no https origin.", "Give https://host, with a port where it is not 443, and no path."
    ),
    "terms/needs-network": Notice(
        "This operation needs a network, which this way of running does not use.",
        "Run it on the command line.",
    ),
    "link-not-https": Notice(
        "The link is of another scheme than https.", "Do not pay; the seller must use https."
    ),
    "legal-context-malformed": Notice(
        "The link breaks the link rule.", "Do not pay; `assay explain terms/strict-link` tells the rule."
    ),
    "hash-mismatch": Notice(
        "The link serves other bytes than the ones that were advertised.",
        "Do not pay. The seller must serve the file exactly as it was hashed, or place its new hash.",
    ),
    "atr-unfetchable": Notice(
        "The terms could not be fetched: status, redirect, content coding, address, TLS or time; `detail` says which.",
        f"Do not pay. {_OWN_MACHINE}",
    ),
    "atr-too-large": Notice(
        "The terms are longer than one mebibyte.", "Do not pay; the seller must shorten them."
    ),
    "offer-unreadable": Notice(
        "No one offer can be read from the challenge.",
        "Do not pay. `detail` is the code of the read: explain that one.",
    ),
    "listing-unfetchable": Notice(
        "The discovery document could not be fetched: `detail` says why.",
        f"It is served at /.well-known/legal-context.json, over https, without a redirect. {_OWN_MACHINE}",
    ),
    "listing-too-large": Notice("The discovery document is longer than 65536 bytes.", "Shorten it."),
    "listing-malformed": Notice(
        "The discovery document is not one: `detail` names the member.",
        "Write it with `assay terms well-known`.",
    ),
    "mismatch": Notice(
        "The served terms are not the ones the listing promises.", "Change file and `atrHash` together."
    ),
    "listing-format-not-machine-readable": Notice(
        "The terms are in a format that agents do not read.", "Offer them as markdown, JSON or plain text."
    ),
    "no-hash-advertised": Notice(
        "The listing commits to no bytes, so nothing can be compared.",
        "Put `assay terms hash FILE` into `atrHash`.",
    ),
}
"""The notices by code or by reason."""
