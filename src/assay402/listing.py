"""The listing check as a library: a service's address in, the published report out. The network is asked."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from assay402.checks.listing import CHECK
from assay402.checks.listing.contract import output_schema
from assay402.checks.listing.model import ListingInput
from assay402.core.check import Refusal
from assay402.core.strictjson import write
from assay402.library import within_cap

if TYPE_CHECKING:
    from assay402.net.run import Outside

_CHECK = CHECK.operation("check")


def check(
    request: Mapping[str, Any],
    *,
    history: str | None = None,
    allow_private: bool = False,
    outside: "Outside | None" = None,
) -> dict[str, Any]:
    """Give the published report on a service, or the refusal `{"refused": True, "code": …}`.

    The arguments are those of `acheck`. Not to be called from a running event loop.
    """
    given = _admitted(request, history, allow_private)
    if isinstance(given, Refusal):
        return given.published()
    import asyncio  # noqa: PLC0415  (importing the library and refusing a request load no network)

    return asyncio.run(_answer(given, history, allow_private, outside))


async def acheck(
    request: Mapping[str, Any],
    *,
    history: str | None = None,
    allow_private: bool = False,
    outside: "Outside | None" = None,
) -> dict[str, Any]:
    """Give the published report on a service, or the refusal `{"refused": True, "code": …}`.

    `request` holds `url` and, where wanted, the members that docs/guides/listing.md lists. `history` is the path of a
    probe history log. `allow_private` lets the run contact this machine and private addresses; never set it for
    requests of others. `outside` replaces network, memory and time, for tests of your own. Never raises for bad input.
    """
    given = _admitted(request, history, allow_private)
    if isinstance(given, Refusal):
        return given.published()
    return await _answer(given, history, allow_private, outside)


def _admitted(request: Any, history: str | None, allow_private: bool) -> ListingInput | Refusal:  # noqa: ANN401  (callers may pass anything)
    wanted = request
    if history is not None and isinstance(request, Mapping):
        wanted = {**request, "history": True}
    found: ListingInput | Refusal = _CHECK.admit(within_cap(_CHECK, wanted), allow_private=allow_private)
    return found


async def _answer(
    given: ListingInput, history: str | None, allow_private: bool, outside: "Outside | None"
) -> dict[str, Any]:
    from assay402.net.http import Fetcher  # noqa: PLC0415  (as above)
    from assay402.net.run import Outside, run  # noqa: PLC0415
    from assay402.store.history import HistoryLog  # noqa: PLC0415

    if outside is None:
        outside = Outside(
            fetcher=Fetcher(allow_private=allow_private),
            memory=None if history is None else HistoryLog(history),
        )
    answer, _ = await run(_CHECK.run(given), outside)
    return answer.published() if isinstance(answer, Refusal) else _CHECK.publish(answer)


def schema() -> dict[str, Any]:
    """Give the JSON Schema of the published report."""
    plain: dict[str, Any] = msgspec.json.decode(write(output_schema()))
    return plain
