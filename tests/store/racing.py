"""A process that wants what others want at the same time; prints as JSON what it got.

Arguments: the address of the database, a name. It begins when its standard input ends.
"""

import asyncio
import json
import sys

from assay402.service.ports import Claimed
from assay402.store.opening import Store, open_store
from store.databases import NOW, claim

KEYS = 15
TRIES = 40
ALLOWED = 25


async def race(store: Store, name: str) -> dict[str, list[int]]:
    """Claim the same keys as the others, as many keys of one payer as there are, one id, one `Idempotency-Key`, and free calls."""
    same = await asyncio.gather(
        *(
            store.payments.claim(claim(each, payer=f"0x{each}", payload_sha256=name), NOW)
            for each in range(KEYS)
        )
    )
    of_one_payer = await asyncio.gather(
        *(
            store.payments.claim(claim(1_000 * (1 + int(name)) + each, payer="0xgreedy"), NOW)
            for each in range(TRIES)
        )
    )
    one_id = await asyncio.gather(
        *(
            store.payments.claim(
                claim(100_000 * (1 + int(name)) + each, payer=f"0xid{each}", payment_id="the-id"), NOW
            )
            for each in range(KEYS)
        )
    )
    one_key = await asyncio.gather(
        *(
            store.payments.claim(
                claim(200_000 * (1 + int(name)) + each, payer=f"0xkey{each}", idempotency_key="the-key"), NOW
            )
            for each in range(KEYS)
        )
    )
    free = await asyncio.gather(
        *(store.free_tier.take("caller:greedy", NOW, ALLOWED, 0) for _ in range(TRIES))
    )
    return {
        "same": [isinstance(each, Claimed) for each in same],
        "of_one_payer": [isinstance(each, Claimed) for each in of_one_payer],
        "one_id": [isinstance(each, Claimed) for each in one_id],
        "one_key": [isinstance(each, Claimed) for each in one_key],
        "free": list(free),
    }


async def main() -> None:
    """Open, wait for the start, race."""
    address, name = sys.argv[1:]
    store = await open_store(address)
    print("ready", flush=True)  # noqa: T201  (what the test waits for)
    sys.stdin.read()
    print(json.dumps(await race(store, name)))  # noqa: T201  (what the test reads)
    await store.close()


if __name__ == "__main__":
    asyncio.run(main())
