"""A seller on the official SDK's own middleware: what clients pay while the gate of the service is not the subject."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

ENDS_WITHIN = 30


def make_seller(facilitator_url: str, offers: dict[str, dict[str, Any]]) -> Any:
    """Build a shop with a page for each offer: its path, and what `PaymentOption` wants to know."""
    from fastapi import FastAPI, Request
    from x402 import x402ResourceServer
    from x402.http import FacilitatorConfig, HTTPFacilitatorClient, PaymentOption, RouteConfig
    from x402.http.middleware.fastapi import PaymentMiddlewareASGI
    from x402.mechanisms.evm.exact import register_exact_evm_server
    from x402.mechanisms.svm.exact import register_exact_svm_server

    server = x402ResourceServer(HTTPFacilitatorClient(FacilitatorConfig(url=facilitator_url)))
    register_exact_evm_server(server)
    register_exact_svm_server(server)
    app = FastAPI()
    routes = {
        f"POST {path}": RouteConfig(accepts=PaymentOption(scheme="exact", price="$0.01", **offer))
        for path, offer in offers.items()
    }
    app.add_middleware(PaymentMiddlewareASGI, routes=routes, server=server)

    async def sell(request: Request) -> dict[str, Any]:
        return {"sold": (await request.body()).decode()}

    for path in offers:
        app.post(path)(sell)
    return app


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve an application on loopback and give its address."""
    import uvicorn

    # Bound before the server starts, so that nobody waits for it: who connects early is queued.
    with socket.create_server(("127.0.0.1", 0)) as bound:
        config = uvicorn.Config(app, log_level="critical", lifespan="off", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([bound],), name="seller")
        thread.start()
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(ENDS_WITHIN)
            assert not thread.is_alive()
