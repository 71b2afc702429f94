"""The Bank of Canada's published rates, by its public JSON (series FXUSDCAD: Canadian dollars for one US dollar).

The address is the operator's own choice, so it is not judged as one from a request would be.
"""

import ssl
from collections.abc import Mapping
from datetime import date
from typing import Final

from assay402.core.asks import Failed, Fetch, Limits
from assay402.core.errors import JSONUnreadable, TheirError
from assay402.core.strictjson import JSON, read
from assay402.net.http import Fetcher
from assay402.service.valuation import is_rate

BANK_OF_CANADA: Final = "https://www.bankofcanada.ca/valet/observations/FXUSDCAD/json"
SERIES: Final = "FXUSDCAD"
_LIMITS: Final = Limits(deadline_ms=20_000, body_bytes=1 << 20, wire_bytes=(1 << 20) + 65_536)
"""A decade of rates takes about 150 kB."""
_OK: Final = 200


class BankOfCanada:
    """Implements `Rates`. `url` is another place with the same JSON."""

    basis: str = "bank_of_canada"

    def __init__(self, url: str = BANK_OF_CANADA, *, trust: ssl.SSLContext | None = None) -> None:
        self._url: Final = url
        self._fetch: Final = Fetcher(allow_private=True, trust=trust)

    async def between(self, since: date, until: date) -> Mapping[date, str]:
        """Give the rate of each day that has one, both ends included.

        Raises:
            TheirError: `rates_unavailable`.

        """
        joint = "&" if "?" in self._url else "?"
        address = f"{self._url}{joint}start_date={since.isoformat()}&end_date={until.isoformat()}"
        answer = await self._fetch(Fetch(url=address, limits=_LIMITS))
        if isinstance(answer, Failed) or answer.status != _OK:
            raise TheirError("rates_unavailable")
        found = read_observations(answer.body)
        if found is None:
            raise TheirError("rates_unavailable")
        return {day: rate for day, rate in found.items() if since <= day <= until}


def read_observations(body: bytes) -> Mapping[date, str] | None:
    """Read the rates of the days that have one; None where the JSON is not the bank's.

    A day is given as `{"d": "2026-11-27", "FXUSDCAD": {"v": "1.3942"}}`. A day without a value has no rate.
    """
    try:
        document = read(body)
    except JSONUnreadable:
        return None
    observations = document.get("observations") if isinstance(document, Mapping) else None
    if not isinstance(observations, list):
        return None
    found: dict[date, str] = {}
    for each in observations:
        observed = _observed(each)
        if observed is None:
            return None
        day, rate = observed
        if rate:
            found[day] = rate
    return found


def _observed(observation: JSON) -> tuple[date, str] | None:
    """Read one day and its rate, which is empty where there is none."""
    day = observation.get("d") if isinstance(observation, Mapping) else None
    if not isinstance(observation, Mapping) or not isinstance(day, str):
        return None
    try:
        observed = date.fromisoformat(day)
    except ValueError:
        return None
    series = observation.get(SERIES)
    rate = series.get("v") if isinstance(series, Mapping) else None
    if rate is None or rate == "":
        return observed, ""
    return (observed, rate) if isinstance(rate, str) and is_rate(rate) else None
