"""The states in which a fetch ends without a complete response, explained.

A state is what `Failed.state` says, a phase or a cause what `Failed.detail` says. The codes of the address policy
(`addr_…`, `own_address` and those of spelling) are states too; they are explained beside their rules in
`core.target`. Data only: `net` decides which state it is.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from assay402.core.errors import Notice

Phase: TypeAlias = Literal["dns", "connect", "tls", "headers", "body"]
"""What a `deadline` was spent on when it passed."""
Cause: TypeAlias = Literal["refused", "no_route", "reset"]
"""Why a server was `unreachable`."""

NOTICES: Mapping[str, Notice] = {
    "dns_no_answer": Notice(
        "The name has no address, or its name servers gave no usable answer.",
        "Check the spelling of the host and its A and AAAA records.",
    ),
    "dns_too_many": Notice(
        "The name has more than 64 addresses.", "Publish fewer A and AAAA records for the host."
    ),
    "unreachable": Notice(
        "No connection to the server, or it broke off.",
        "Check that the server runs, listens on this port and is open to the internet.",
    ),
    "tls": Notice(
        "The server's TLS certificate or handshake is not acceptable.",
        "Serve a valid certificate for this host, with its chain, over TLS 1.2 or newer.",
    ),
    "deadline": Notice(
        "The time allowed for the whole fetch passed.",
        "Answer within the deadline, from the name look-up to the last byte.",
    ),
    "header_cap": Notice(
        "The headers, a chunk header or the trailers are too long.",
        "Keep status line and headers together within 32,768 bytes, and each chunk header and the trailers"
        " within 4,096.",
    ),
    "body_cap": Notice("The body is too long.", "Keep the body within 65,536 bytes as sent."),
    "wire_cap": Notice(
        "The server sent too many bytes around the response.",
        "Send fewer and larger chunks, and no padding: all of it within 262,144 bytes.",
    ),
    "protocol": Notice(
        "What the server sent is not one complete HTTP/1.1 response.",
        "Check status line, header syntax, Content-Length against the body, and what proxies add.",
    ),
    "redirects": Notice(
        "The server redirects too often, or in a circle.",
        "Answer at the address that is asked, or redirect at most as often as the check follows.",
    ),
    "no_memory": Notice(
        "What was remembered of earlier runs cannot be read or kept.",
        "Check the path of the history log, and that it is a file that may be written.",
    ),
}
"""Every state that no judgement of an address gives."""

PHASES: Mapping[Phase, str] = {
    "dns": "while the name was looked up",
    "connect": "while the connection was opened",
    "tls": "during the TLS handshake",
    "headers": "before the headers were complete",
    "body": "before the body was complete",
}
"""Each phase, to stand behind the text of `deadline`."""

CAUSES: Mapping[Cause, str] = {
    "refused": "the server refused the connection",
    "no_route": "the server's address cannot be reached from here",
    "reset": "the connection was reset",
}
"""Each cause, to stand behind the text of `unreachable`."""
