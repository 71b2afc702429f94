"""A seller without any framework: one ASGI function, wrapped once, and every 402 it sends names its terms.

Run it with any ASGI server, for instance `uvicorn docs_src.terms_handwritten:app`.
"""

import base64
import json
from pathlib import Path

from assay402 import terms
from assay402.asgi import TermsMiddleware
from assay402.asgi.terms import Receive, Scope, Send

TERMS = Path(__file__).with_name("terms.md").read_bytes()
"""Read once and served as it is: the URL must serve the very bytes that were hashed."""

CHALLENGE = {
    "x402Version": 2,
    "error": "PAYMENT-SIGNATURE header is required",
    "resource": {"url": "https://seller.example/report"},
    "accepts": [
        {
            "scheme": "exact",
            "network": "eip155:84532",
            "amount": "10000",
            "asset": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
            "payTo": "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
            "maxTimeoutSeconds": 60,
            "extra": {"name": "USDC", "version": "2"},
        }
    ],
}


async def seller(scope: Scope, _receive: Receive, send: Send) -> None:
    """Serve the terms to everyone, and ask everyone else to pay."""
    if scope["path"] == "/terms.md":
        await answer(send, 200, TERMS, (b"content-type", b"text/markdown"))
        return
    body = json.dumps(CHALLENGE).encode()
    header = (b"payment-required", base64.b64encode(body))
    await answer(send, 402, body, (b"content-type", b"application/json"), header)


async def answer(send: Send, status: int, body: bytes, *headers: tuple[bytes, bytes]) -> None:
    """Send one whole response."""
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})


app = TermsMiddleware(seller, terms_hash=terms.hash_terms(TERMS), terms_url="https://seller.example/terms.md")
