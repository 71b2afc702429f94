"""A facilitator over HTTP on the official SDK: `/verify`, `/settle` and `/supported` for the sandbox's chains.

The SDK's calls block, so they are made in one thread of their own, one at a time: a settlement takes a tenth of a second.
"""

import json
from typing import Any, Final

from msgspec import Struct

from assay402.sandbox.accounts import evm_account, solana_keypair
from assay402.sandbox.serving import OneThreadServer, Reply, Request
from assay402.sandbox.solana import SOLANA_DEVNET


class Backends(Struct, frozen=True, kw_only=True):
    """The nodes that a facilitator settles on, by address."""

    evm_network: str | None = None
    evm_url: str | None = None
    solana_url: str | None = None


class Facilitator:
    """A facilitator that runs until it is closed."""

    def __init__(self, backends: Backends, port: int = 0) -> None:
        self._served: Final[OneThreadServer[Any]] = OneThreadServer(
            lambda: _make(backends), self._reply, name="sandbox-facilitator", port=port
        )

    @property
    def url(self) -> str:
        """Where it is."""
        return self._served.url

    def close(self) -> None:
        """Finish what is under way, then stop."""
        self._served.close()

    def _reply(self, request: Request) -> Reply:
        match request:
            case Request(method="GET", path="/supported"):
                return _reply(self._served.held.run(lambda sdk: sdk.get_supported()))
            case Request(method="POST", path="/verify" | "/settle" as path):
                return self._pay(path.removeprefix("/"), request.body)
            case _:
                return Reply(status=404)

    def _pay(self, work: str, body: bytes) -> Reply:
        from x402.schemas import parse_payment_payload, parse_payment_requirements

        try:
            asked = json.loads(body)
            payload = parse_payment_payload(asked["paymentPayload"])
            requirements = parse_payment_requirements(payload.x402_version, asked["paymentRequirements"])
        except (ValueError, KeyError, TypeError):
            return Reply(status=400, body=b'{"error":"invalid_payload"}')
        try:
            return _reply(self._served.held.run(lambda sdk: getattr(sdk, work)(payload, requirements)))
        except Exception:  # noqa: BLE001  (the outermost frame of the facilitator: whatever the SDK raises is its fault)
            return Reply(status=500, body=b'{"error":"internal"}')


def _reply(value: Any) -> Reply:  # noqa: ANN401  (a model of the SDK)
    return Reply(body=value.model_dump_json(by_alias=True, exclude_none=True).encode())


def _make(backends: Backends) -> Any:  # noqa: ANN401  (not looked into)
    from x402 import x402FacilitatorSync

    facilitator = x402FacilitatorSync()
    if backends.evm_url is not None:
        from x402.mechanisms.evm import FacilitatorWeb3Signer
        from x402.mechanisms.evm.exact import register_exact_evm_facilitator

        evm = FacilitatorWeb3Signer(private_key=evm_account("settler").key.hex(), rpc_url=backends.evm_url)
        register_exact_evm_facilitator(facilitator, evm, networks=backends.evm_network)
    if backends.solana_url is not None:
        from x402.mechanisms.svm import FacilitatorKeypairSigner
        from x402.mechanisms.svm.exact import register_exact_svm_facilitator

        svm = FacilitatorKeypairSigner(solana_keypair("settler"), rpc_url=backends.solana_url)
        register_exact_svm_facilitator(facilitator, svm, networks=SOLANA_DEVNET)
    return facilitator
