"""How a fetch gets on with real sockets: several addresses, early and broken ends, TLS, cancellation, clean-up."""

import asyncio
import os
import socket
from collections.abc import Iterator

import pytest

from assay402.core.asks import Failed, Fetch, Fetched, Limits
from assay402.net.connection import dial_address
from assay402.net.http import Fetcher
from net.hostile import BEHAVIOURS, BODY, HEAD, PUBLIC, Answers, Dialled, hostile_server, message, never
from net.raw import BOUND, Tls, bounded, fetch_raw, listening_socket, read_request, reset

FOUR = [f"93.184.216.{number}" for number in range(1, 5)]
RESET = Failed(state="unreachable", detail="reset")
REFUSED = Failed(state="unreachable", detail="refused")
NO_ROUTE = Failed(state="unreachable", detail="no_route")
NO_ANSWER = Failed(state="deadline", detail="connect")


def _visit(name: str, limits: Limits | None = None) -> Fetched | Failed:
    async def run() -> Fetched | Failed:
        async with hostile_server() as server:
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=Dialled(server.port))
            return await bounded(fetcher, f"http://pay.shop.dev/{name}", limits)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("never_ending_1xx", "protocol"),
        ("body_endless_chunked", "body_cap"),
        ("body_endless_close", "body_cap"),
        ("many_small_chunks", "wire_cap"),
        ("cl_te_both", "protocol"),
        ("cl_twice_differ", "protocol"),
        ("te_unknown", "protocol"),
        ("smtp_banner", "protocol"),
        ("status_1000", "protocol"),
        ("status_99", "protocol"),
        ("close_mid_body", "protocol"),
        ("close_mid_headers", "protocol"),
        ("close_at_once", "protocol"),
    ],
)
def test_further_hostile_servers_end_in_their_state(name: str, state: str) -> None:
    assert _visit(name) == Failed(state=state)


@pytest.mark.parametrize("name", ["body_65536", "obs_fold", "plain", "hold_after_body"])
def test_odd_but_complete_responses_are_fetched(name: str) -> None:
    """A server that keeps the connection open behind its response costs no time."""
    assert isinstance(_visit(name), Fetched)


def test_the_wire_cap_counts_framing_and_lets_a_response_of_its_length_pass() -> None:
    """What stands behind the response is not read, so it does not count."""
    length = len(message())
    assert isinstance(_visit("plain", Limits(wire_bytes=length)), Fetched)
    assert isinstance(_visit("pipelined_second", Limits(wire_bytes=length)), Fetched)
    assert _visit("plain", Limits(wire_bytes=length - 1)) == Failed(state="wire_cap")


def test_limits_of_the_fetcher_cap_those_of_the_ask() -> None:
    async def run() -> Fetched | Failed:
        async with hostile_server() as server:
            limits = Limits(body_bytes=3, deadline_ms=60_000)
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=Dialled(server.port), limits=limits)
            return await bounded(fetcher, "http://pay.shop.dev/plain")

    assert asyncio.run(run()) == Failed(state="body_cap")


def _dialling(addresses: list[str], refusing: list[str]) -> tuple[Fetched | Failed, list[str]]:
    async def run() -> tuple[Fetched | Failed, list[str]]:
        async with hostile_server() as server:
            dial = Dialled(server.port, refusing=refusing)
            answer = await bounded(
                Fetcher(resolver=Answers(addresses), dial=dial), "http://pay.shop.dev/plain"
            )
            return answer, [address for address, _ in dial.addresses]

    return asyncio.run(run())


def test_addresses_are_tried_in_order_until_one_takes_the_connection() -> None:
    answer, dialled = _dialling(FOUR, refusing=FOUR[:3])
    assert isinstance(answer, Fetched)
    assert dialled == FOUR


def test_no_more_than_four_addresses_are_tried() -> None:
    assert _dialling([*FOUR, PUBLIC], refusing=FOUR) == (REFUSED, FOUR)


def test_an_address_that_does_not_answer_leaves_the_others_their_share_of_the_time() -> None:
    async def run() -> Fetched | Failed:
        async with hostile_server() as server:

            async def dial(address: str, _port: int) -> socket.socket:
                if address == FOUR[0]:
                    await never()
                return await dial_address("127.0.0.1", server.port)

            fetcher = Fetcher(resolver=Answers(FOUR[:2]), dial=dial)
            return await bounded(fetcher, "http://pay.shop.dev/plain", Limits(deadline_ms=1_500))

    assert isinstance(asyncio.run(run()), Fetched)


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ([ConnectionRefusedError], REFUSED),
        ([ConnectionResetError], RESET),
        ([ConnectionAbortedError], RESET),
        ([OSError], NO_ROUTE),
        ([PermissionError], NO_ROUTE),
        ([TimeoutError], NO_ANSWER),
        ([OSError, ConnectionRefusedError, TimeoutError], REFUSED),
        ([OSError, TimeoutError, ConnectionResetError], RESET),
        ([TimeoutError, OSError], NO_ANSWER),
    ],
)
def test_where_no_address_takes_the_connection_the_most_telling_failure_is_reported(
    errors: list[type[OSError]], expected: Failed
) -> None:
    async def dial(address: str, _port: int) -> socket.socket:
        raise errors[FOUR.index(address)]

    fetcher = Fetcher(resolver=Answers(FOUR[: len(errors)]), dial=dial)
    assert asyncio.run(bounded(fetcher, "http://pay.shop.dev/")) == expected


def test_a_connection_nobody_takes_up_is_a_deadline() -> None:
    fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=never)
    answer = asyncio.run(bounded(fetcher, "http://pay.shop.dev/", Limits(deadline_ms=100)))
    assert answer == NO_ANSWER


def test_a_closed_port_is_refused_and_an_unspecified_address_is_not_taken_for_another() -> None:
    """Connecting to 0.0.0.0 arrives at loopback: the peer is not the address that was judged."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        with pytest.raises(ConnectionRefusedError):
            asyncio.run(dial_address("127.0.0.1", port))
        bound.listen()
        with pytest.raises(ConnectionAbortedError):
            asyncio.run(dial_address("0.0.0.0", port))


def test_a_host_with_ipv6_only_is_reached() -> None:
    async def run() -> tuple[Fetched | Failed, list[tuple[str, int]]]:
        async with hostile_server(host="::1") as server:
            dial = Dialled(server.port, host="::1")
            answer = await bounded(
                Fetcher(resolver=Answers(["2606:4700::1"]), dial=dial), "http://pay.shop.dev/plain"
            )
            return answer, dial.addresses

    answer, dialled = asyncio.run(run())
    assert isinstance(answer, Fetched)
    assert dialled == [("2606:4700::1", 80)]


def test_a_reset_before_the_response_is_complete_is_unreachable() -> None:
    def act(connected: socket.socket) -> None:
        read_request(connected)
        connected.sendall(HEAD + b"Content-Length: 9\r\n\r\nhi")
        reset(connected)

    assert fetch_raw(act) == RESET


def test_a_response_sent_before_the_request_was_read_is_fetched_though_the_connection_broke() -> None:
    """Some servers refuse early and reset: what they said is still there to be read."""

    async def run(listening: socket.socket) -> Fetched | Failed:
        async def dial(_address: str, _port: int) -> socket.socket:
            ours = await dial_address("127.0.0.1", listening.getsockname()[1])
            theirs, _ = listening.accept()
            theirs.sendall(message())
            reset(theirs)
            return ours

        return await bounded(Fetcher(resolver=Answers([PUBLIC]), dial=dial), "http://pay.shop.dev/")

    with listening_socket() as listening:
        answer = asyncio.run(run(listening))
    assert isinstance(answer, Fetched)
    assert answer.body == BODY


def test_a_server_that_closes_its_half_ends_its_response() -> None:
    def act(connected: socket.socket) -> None:
        read_request(connected)
        connected.sendall(HEAD + b"\r\nhello")
        connected.shutdown(socket.SHUT_WR)
        assert connected.recv(1) == b""

    answer = fetch_raw(act)
    assert isinstance(answer, Fetched)
    assert answer.body == b"hello"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_cancelled_fetch_closes_its_connection_and_leaves_no_task(scheme: str) -> None:
    """Over https the server never answers the TLS hello."""
    reached = asyncio.Event()

    def behaviour() -> Iterator[None]:
        reached.set()
        yield None

    async def run() -> tuple[bool, int]:
        async with hostile_server({"held": behaviour}) as server:
            before = len(asyncio.all_tasks())
            dial = Dialled(server.port)
            fetcher = Fetcher(resolver=Answers([PUBLIC]), dial=dial, trust=Tls().trust)
            fetching = asyncio.create_task(fetcher(Fetch(url=f"{scheme}://pay.shop.dev/held")))
            async with asyncio.timeout(BOUND):
                if scheme == "http":
                    await reached.wait()
                else:
                    await server.connected.wait()
                fetching.cancel()
                await asyncio.gather(fetching, return_exceptions=True)
                await server.idle.wait()
            return fetching.cancelled(), len(asyncio.all_tasks()) - before

    assert asyncio.run(run()) == (True, 0)


def test_a_hundred_hostile_fetches_leave_no_open_file() -> None:
    tls = Tls()
    quick = Limits(deadline_ms=150)

    async def run() -> tuple[int, int]:
        async with hostile_server() as plain, hostile_server(tls=tls.server) as secure:
            over_http = Fetcher(resolver=Answers([PUBLIC]), dial=Dialled(plain.port), trust=tls.trust)
            over_tls = Fetcher(resolver=Answers([PUBLIC]), dial=Dialled(secure.port), trust=tls.trust)
            before = len(os.listdir("/dev/fd"))  # noqa: PTH208 - a name is enough, the entries come and go
            asks = [
                fetcher(Fetch(url=f"{scheme}://pay.shop.dev/{name}", limits=quick))
                for name in BEHAVIOURS
                for fetcher, scheme in ((over_http, "http"), (over_http, "https"), (over_tls, "https"))
            ]
            assert len(asks) > 100
            async with asyncio.timeout(BOUND):
                await asyncio.gather(*asks)
            await plain.finish()
            await secure.finish()
            return before, len(os.listdir("/dev/fd"))  # noqa: PTH208 - the same

    before, after = asyncio.run(run())
    assert after <= before
