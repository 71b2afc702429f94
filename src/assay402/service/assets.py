"""What is paid with on each network: USDC by default, with the EIP-712 domain its signatures name."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec
from msgspec import Struct

from assay402.core.errors import TheirError
from assay402.service.settings import Settings

ANY: Final = "*"


class Asset(Struct, frozen=True, kw_only=True):
    """A token of six decimals, so that a millionth of a dollar is its atomic unit."""

    asset: str
    """The address of its contract, or its mint."""
    name: str | None = None
    """Name and version of the EIP-712 domain; a chain without EIP-712 has none."""
    version: str | None = None


class Payee(Struct, frozen=True, kw_only=True):
    """Where payments are taken: network, token and recipient."""

    network: str
    asset: Asset
    pay_to: str


@cache
def known_assets() -> Mapping[str, Asset]:
    """Give USDC of every network known here."""
    return msgspec.json.decode(
        (files("assay402.service") / "assets.json").read_bytes(), type=dict[str, Asset]
    )


def payees(settings: Settings) -> tuple[Payee, ...]:
    """Give where payments are taken, in the order of the settings.

    Raises:
        TheirError: `asset_unknown` for a network whose token no setting names, `pay_to_missing` for one without a
            recipient. `position` counts from 0 in the list of networks.

    """
    return tuple(_payee(settings, network, place) for place, network in enumerate(settings.networks))


def _payee(settings: Settings, network: str, position: int) -> Payee:
    asset = _asset(network, dict(settings.assets).get(network))
    if asset is None:
        raise TheirError("asset_unknown", position=position)
    pay_to = recipient(settings.pay_to, network)
    if pay_to is None:
        raise TheirError("pay_to_missing", position=position)
    return Payee(network=network, asset=asset, pay_to=pay_to)


def recipient(pay_to: Iterable[tuple[str, str]], network: str) -> str | None:
    """Give who is paid on a network: by its own entry, else by that of its namespace."""
    named = dict(pay_to)
    return named.get(network) or named.get(f"{network.partition(':')[0]}:{ANY}")


def networks_without_node(settings: Settings) -> tuple[str, ...]:
    """Give the networks payments are taken on for which no node is named: what is in doubt there stays so."""
    named = dict(settings.rpc_urls)
    return tuple(each for each in settings.networks if settings.payments != "off" and each not in named)


def _asset(network: str, setting: str | None) -> Asset | None:
    known = known_assets().get(network)
    if setting is None:
        return known
    asset, _, domain = setting.partition("/")
    name, _, version = domain.rpartition("/")
    if name and version:
        return Asset(asset=asset, name=name, version=version)
    if network.startswith("solana:"):
        return Asset(asset=asset)
    return None if known is None else Asset(asset=asset, name=known.name, version=known.version)
