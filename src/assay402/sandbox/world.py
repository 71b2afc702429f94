"""Everything the sandbox runs, started in order and stopped in reverse: chains, facilitator, and the service in paid mode."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from errno import EADDRINUSE
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.structs import replace

from assay402.core.errors import TheirError
from assay402.sandbox.accounts import evm_account, solana_keypair
from assay402.sandbox.anvil import AnvilFailed
from assay402.sandbox.chain import NETWORKS, Chain, NodeKind
from assay402.sandbox.facilitator import Backends, Facilitator
from assay402.sandbox.payer import Nodes
from assay402.sandbox.service import Service
from assay402.sandbox.solana import USDC, SolanaChain
from assay402.service.settings import Settings


class Plan(Struct, frozen=True, kw_only=True):
    """What to start, and on which ports; 0 is any that is free."""

    network: str = "base-sepolia"
    """One of `NETWORKS`."""
    node: NodeKind = "auto"
    chain_port: int = 0
    solana_port: int = 0
    facilitator_port: int = 0
    port: int = 0
    """Of the service."""


class Addresses(Struct, frozen=True, kw_only=True, rename="camel"):
    """Where everything is, and who has money."""

    network: str
    node: str
    chain: str
    token: str
    solana_network: str
    solana_chain: str
    solana_token: str
    facilitator: str
    service: str
    payer: str
    payer_key: str
    recipient: str
    solana_payer: str
    solana_payer_key: str
    solana_recipient: str


class World:
    """The sandbox, running until it is closed. `tell` hears what is started, `say` the log of the service.

    Raises:
        TheirError: `sandbox_port_taken` or `sandbox_chain_failed`.
    """

    def __init__(self, plan: Plan, tell: Callable[[str], None], say: Callable[[str], None]) -> None:
        self._closing = ExitStack()
        try:
            self._start(plan, tell, say)
        except BaseException as error:
            self._closing.close()
            if isinstance(error, OSError) and error.errno == EADDRINUSE:
                raise TheirError("sandbox_port_taken") from None
            if isinstance(error, AnvilFailed):
                raise TheirError("sandbox_chain_failed") from None
            raise
        self.nodes = Nodes(evm_url=self.chain.url, solana_url=self.solana.url)

    def _start(self, plan: Plan, tell: Callable[[str], None], say: Callable[[str], None]) -> None:
        network = NETWORKS[plan.network]
        tell(f"starting a chain that stands in for {network.id}")
        self.chain = self._closing.enter_context(closing(Chain(network, plan.node, plan.chain_port)))
        tell("starting a chain that stands in for Solana's development network")
        self.solana = self._closing.enter_context(closing(SolanaChain(plan.solana_port)))
        tell("starting a facilitator for both")
        backends = Backends(evm_network=network.id, evm_url=self.chain.url, solana_url=self.solana.url)
        self.facilitator = self._closing.enter_context(closing(Facilitator(backends, plan.facilitator_port)))
        tell("starting the service, which wants to be paid")
        self.data_dir = Path(self._closing.enter_context(TemporaryDirectory(prefix="assay-sandbox-")))
        settings = replace(paid_settings(self.chain, self.solana, self.facilitator.url), port=plan.port)
        self.service = self._closing.enter_context(closing(Service(settings, self.data_dir, say)))

    def addresses(self) -> Addresses:
        """Say where everything is."""
        payer, solana_payer = evm_account("payer"), solana_keypair("payer")
        return Addresses(
            network=self.chain.network.id,
            node=self.chain.kind,
            chain=self.chain.url,
            token=self.chain.network.usdc,
            solana_network=self.solana.network,
            solana_chain=self.solana.url,
            solana_token=USDC,
            facilitator=self.facilitator.url,
            service=self.service.url,
            payer=payer.address,
            payer_key=f"0x{bytes(payer.key).hex()}",
            recipient=evm_account("recipient").address,
            solana_payer=str(solana_payer.pubkey()),
            solana_payer_key=str(solana_payer),
            solana_recipient=str(solana_keypair("recipient").pubkey()),
        )

    def close(self) -> None:
        """Stop everything, last started first."""
        self._closing.close()


def paid_settings(chain: Chain, solana: SolanaChain, facilitator_url: str) -> Settings:
    """Make the settings of a service that is paid on both chains; where it listens and keeps its data is left open."""
    return Settings(
        payments="required",
        networks=(chain.network.id, solana.network),
        pay_to=(
            (chain.network.id, evm_account("recipient").address),
            (solana.network, str(solana_keypair("recipient").pubkey())),
        ),
        facilitator_url=facilitator_url,
        rpc_urls=((chain.network.id, chain.url),),
        port=0,
        drain_notice_seconds=0,  # nobody balances here
    )
