"""What settings must be to start with: ranges, forms, and which need which. Pure; every problem says how to write it."""

import re
from collections.abc import Callable, Iterator
from ipaddress import ip_address, ip_network
from typing import Final

from msgspec import Struct

from assay402.checks import CHECKS
from assay402.service.settings import Settings
from assay402.wire.address import is_evm_address
from assay402.wire.network import Network, network_of
from assay402.wire.weburl import WebURL, parse_web_url

PREFIX: Final = "ASSAY_"
_SOLANA: Final = re.compile(r"[1-9A-HJ-NP-Za-km-z]{32,44}")
_RANGES: Final = {
    "port": (0, 65_535),
    "workers": (1, 64),
    "queue": (1, 10_000),
    "max_timeout_seconds": (60, 3_600),
    "drain_notice_seconds": (0, 60),
}
_NETWORK_FORM: Final = "Write CAIP-2 ids: eip155:8453,solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
_PAY_TO_FORM: Final = "Write who is paid, by namespace or network: eip155:*=0x…,solana:*=…"
_LOOPBACK_NAMES: Final = ("localhost",)


class Problem(Struct, frozen=True, kw_only=True):
    """One thing that is wrong: the variable, what is the matter, and how to write it."""

    variable: str
    what: str
    how: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.variable}: {self.what} {self.how}"


def judge(settings: Settings) -> Iterator[Problem]:
    """Give everything that keeps a service from starting with these settings."""
    for rule in (_ranges, _offered, _addresses, _networks, _required, _exposed):
        yield from rule(settings)


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine itself, by its spelling."""
    bare = host.removeprefix("[").removesuffix("]")
    try:
        return ip_address(bare).is_loopback
    except ValueError:
        return bare.lower() in _LOOPBACK_NAMES


def _problem(name: str, what: str, how: str) -> Problem:
    return Problem(variable=f"{PREFIX}{name.upper()}", what=what, how=how)


def _ranges(settings: Settings) -> Iterator[Problem]:
    for name, (least, most) in _RANGES.items():
        value = getattr(settings, name)
        if value is not None and not least <= value <= most:
            yield _problem(name, "it is out of range.", f"Write a number from {least} to {most}.")


def _offered(settings: Settings) -> Iterator[Problem]:
    names = [check.name for check in CHECKS]
    if not settings.checks or not set(settings.checks) <= set(names):
        yield _problem("checks", "it names no check, or one there is not.", f"Choose from {','.join(names)}.")
    operations = {f"{check.name}/{operation.name}" for check in CHECKS for operation in check.operations}
    if not {name for name, _ in settings.prices} <= operations:
        yield _problem(
            "prices",
            "it prices an operation there is not.",
            "Write check/operation=millionths of a US dollar: listing/check=10000",
        )


def _addresses(settings: Settings) -> Iterator[Problem]:
    yield from _public_url(settings.public_url)
    if settings.facilitator_url is not None and not _is_web(settings.facilitator_url):
        yield _problem(
            "facilitator_url", "it is no web address.", "Write https://host/path, without a query."
        )
    if not all(_is_web(url) for _, url in settings.rpc_urls):
        yield _problem("rpc_urls", "it holds no web address.", "Write network=address: eip155:8453=https://…")
    database = settings.database
    if database != "sqlite" and not database.startswith(("sqlite:", "postgresql://", "postgres://")):
        yield _problem("database", "its form is unknown.", "Write sqlite, sqlite:PATH or postgresql://…")
    key = settings.signing_key
    if key is not None and not (key.startswith(("file:", "env:")) and key.partition(":")[2]):
        yield _problem("signing_key", "its form is unknown.", "Write file:PATH or env:NAME.")
    if not all(_is_address(each, ip_address) for each in settings.own_addresses):
        yield _problem("own_addresses", "it holds no IP address.", "Write 203.0.113.7,2001:db8::7")
    if not all(_is_address(each, ip_network) for each in settings.trusted_proxies):
        yield _problem(
            "trusted_proxies", "it holds no IP address or network.", "Write 10.0.0.5,10.1.0.0/16,fd00::/8"
        )


def _public_url(address: str | None) -> Iterator[Problem]:
    if address is None:
        return
    how = "Write https://host, without a path; http is for a loopback host only, as a sandbox has it."
    url = parse_web_url(address)
    if url is None or not url.is_web or url.userinfo or url.query or url.path != "/" or "#" in address:
        yield _problem("public_url", "it is no origin.", how)
    elif url.scheme == "http" and not is_loopback(url.host):
        yield _problem("public_url", "it is not https.", how)


def _is_web(address: str) -> bool:
    url: WebURL | None = parse_web_url(address)
    return url is not None and url.is_web and not url.userinfo


def _is_address(text: str, read: Callable[[str], object]) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def _networks(settings: Settings) -> Iterator[Problem]:
    networks = [network_of(each) for each in settings.networks]
    if not all(
        each is not None and str(each) == text for each, text in zip(networks, settings.networks, strict=True)
    ):
        yield _problem("networks", "it holds no CAIP-2 id.", _NETWORK_FORM)
    if not all(_is_recipient(place, account) for place, account in settings.pay_to):
        yield _problem("pay_to", "it holds an account or a place of the wrong form.", _PAY_TO_FORM)
    for name in ("rpc_urls", "assets"):
        places = {place for place, _ in getattr(settings, name)}
        if not places <= set(settings.networks):
            yield _problem(
                name, "it names a network that ASSAY_NETWORKS does not.", "Use the ids given there."
            )


def _is_recipient(place: str, account: str) -> bool:
    namespace, _, reference = place.partition(":")
    if reference != "*" and network_of(place) is None:
        return False
    match namespace:
        case "eip155":
            return is_evm_address(account)
        case "solana":
            return _SOLANA.fullmatch(account) is not None
        case _:
            return bool(account)


def _required(settings: Settings) -> Iterator[Problem]:
    """Name everything that taking payments needs and that is not there."""
    if settings.payments != "required":
        return
    needed = {
        "public_url": (settings.public_url, "Write the https address clients use: https://host"),
        "networks": (settings.networks, _NETWORK_FORM),
        "pay_to": (settings.pay_to, _PAY_TO_FORM),
        "facilitator_url": (
            settings.facilitator_url,
            "Write the address of your facilitator: https://host/path",
        ),
    }
    for name, (value, how) in needed.items():
        if not value:
            yield _problem(name, "ASSAY_PAYMENTS=required needs it, and it is missing.", how)
    places = {place for place, _ in settings.pay_to}
    if settings.pay_to and not all(_has_recipient(each, places) for each in settings.networks):
        yield _problem("pay_to", "a network of ASSAY_NETWORKS has nobody who is paid.", _PAY_TO_FORM)


def _has_recipient(network: str, places: set[str]) -> bool:
    found: Network | None = network_of(network)
    # What is no network is told as that already.
    return found is None or network in places or f"{found.namespace}:*" in places


def _exposed(settings: Settings) -> Iterator[Problem]:
    if settings.payments == "off" and not settings.free_for_all and not is_loopback(settings.host):
        yield _problem(
            "host",
            "with payments off this service answers this machine only.",
            "Write 127.0.0.1, or say that everybody may use it for free: ASSAY_FREE_FOR_ALL=true",
        )
