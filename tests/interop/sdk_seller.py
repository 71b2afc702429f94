"""A seller on the official SDK's own middleware: what clients pay while the gate of the service is not the subject."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

PRICE = 10_000
"""Atomic units of a call: one cent."""
STARTS_WITHIN = 30


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

    @app.post("/{page}")
    async def sell(request: Request) -> dict[str, Any]:
        return {"sold": (await request.body()).decode()}

    return app


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Serve an application on loopback and give its address."""
    import uvicorn

    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    started = threading.Event()

    async def serve() -> None:
        running = asyncio.create_task(server.serve())
        while not server.started and not running.done():
            await asyncio.sleep(0)
        started.set()
        await running

    thread = threading.Thread(target=asyncio.run, args=(serve(),), name="seller")
    thread.start()
    try:
        assert started.wait(STARTS_WITHIN)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(STARTS_WITHIN)
        assert not thread.is_alive()
