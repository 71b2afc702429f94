"""What the HTTP face is given: the orders it hands over, the keys it publishes, the health it tells."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from msgspec import Struct

from assay402.service.order import Declined, Delivered, Order, Outcome, Resource
from assay402.service.settings import Settings
from assay402.service.telemetry import Telemetry
from assay402.web.limits import Limits


class Orders(Protocol):
    """What takes orders; the gate is behind it."""

    async def take(self, order: Order) -> Outcome:
        """Take an order to its end."""
        ...

    async def receipt(
        self, answer_id: str, *, bearer: str | None = None, sign_in: str | None = None
    ) -> Delivered | Declined:
        """Give a kept answer to whoever may have it."""
        ...

    def stop_admitting(self) -> None:
        """Begin to drain."""
        ...

    async def reconcile(self) -> int:
        """Bring payments that nobody works on to an end; gives how many."""
        ...

    async def tidy(self) -> int:
        """Forget what is kept for a time that is over; gives how many rows went."""
        ...

    async def drained(self) -> None:
        """Wait until every order under way has ended."""
        ...


class Serving(Struct, frozen=True, kw_only=True):
    """Everything the application is made of."""

    settings: Settings
    resources: tuple[Resource, ...]
    orders: Orders
    telemetry: Telemetry
    jwks: Callable[[], bytes]
    """The public signing keys, old ones kept, as a JSON Web Key Set."""
    did_document: Callable[[], bytes] | None = None
    """The same as a did:web document; None without a public address."""
    health: Mapping[str, Callable[[], Awaitable[bool]]] = {}
    """What must be reachable to take orders, by name, such as `database`. Each answers fast and never raises."""
    signs: bool = True
    """Whether answers are signed, so that an envelope can be asked for."""
    limits: Limits = Limits()
