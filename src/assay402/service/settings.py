"""The settings of the service: one frozen value. Reading it from the environment and a file is in `settings_source`."""

from typing import Final, Literal

from msgspec import Struct

PAID_NOTICE_SECONDS: Final = 5
"""Balancers look at readiness every few seconds."""


class Settings(Struct, frozen=True, kw_only=True):
    """Every setting, with the default that runs on a laptop. `assay settings` prints them with these texts."""

    payments: Literal["off", "required"] = "off"
    """Whether answers with a price must be paid for."""
    public_url: str | None = None
    """The https address clients use; the only source of `resource.url` and of the did:web host."""
    networks: tuple[str, ...] = ()
    """CAIP-2 ids of the networks payments are taken on, such as `eip155:8453`."""
    pay_to: tuple[tuple[str, str], ...] = ()
    """Who is paid, by network or by namespace: `eip155:*=0x…,solana:*=…`."""
    facilitator_url: str | None = None
    """The facilitator that verifies and settles."""
    facilitator_headers: tuple[tuple[str, str], ...] = ()
    """Headers the facilitator wants with each call, such as an authorization. Secret."""
    rpc_urls: tuple[tuple[str, str], ...] = ()
    """Nodes to look authorizations up on, by network: `eip155:8453=https://…`. Secret."""
    assets: tuple[tuple[str, str], ...] = ()
    """Another asset for a network than its USDC, of six decimals, with name and version of its EIP-712 domain:
    `eip155:8453=0x…/USD Coin/2`; the two may be left out where they are those of the network's USDC."""
    checks: tuple[str, ...] = ("dialect", "listing", "deliverable", "claims", "terms")
    """The checks this service offers."""
    prices: tuple[tuple[str, int], ...] = ()
    """Other prices than the contracts', by `check/operation`, in millionths of a US dollar."""
    database: str = "sqlite"
    """`sqlite` (a file in the data directory), `sqlite:PATH` or `postgresql://…`. Secret."""
    data_dir: str | None = None
    """Where the database and the signing key stand; the user's data directory by default."""
    signing_key: str | None = None
    """Address of the signing key, `file:PATH` or `env:NAME`; made on first start where it is not set."""
    host: str = "127.0.0.1"
    """Address to listen on."""
    port: int = 8402
    """Port to listen on."""
    workers: int = 1
    """Processes that serve."""
    queue: int = 64
    """Orders of one check that may be under way or wait; further ones get 503."""
    payment_identifier: Literal["optional", "required"] = "optional"
    """Whether a payment must carry an id of its own (the extension `payment-identifier`)."""
    max_timeout_seconds: int = 300
    """How long a payment offered here may take, as `maxTimeoutSeconds` says."""
    house_wallets: tuple[str, ...] = ()
    """Wallets of the operator; rows they pay for carry the house flag."""
    own_addresses: tuple[str, ...] = ()
    """Public addresses of this service, which its checks must not contact."""
    terms_file: str | None = None
    """A file with the legal context that offers carry, as `assay terms place` reads it."""
    trusted_proxies: tuple[str, ...] = ()
    """Addresses of proxies whose `X-Forwarded-For` is believed for the free tier."""
    drain_notice_seconds: int | None = None
    """How long `/readyz` says that the service stops before its port closes, 0 to 60, so that a balancer sends nobody
    any more; by default 5 where payments are required, else 0."""
    free_for_all: bool = False
    """Whether a service with payments off may listen on another address than loopback."""

    @property
    def notice_seconds(self) -> int:
        """How long a service that stops says so while it still listens."""
        if self.drain_notice_seconds is not None:
            return self.drain_notice_seconds
        return PAID_NOTICE_SECONDS if self.payments == "required" else 0
