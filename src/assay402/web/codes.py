"""What the HTTP face itself can refuse, explained. Nothing heavy is loaded here: `assay explain` reads it."""

from collections.abc import Mapping
from typing import Final

from assay402.core.errors import Notice

NOTICES: Final[Mapping[str, Notice]] = {
    "not_found": Notice("There is nothing at this path.", "GET /openapi.json lists what there is."),
    "not_covered": Notice("NOT COVERED", "This check offers POST precheck and POST check; the criteria say what each does."),
    "method_not_allowed": Notice("This path does not take this method.", "Use one that the header Allow names."),
    "content_type": Notice("The body is not announced as JSON.", "Send Content-Type: application/json, in UTF-8."),
    "content_coding": Notice("The body is compressed.", "Send it as it is, without Content-Encoding."),
    "content_length": Notice("The length of the body is not announced in a readable way.", "Send one Content-Length, a number, or Transfer-Encoding: chunked; not both."),
    "body_late": Notice("The body did not arrive in time.", "Send it again; a body has the seconds that the service's guide names."),
    "head_late": Notice("The head of the request did not arrive in time.", "Send it again, at once."),
    "head_too_large": Notice("The headers are too many or too long.", "Send fewer; the payment header has room in the limit."),
    "request_malformed": Notice("This is no HTTP request that can be read.", "Send HTTP/1.1 as RFC 9112 has it."),
    "query": Notice("The query has a parameter this path does not take, or a value it cannot have.", "Send envelope=1 or none; on the deliverable check also profile=contract or profile=assay."),
    "envelope_unavailable": Notice("Answers are not signed here, so there is no envelope.", "Ask without envelope=1."),
    "header_repeated": Notice("A header that may stand once stands twice.", "Send it once."),
    "terms_file": Notice("The file of the terms cannot be read, or holds no JSON object.", 'Write {"ref": {"type": "sha256", "value": "0x…"}, "termsUrl": "https://…"} into the file that ASSAY_TERMS_FILE names.'),
    "port_taken": Notice("Another program listens on this port.", "Choose another with --port or ASSAY_PORT; --port 0 takes a free one."),
    "address_unusable": Notice("The address to listen on cannot be used.", "Choose one of this machine with --host or ASSAY_HOST."),
    "workers_fail": Notice("Worker processes end as soon as they start.", "The log above says why; `--workers 1` shows it best."),
    "node_missing": Notice("Payments are taken on a network for which no node is named: one whose settlement gets no answer stays in doubt for ever.", "Name a node for each Ethereum network: ASSAY_RPC_URLS=eip155:8453=https://…"),
    "busy": Notice("Too many requests are under way.", "Try again after the seconds that Retry-After names; nothing was charged."),
    "draining": Notice("This server is about to stop.", "Try again after the seconds that Retry-After names; nothing was charged."),
    "payment_pending": Notice("The payment is being worked on.", "Ask again with the same payment after the seconds that Retry-After names; do not sign another."),
}  # fmt: skip
"""Every code of the HTTP face."""
