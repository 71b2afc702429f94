"""Which addresses may be contacted: the blocks, the look-ups, and what their answers lead to."""

import asyncio
import socket
import threading
from collections.abc import Iterable
from ipaddress import ip_address, ip_network
from typing import Any

import dns.rcode
import dns.resolver
import pytest

from assay402.core.asks import Failed, Fetch, Fetched, Limits
from assay402.core.target import judge_address
from assay402.net.guard import DNSResolver, Resolver, system_addresses
from assay402.net.http import Fetcher
from net.hostile import PUBLIC, Answers, Dialled, hostile_server
from net.nameserver import Records, name_server

PUBLIC_V6 = "2606:4700::1"
URL = "http://pay.shop.dev/plain"
SERVFAIL, NXDOMAIN = dns.rcode.SERVFAIL, dns.rcode.NXDOMAIN

BLOCKS = {
    "0.0.0.0/8": "this_network",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "cgnat",
    "127.0.0.0/8": "loopback",
    "168.63.129.16/32": "metadata",
    "169.254.0.0/16": "link_local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "ietf",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "as112",
    "192.52.193.0/24": "amt",
    "192.88.99.0/24": "6to4_relay",
    "192.168.0.0/16": "private",
    "192.175.48.0/24": "as112",
    "198.18.0.0/15": "benchmark",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
    "::ffff:0:0/96": "v4_mapped",
    "64:ff9b::/96": "nat64",
    "::1/128": "loopback",
    "2001::/23": "ietf",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "2620:4f:8000::/48": "as112",
    "3fff::/20": "documentation",
}
NOT_GLOBAL = (
    "::",
    "::2",
    "100::1",
    "1fff:ffff::",
    "4000::",
    "fc00::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "64:ff9b:1::1",
)
GLOBAL = ("2000::", "3ffe::1", "3fff:1000::", "2001:200::", "2003::", "2620:4f:8001::", PUBLIC_V6)


@pytest.mark.parametrize(("block", "name"), BLOCKS.items())
def test_a_block_is_refused_from_its_first_address_to_its_last(block: str, name: str) -> None:
    network = ip_network(block)
    assert {judge_address(str(network[0])), judge_address(str(network[-1]))} == {f"addr_{name}"}


@pytest.mark.parametrize("block", BLOCKS)
def test_the_neighbours_of_a_block_are_judged_by_their_own_block(block: str) -> None:
    network = ip_network(block)
    last = 2**network.max_prefixlen - 1
    neighbours = (int(network[0]) - 1, int(network[-1]) + 1)
    for neighbour in (type(network[0])(number) for number in neighbours if 0 <= number <= last):
        own = [f"addr_{name}" for other, name in BLOCKS.items() if neighbour in ip_network(other)]
        if neighbour.version == 6 and not own and neighbour not in ip_network("2000::/3"):
            own = ["addr_not_global_unicast_v6"]
        assert judge_address(str(neighbour)) == (own[0] if own else None)


@pytest.mark.parametrize("address", NOT_GLOBAL)
def test_ipv6_outside_global_unicast_is_refused(address: str) -> None:
    assert judge_address(address) == "addr_not_global_unicast_v6"


@pytest.mark.parametrize("address", GLOBAL)
def test_ipv6_global_unicast_passes(address: str) -> None:
    assert judge_address(address) is None


@pytest.mark.parametrize("identifier", ["0:5efe", "200:5efe"])
def test_an_isatap_identifier_is_refused_in_any_network(identifier: str) -> None:
    assert judge_address(f"2606:4700:1:2:{identifier}:10.0.0.1") == "addr_isatap"


def _fetch(resolver: Resolver, limits: Limits | None = None, **seams: Any) -> Fetched | Failed:
    fetcher = Fetcher(resolver=resolver, dial=Dialled(9, refusing=[PUBLIC, PUBLIC_V6]), **seams)
    return asyncio.run(fetcher(Fetch(url=URL, limits=limits or Limits())))


def test_an_own_address_is_recognised_in_any_spelling() -> None:
    assert _fetch(Answers(["2606:4700:0::1"]), own_addresses=["2606:4700:0:0:0:0:0:1"]) == Failed(
        state="own_address"
    )


def test_an_own_address_written_as_a_literal_is_not_contacted() -> None:
    fetcher = Fetcher(dial=Dialled(9), own_addresses=[PUBLIC])
    assert asyncio.run(fetcher(Fetch(url=f"http://{PUBLIC}/"))) == Failed(state="own_address")


def test_as_many_answers_as_are_allowed_pass() -> None:
    assert _fetch(Answers([PUBLIC] * 64)) == Failed(state="unreachable", detail="refused")


@pytest.mark.parametrize("error", [OSError, ConnectionRefusedError])
def test_a_resolver_that_fails_gave_no_answer(error: type[OSError]) -> None:
    async def broken(_name: str) -> list[str]:
        raise error

    assert _fetch(broken) == Failed(state="dns_no_answer")


def test_a_resolver_that_gave_up_waiting_is_a_deadline() -> None:
    async def slow(_name: str) -> list[str]:
        raise TimeoutError

    assert _fetch(slow) == Failed(state="deadline", detail="dns")


def _look_up(records: Records, **settings: Any) -> tuple[list[str] | None, dict[str, int], set[str]]:
    async def run() -> tuple[list[str] | None, dict[str, int], set[str]]:
        async with name_server(records, **settings) as (server, resolver):
            try:
                found = list(await resolver("pay.shop.dev"))
            except TimeoutError:
                found = None
            return found, dict(server.asked), server.names

    return asyncio.run(run())


def test_a_name_is_asked_for_once_per_family_and_without_search_domains() -> None:
    found, asked, names = _look_up({"A": [[PUBLIC]], "AAAA": [[PUBLIC_V6]]})
    assert (found, asked, names) == ([PUBLIC, PUBLIC_V6], {"A": 1, "AAAA": 1}, {"pay.shop.dev."})


def test_the_families_take_turns() -> None:
    """So that a machine without IPv4 reaches a host with four or more IPv4 addresses."""
    found, _, _ = _look_up({"A": [["93.184.216.1", "93.184.216.2", "93.184.216.3"]], "AAAA": [[PUBLIC_V6]]})
    assert found is not None
    assert [ip_address(address).version for address in found] == [4, 6, 4, 4]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param({"A": [[PUBLIC]]}, [PUBLIC], id="IPv4 only"),
        pytest.param({"AAAA": [[PUBLIC_V6]]}, [PUBLIC_V6], id="IPv6 only"),
        pytest.param({}, [], id="neither"),
        pytest.param({"A": [NXDOMAIN], "AAAA": [NXDOMAIN]}, [], id="no such name"),
        pytest.param({"A": [SERVFAIL], "AAAA": [SERVFAIL]}, [], id="failing name servers"),
        pytest.param({"A": [[PUBLIC]], "AAAA": [SERVFAIL]}, [PUBLIC], id="one family failing"),
        pytest.param({"A": [None, [PUBLIC]]}, [PUBLIC], id="a lost packet"),
    ],
)
def test_a_look_up_gives_what_the_name_servers_say(records: Records, expected: list[str]) -> None:
    assert _look_up(records)[0] == expected


@pytest.mark.parametrize("records", [{"A": [None]}, {"A": [[PUBLIC]], "AAAA": [None]}], ids=["both", "half"])
def test_a_look_up_expires_when_any_part_of_it_goes_unanswered(records: Records) -> None:
    assert _look_up(records, seconds=0.3)[0] is None


def test_a_cut_answer_is_asked_for_again_over_tcp() -> None:
    many = [f"93.184.216.{number}" for number in range(1, 31)]
    found, asked, _ = _look_up({"A": [many]})
    assert sorted(found or [], key=ip_address) == many
    assert asked["A"] == 2


@pytest.mark.parametrize(
    ("records", "state"),
    [
        ({"A": [[f"93.184.216.{number}" for number in range(1, 66)]]}, "dns_too_many"),
        ({"A": [[PUBLIC]], "AAAA": [["::ffff:10.0.0.1"]]}, "addr_v4_mapped"),
        ({"A": [[PUBLIC]], "AAAA": [["::1"]]}, "addr_loopback"),
        ({"A": [NXDOMAIN]}, "dns_no_answer"),
    ],
)
def test_answers_of_real_look_ups_are_judged(records: Records, state: str) -> None:
    async def run() -> Fetched | Failed:
        async with name_server(records) as (_, resolver):
            return await Fetcher(resolver=resolver, dial=Dialled(9))(Fetch(url=URL))

    assert asyncio.run(run()) == Failed(state=state)


def test_a_second_answer_is_never_dialled() -> None:
    """DNS rebinding: one look-up, TTL 0, the next answer is loopback."""

    async def run() -> tuple[list[Fetched | Failed], list[tuple[str, int]], int]:
        async with (
            name_server({"A": [[PUBLIC], ["127.0.0.1"]]}) as (names, resolver),
            hostile_server() as server,
        ):
            dial = Dialled(server.port)
            fetcher = Fetcher(resolver=resolver, dial=dial)
            outcomes = [await fetcher(Fetch(url=URL)), await fetcher(Fetch(url=URL))]
            return outcomes, dial.addresses, names.asked["A"]

    outcomes, dialled, asked = asyncio.run(run())
    assert isinstance(outcomes[0], Fetched)
    assert outcomes[1] == Failed(state="addr_loopback")
    assert (dialled, asked) == ([(PUBLIC, 80)], 2)


def test_a_machine_without_a_resolver_configuration_gets_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise dns.resolver.NoResolverConfiguration

    monkeypatch.setattr(dns.resolver.Resolver, "read_resolv_conf", missing)
    assert asyncio.run(DNSResolver()("pay.shop.dev")) == []


def test_localhost_needs_no_look_up_where_private_addresses_are_allowed() -> None:
    async def run() -> tuple[Fetched | Failed, list[tuple[str, int]], list[str]]:
        async with hostile_server() as server:
            dial, resolver = Dialled(server.port, refusing=["127.0.0.1"]), Answers([])
            fetcher = Fetcher(resolver=resolver, dial=dial, allow_private=True)
            return (
                await fetcher(Fetch(url="http://shop.localhost:8402/plain")),
                dial.addresses,
                resolver.names,
            )

    answer, dialled, looked_up = asyncio.run(run())
    assert isinstance(answer, Fetched)
    assert (dialled, looked_up) == ([("127.0.0.1", 8402), ("::1", 8402)], [])


def test_private_answers_pass_where_private_addresses_are_allowed() -> None:
    async def run() -> Fetched | Failed:
        async with hostile_server() as server:
            fetcher = Fetcher(resolver=Answers(["10.0.0.5"]), dial=Dialled(server.port), allow_private=True)
            return await fetcher(Fetch(url="http://intranet/plain"))

    assert isinstance(asyncio.run(run()), Fetched)


def test_own_addresses_stay_refused_where_private_addresses_are_allowed() -> None:
    fetcher = Fetcher(allow_private=True, own_addresses=["127.0.0.1"])
    assert asyncio.run(fetcher(Fetch(url="http://localhost/"))) == Failed(state="own_address")


def test_the_system_look_up_gives_addresses() -> None:
    """A literal address: the system answers it without asking anyone."""
    assert list(asyncio.run(system_addresses("127.0.0.1"))) == ["127.0.0.1"]


def test_a_name_the_system_cannot_look_up_gave_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> Iterable[Any]:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    fetcher = Fetcher(allow_private=True)
    assert asyncio.run(fetcher(Fetch(url="http://nowhere/"))) == Failed(state="dns_no_answer")


def test_a_hanging_system_look_up_holds_up_neither_the_fetch_nor_the_end_of_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    released, left = threading.Event(), threading.Event()

    def hanging(*_: object, **__: object) -> Iterable[Any]:
        released.wait(30)
        left.set()
        return ()

    monkeypatch.setattr(socket, "getaddrinfo", hanging)
    fetcher = Fetcher(allow_private=True)
    answer = asyncio.run(fetcher(Fetch(url="http://intranet/", limits=Limits(deadline_ms=100))))
    still_running = not left.is_set()
    daemons = [thread.daemon for thread in threading.enumerate() if thread.name == "look-up"]
    released.set()
    assert (answer, still_running, daemons) == (Failed(state="deadline", detail="dns"), True, [True])
    assert left.wait(10)


def test_a_configuration_of_name_servers_that_cannot_be_read_is_a_state_and_no_fault_of_ours() -> None:
    """A past bug: an address of a name server that is no address ended the run as an internal fault."""
    fetcher = Fetcher(resolver=DNSResolver(servers=["no address"]))
    assert asyncio.run(fetcher(Fetch(url=URL))) == Failed(state="dns_no_answer")
