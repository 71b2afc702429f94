"""A process that pays without end, says each thing once it is durable, and is killed by the test that started it.

Arguments: the address of the database, a seed, a name for its keys.
"""

import asyncio
import os
import random
import sys

from msgspec.structs import replace

from assay402.service.ports import Claimed
from assay402.store.opening import Store, open_store
from store.databases import ENTRY, NOW, PAID, after, answer, claim

TASKS = 6


def say(*words: object) -> None:
    """Write a line at once: a pipe takes it whole, and it is there when we are killed."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


async def pay(store: Store, chance: random.Random, name: str) -> None:
    """Make one payment after the other."""
    payments = store.payments
    number = 0
    while True:
        number += 1
        one = claim(1, payer=f"0x{name}")
        key = f"{name}/{number}"
        outcome = await payments.claim(
            type(one)(**{each: getattr(one, each) for each in one.__struct_fields__} | {"key": key}), NOW
        )
        assert isinstance(outcome, Claimed)
        say("claimed", key)
        if chance.random() < 0.2:
            assert await payments.expire(key, 1)
            say("expired", key)
            continue
        kept = answer(key, payment_key=key) if chance.random() < 0.5 else None
        assert await payments.keep(key, 1, ENTRY, kept, after(60))
        say("stored", key)
        if chance.random() < 0.2:
            assert await payments.release(key, 1)
            say("released", key)
            continue
        assert await payments.begin_settling(key, 1, after(60))
        say("settling", key)
        assert await payments.settled(key, 1, replace(PAID, transaction=key), NOW, house=False)
        say("settled", key)


async def main() -> None:
    """Run the tasks until the process is killed."""
    address, seed, name = sys.argv[1:]
    store = await open_store(address)
    chances = [random.Random(f"{seed} {task}") for task in range(TASKS)]
    await asyncio.gather(*(pay(store, chance, f"{name}-{task}") for task, chance in enumerate(chances)))


if __name__ == "__main__":
    asyncio.run(main())
