"""A seller on FastAPI with the official x402 SDK: one line more, and every 402 names its terms.

`make_app` takes the facilitator, so that the same application runs against a hosted one and in the tests.
"""

from pathlib import Path
from typing import Any

from fastapi import FastAPI, Response
from x402 import x402ResourceServer
from x402.http import PaymentOption, RouteConfig
from x402.http.middleware.fastapi import PaymentMiddlewareASGI
from x402.mechanisms.evm.exact import register_exact_evm_server

from assay402 import terms
from assay402.asgi import TermsMiddleware

TERMS = Path(__file__).with_name("terms.md").read_bytes()
"""Read once and served as it is: the URL must serve the very bytes that were hashed."""
NETWORK = "eip155:84532"
PAY_TO = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"


def make_app(facilitator: Any) -> FastAPI:
    """Build the shop: a free page of terms, and a report for one cent."""
    server = x402ResourceServer(facilitator)
    register_exact_evm_server(server)
    price = PaymentOption(scheme="exact", pay_to=PAY_TO, price="$0.01", network=NETWORK)

    app = FastAPI()
    app.add_middleware(
        PaymentMiddlewareASGI, routes={"GET /report": RouteConfig(accepts=price)}, server=server
    )
    # Added last, so that it stands in front of the payment middleware and sees the 402 that one sends.
    app.add_middleware(
        TermsMiddleware, terms_hash=terms.hash_terms(TERMS), terms_url="https://seller.example/terms.md"
    )

    @app.get("/terms.md")
    def terms_of_sale() -> Response:
        return Response(TERMS, media_type="text/markdown")

    @app.get("/report")
    def report() -> dict[str, str]:
        return {"report": "sunny"}

    return app
