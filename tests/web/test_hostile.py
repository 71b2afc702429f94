"""Bad input over real sockets: a clear problem, a connection that ends, memory that is bounded."""

import asyncio
import json
import threading
import tracemalloc
from collections.abc import Iterator

import pytest

from assay402.formats.schema import schemas_of
from assay402.service.order import Delivered, Order, Outcome
from assay402.service.resources import PATHS
from assay402.service.settings import Settings
from assay402.web.limits import Limits
from assay402.web.server import Connection
from web.plain_orders import PlainOrders
from web.served import SECONDS, Line, Reply, Service, service

CHECK = "/dialect-check/check"
EXAMPLE = schemas_of("dialect", "check").example
CAPS = {
    CHECK: (262_144, "over_cap"),
    "/dialect-check/precheck": (262_144, "over_cap"),
    PATHS["deliverable/check"]: (524_288, "body-too-large"),
    PATHS["deliverable/lint"]: (524_288, "body-too-large"),
    "/api/v1/diagnose": (524_288, "over_cap"),
}


@pytest.fixture(scope="module")
def running() -> Iterator[Service]:
    with service() as up:
        yield up


@pytest.fixture(scope="module")
def impatient() -> Iterator[Service]:
    limits = Limits(body_seconds=0.2, linger_seconds=0.5)
    with service(limits=limits, head_seconds=0.3) as up:
        yield up


def head(path: str, *lines: str) -> bytes:
    return "\r\n".join([f"POST {path} HTTP/1.1", "Host: a", *lines, "", ""]).encode("latin-1")


def assert_refused(line: Line, status: int, code: str) -> Reply:
    answered = line.reply()
    assert (answered.status, answered.json["code"]) == (status, code)
    assert answered.header("Content-Type") == "application/problem+json"
    assert answered.header("Connection") == "close"
    return answered


@pytest.mark.parametrize(
    ("method", "target", "status"),
    [
        ("GET", "http://127.0.0.1/healthz", 200),
        ("GET", "HTTP://assay.example:8402/healthz", 200),
        ("GET", "https://[::1]:8402/dialect-check/criteria", 200),
        ("GET", "http://a/healthz?query", 200),
        ("HEAD", "http://a/healthz", 200),
        ("GET", "http://a/%68ealthz", 200),
        ("GET", "http://a", 404),
        ("GET", "http://a?healthz", 404),
        ("GET", "http://a//healthz", 404),
        ("OPTIONS", "http://a", 204),
        ("GET", "ftp://a/healthz", 404),
        ("GET", "http:/healthz", 400),
        ("GET", "http:///healthz", 400),
        ("GET", "http://:80/healthz", 400),
        ("GET", "http://user@a/healthz", 400),
        ("GET", "http://a:b/healthz", 400),
        ("GET", "http://a\\b/healthz", 400),
        ("GET", "http://a/healthz#x", 400),
        ("GET", "http://[::1/healthz", 400),
    ],
)
def test_a_whole_address_is_taken_as_the_path_it_names(
    running: Service, method: str, target: str, status: int
) -> None:
    """RFC 9112, 3.2.2."""
    assert running.call(method, target).status == status


@pytest.mark.parametrize("path", ["/dialect-check/check", "/dialect-check/check?envelope=1"])
def test_an_order_to_a_whole_address_is_the_order_to_its_path(running: Service, path: str) -> None:
    plain = running.post(path, EXAMPLE)
    whole = running.post(f"http://anything.example{path}", EXAMPLE)
    assert (whole.status, whole.header("Content-Type")) == (plain.status, plain.header("Content-Type"))


@pytest.mark.parametrize(
    ("target", "host", "status"),
    [
        ("/mcp", "127.0.0.1", 200),
        ("/mcp", "evil.example", 421),
        ("http://localhost:8402/mcp", "evil.example", 200),
        ("http://evil.example/mcp", "127.0.0.1", 421),
        ("http://localhost.evil.example/mcp", "localhost", 421),
        ("http://localhost:80@evil.example/mcp", "localhost", 400),
    ],
)
def test_the_host_of_a_whole_address_is_the_one_that_is_judged(
    running: Service, target: str, host: str, status: int
) -> None:
    """It wins over the header, so the header opens no door that it closes."""
    headers = {"Host": host, "Accept": "application/json, text/event-stream"}
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert running.post(target, message, headers).status == status


@pytest.mark.parametrize("path", list(CAPS))
def test_a_body_at_the_cap_is_judged_and_one_byte_more_is_refused(running: Service, path: str) -> None:
    cap, code = CAPS[path]
    filled = b'{"x":"' + b"a" * (cap - 8) + b'"}'
    assert len(filled) == cap
    assert running.post(path, filled).status in (200, 400)
    over = running.post(path, filled + b" ")
    assert (over.status, over.json["code"]) == (413, code)
    assert (over.json["cap"], over.json["length"]) == (cap, cap + 1)


def test_the_terms_room_refuses_in_the_shape_of_its_contract(running: Service) -> None:
    over = running.post("/terms/place", b" " * (1_048_576 + 1))
    assert over.status == 413
    assert over.json["refused"] is True
    assert over.json["cap"] == 1_048_576


def test_an_announced_length_over_the_cap_is_refused_before_a_byte_of_it(running: Service) -> None:
    before = running.orders.entered
    with running.line() as line:
        line.send(head(CHECK, "Content-Length: 99999999999"))
        answered = assert_refused(line, 413, "over_cap")
        assert answered.json["length"] == 99_999_999_999
    assert running.orders.entered == before


def test_a_client_that_waits_for_leave_gets_the_refusal_instead(running: Service) -> None:
    with running.line() as line:
        line.send(head(CHECK, "Content-Length: 262145", "Expect: 100-continue"))
        assert_refused(line, 413, "over_cap")


def test_chunks_over_the_cap_are_refused_while_they_stream(running: Service) -> None:
    """The client sees the answer and the end of the connection, not a reset, although it goes on sending."""
    chunk = b"10000\r\n" + b"a" * 65_536 + b"\r\n"
    with running.line() as line:
        line.send(head(CHECK, "Transfer-Encoding: chunked") + chunk * 5)
        assert_refused(line, 413, "over_cap")
        line.send(chunk * 5 + b"0\r\n\r\n")
        assert line.is_closed()


@pytest.mark.parametrize("sent", [b"", b'{"mode":'])
def test_a_body_that_does_not_come_is_given_up(impatient: Service, sent: bytes) -> None:
    with impatient.line() as line:
        line.send(head(CHECK, "Content-Length: 100") + sent)
        assert_refused(line, 408, "body_late")
        assert line.is_closed()


@pytest.mark.parametrize("sent", [b"", b"POST /dialect-check/check HT", b"POST / HTTP/1.1\r\nHost: a\r\nX: "])
def test_a_head_that_does_not_come_is_given_up(impatient: Service, sent: bytes) -> None:
    with impatient.line() as line:
        line.send(sent)
        assert_refused(line, 408, "head_late")
        assert line.is_closed()


def test_a_second_head_has_its_time_as_well(impatient: Service) -> None:
    with impatient.line() as line:
        line.send(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        assert line.reply().status == 200
        line.send(b"GET /heal")
        assert_refused(line, 408, "head_late")


@pytest.mark.parametrize(
    ("lines", "status", "code"),
    [
        (["Content-Type: text/plain"], 415, "content_type"),
        (["Content-Type: application/x-www-form-urlencoded"], 415, "content_type"),
        (["Content-Type: application/json; charset=utf-16"], 415, "content_type"),
        (["Content-Type: application/json", "Content-Type: application/json"], 415, "content_type"),
        (["Content-Type: application/jsonx"], 415, "content_type"),
        (["Content-Type: "], 415, "content_type"),
        (["Content-Encoding: gzip"], 415, "content_coding"),
        (["Content-Encoding: identity, br"], 415, "content_coding"),
        (["ARBITER-QUOTE-ID: a", "ARBITER-QUOTE-ID: b"], 400, "header_repeated"),
        ([f"ARBITER-QUOTE-ID: {'a' * 1025}"], 400, "header_repeated"),
    ],
)
def test_what_is_announced_otherwise_is_refused_unread(
    running: Service, lines: list[str], status: int, code: str
) -> None:
    before = running.orders.entered
    with running.line() as line:
        line.send(head(CHECK, "Content-Length: 2", *lines) + b"{}")
        answered = line.reply()
    assert (answered.status, answered.json["code"]) == (status, code)
    assert running.orders.entered == before


@pytest.mark.parametrize(
    "kind",
    [
        "application/json",
        "application/json; charset=utf-8",
        'Application/JSON;charset="UTF-8"',
        "application/json; x=y",
    ],
)
def test_json_is_json_however_it_is_announced(running: Service, kind: str) -> None:
    assert running.post(CHECK, EXAMPLE, {"Content-Type": kind}).status == 200


def test_a_body_that_is_not_announced_is_read(running: Service) -> None:
    body = json.dumps(EXAMPLE).encode()
    with running.line() as line:
        line.send(head(CHECK, f"Content-Length: {len(body)}", "Content-Encoding: identity") + body)
        assert line.reply().status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b'{"mode":"submitted","artefact":{"body_raw":"\xc3\x28"}}',
        b"[" * 100_000,
        b'{"a":' * 40_000 + b"1" + b"}" * 40_000,
        b'{"mode":NaN}',
        b'"\\ud800"',
    ],
)
@pytest.mark.parametrize(
    "path", [CHECK, PATHS["deliverable/check"], "/api/v1/verify", "/terms/extract", "/listing-check/check"]
)
def test_what_cannot_be_read_is_400_with_a_code(running: Service, path: str, body: bytes) -> None:
    refused = running.post(path, body)
    assert refused.status == 400
    assert refused.json["code"]


def test_duplicate_keys_are_refused_where_they_could_mean_two_things(running: Service) -> None:
    """Claims and deliverable refuse; the dialect check reports on what was captured, repeated names included."""
    doubled = (
        b'{"schema":"FAHCE_MACHINE_REQUEST_V1","candidate_output":"a","candidate_output":"b","evidence":[]}'
    )
    assert running.post("/api/v1/verify", doubled).json["code"] == "duplicate-member"
    criteria = (
        b'{"criteria":[{"id":"a","id":"b","check":"is_json"}],"deliverable":{"kind":"text","value":"x"}}'
    )
    assert running.post(PATHS["deliverable/check"], criteria).status == 400


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ([f"X-{at}: a" for at in range(200)], 431, "head_too_large"),
        ([f"X: {'a' * 40_000}"], 431, "head_too_large"),
        ([f"X: {'a' * 60_000}", f"Y: {'a' * 60_000}", f"Z: {'a' * 60_000}"], 431, "head_too_large"),
        ([f"X: {'a' * 800_000}"], 431, "head_too_large"),
    ],
)
def test_a_flood_of_headers_is_refused(running: Service, headers: list[str], status: int, code: str) -> None:
    before = running.orders.entered
    with running.line() as line:
        line.send(head(CHECK, "Content-Length: 2", *headers) + b"{}")
        answered = line.reply()
        assert (answered.status, answered.json["code"]) == (status, code)
        assert line.is_closed()
    assert running.orders.entered == before


def test_a_head_without_an_end_is_cut_off(running: Service) -> None:
    with running.line() as line, pytest.raises((BrokenPipeError, ConnectionResetError)):  # noqa: PT012  (somewhere in the stream)
        line.send(b"POST / HTTP/1.1\r\n")
        for at in range(10_000):
            line.send(f"X-{at}: {'a' * 1_000}\r\n".encode())


@pytest.mark.parametrize(
    "lengths",
    [
        ("Content-Length: 2", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 7"),
    ],
)
@pytest.mark.parametrize("start", [f"POST {CHECK}", "GET /healthz"])
def test_a_body_with_two_lengths_is_refused_and_the_connection_ends(
    running: Service, start: str, lengths: tuple[str, str]
) -> None:
    before = running.orders.entered
    with running.line() as line:
        text = "\r\n".join([f"{start} HTTP/1.1", "Host: a", *lengths, "", ""])
        line.send(text.encode() + b"2\r\n{}\r\n0\r\n\r\n")
        assert_refused(line, 400, "content_length")
        assert line.is_closed()
    assert running.orders.entered == before


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"canary\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    ],
)
def test_what_is_no_request_gets_a_problem_and_the_end(running: Service, sent: bytes) -> None:
    with running.line() as line:
        line.send(sent)
        answered = line.reply()
        assert answered.status in (400, 404)
        assert b"canary" not in answered.body
        if answered.status == 400:
            assert answered.json["code"] == "request_malformed"
            assert line.is_closed()


def test_a_broken_chunk_ends_the_request_untaken(running: Service) -> None:
    before = running.orders.entered
    with running.line() as line:
        line.send(head(CHECK, "Transfer-Encoding: chunked") + b"zz\r\n{}\r\n0\r\n\r\n")
        assert_refused(line, 400, "request_malformed")
        assert line.is_closed()
    assert running.call("GET", "/healthz").status == 200
    assert running.orders.entered == before


def test_requests_in_a_pipeline_are_answered_in_their_order(running: Service) -> None:
    body = json.dumps(EXAMPLE).encode()
    one = head(CHECK, f"Content-Length: {len(body)}") + body
    with running.line() as line:
        line.send((one + b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n") * 20)
        for _ in range(20):
            assert line.reply().json["op"] == "check"
            assert line.reply("GET").json == {"alive": True}


def test_a_client_that_leaves_in_its_body_is_told_to_the_log_alone(running: Service) -> None:
    before = running.orders.entered
    with running.line() as line:
        line.send(head(CHECK, "Content-Length: 100") + b"{")
    for _ in range(200):
        running.call("GET", "/healthz")
        if any(each.get("outcome") == "abandoned" for each in running.log):
            break
    else:
        pytest.fail("nothing was told")
    assert running.orders.entered == before


def test_bodies_held_at_once_are_bounded() -> None:
    """A process holds so many bytes of bodies and no more; the next is told to come again, unless it is small."""
    with service(limits=Limits(buffered_bytes=100_000, body_seconds=SECONDS)) as up:
        lines = [Line(up.port) for _ in range(2)]
        try:
            for line in lines:
                line.send(head(CHECK, "Content-Length: 50000") + b" " * 45_000)
            found = (up.post(CHECK, b" " * 20_000) for _ in range(2_000))
            answered = next(reply for reply in found if reply.status == 503)
            assert (answered.json["code"], answered.header("Retry-After")) == ("busy", "1")
            assert up.post(CHECK, EXAMPLE).status == 200
        finally:
            for line in lines:
                line.close()


def test_a_body_that_outgrows_what_may_be_held_is_dropped() -> None:
    with service(limits=Limits(buffered_bytes=50_000)) as up, up.line() as line:
        chunk = b"8000\r\n" + b" " * 0x8000 + b"\r\n"
        line.send(head(CHECK, "Transfer-Encoding: chunked") + chunk * 2)
        assert_refused(line, 503, "busy")


def test_a_room_that_is_full_answers_503_at_once_and_the_others_go_on() -> None:
    orders = PlainOrders()
    with service(orders, Settings(queue=2)) as up:
        orders.gate = asyncio.Event()
        body = json.dumps(EXAMPLE).encode()
        waiting = [Line(up.port) for _ in range(2)]
        for line in waiting:
            line.send(head(CHECK, f"Content-Length: {len(body)}") + body)
        for _ in range(500):
            up.call("GET", "/healthz")
            if orders.entered == 2:
                break
        full = up.post(CHECK, EXAMPLE)
        assert (full.status, full.json["code"], full.header("Retry-After")) == (503, "busy", "1")
        gate, orders.gate = orders.gate, None
        assert up.post("/terms/place", schemas_of("terms", "place").example).status == 200
        asyncio.run_coroutine_threadsafe(_set(gate), _loop_of(up)).result(SECONDS)
        assert [line.reply().status for line in waiting] == [200, 200]
        for line in waiting:
            line.close()
        assert up.post(CHECK, EXAMPLE).status == 200
        assert 'assay_orders_refused_total{check="dialect"} 1.0' in up.call("GET", "/metrics").body.decode()


async def _set(gate: asyncio.Event) -> None:
    gate.set()


def _loop_of(up: Service) -> asyncio.AbstractEventLoop:
    assert up.loop is not None
    return up.loop


def test_many_large_bodies_at_once_do_not_grow_the_process_beyond_its_bound() -> None:
    """Measured: without the bound the peak is above 60 MB.

    100 clients send the largest body each; a connection has up to 400 kB in its buffers besides.
    """
    limits = Limits(buffered_bytes=2_000_000, body_seconds=SECONDS)
    with service(limits=limits) as up:
        tracemalloc.start()
        lines = [Line(up.port) for _ in range(100)]
        try:
            for line in lines:
                threading.Thread(target=_pour, args=(line,), daemon=True).start()
            statuses = [up.post(CHECK, b" " * 20_000).status for _ in range(40)]
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
            for line in lines:
                line.close()
        assert set(statuses) <= {400, 503}

        assert peak < 45_000_000


_LARGE = b" " * 524_287


def _pour(line: Line) -> None:
    try:
        line.send(head("/api/v1/verify", "Content-Length: 524288"))
        line.send(_LARGE)
    except OSError:
        return


def test_too_many_connections_are_refused() -> None:
    class Few(Connection):
        max_connections = 2

    with service(connection=Few) as up:
        held = [Line(up.port) for _ in range(2)]
        for line in held:
            line.send(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            assert line.reply("GET").status == 200
        with up.line() as line:
            assert_refused(line, 503, "busy")
        for line in held:
            line.close()


def test_health_is_answered_while_a_check_thinks() -> None:
    """Long work is done in a thread (`service.work`), so that the event loop answers others meanwhile."""
    entered, leave = threading.Event(), threading.Event()

    class Thinking(PlainOrders):
        async def take(self, order: Order) -> Outcome:
            self.taken.append(order)

            def think() -> None:
                entered.set()
                assert leave.wait(SECONDS)

            await asyncio.to_thread(think)
            return Delivered(body=b"{}")

    with service(Thinking()) as up, up.line() as line:
        line.send(head("/api/v1/verify", "Content-Length: 2") + b"{}")
        assert entered.wait(SECONDS)
        assert up.call("GET", "/healthz").status == 200
        leave.set()
        assert line.reply().status == 200
