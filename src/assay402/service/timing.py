"""How long a worker has a payment to itself, added up from what each part of its work may take."""

from typing import Final

from msgspec import Struct

LOOK_SECONDS: Final = 20
"""One look-up at a node, whatever it asks."""
SETTLE_SECONDS: Final = 60
"""One call to settle."""
PAUSE_SECONDS: Final = 1
"""Before a settlement that is pending is asked about again, once."""
FEE_SECONDS: Final = 2
"""Asking what a transaction cost."""
STORE_SECONDS: Final = 10
"""One change of the store, or one question to it, waiting for others included: a server's is given up then."""
LONGEST_RETRY: Final = 600
"""Longest `Retry-After` of a facilitator that counts: a payment in doubt is left alone for so long."""
RECORD_SECONDS: Final = FEE_SECONDS + STORE_SECONDS
"""Writing a settlement, which may turn out to be counted for another payment."""
PLACE_SECONDS: Final = STORE_SECONDS + LOOK_SECONDS + STORE_SECONDS + STORE_SECONDS
"""Finding that other payment, looking it up, writing its place, and writing the settlement again."""
SETTLING_SECONDS: Final = (
    STORE_SECONDS
    + LOOK_SECONDS
    + (SETTLE_SECONDS + PAUSE_SECONDS + SETTLE_SECONDS)
    + RECORD_SECONDS
    + LOOK_SECONDS
    + (RECORD_SECONDS + PLACE_SECONDS)
)
"""The longest way from a payment in doubt to its end.

Taken over; looked up in vain; asked for, pending, asked for again; written, found to be counted for another payment; looked
up; written, found to be counted without its place, and written once that is known.
"""


class Timing(Struct, frozen=True, kw_only=True):
    """How long a worker has a payment to itself, in seconds."""

    work_margin: int = 15
    """Beyond the time of the work itself."""
    settling: int = SETTLING_SECONDS
    """As long as it may take to bring a settlement to its end, whatever facilitator and node do."""
    retry_after: int = 2
    """What a client is told to wait at least."""
    retry_after_in_doubt: int = 10
    """The same where the outcome of a settlement is not known."""
    retry_after_unresolved: int = 600
    """The same where only the operator can find out."""
