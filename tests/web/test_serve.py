"""The service as a process: how it starts with nothing configured, how it stops, what it says when it cannot start."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic

import pytest
from click.testing import CliRunner

from assay402.attest.publication import read_keys
from assay402.attest.signature import Valid, verify_answer, verify_document
from assay402.cli.main import main
from assay402.formats.schema import schemas_of
from assay402.service.order import FREE_LOOKS
from assay402.service.resources import PATHS
from assay402.store.opening import Store
from store.databases import NOW, Place
from web.plain_orders import PlainOrders
from web.served import SECONDS, Service, service

EXAMPLE = json.dumps(schemas_of("dialect", "check").example).encode()
JSON_HEADERS = {"Content-Type": "application/json"}


class Process:
    """A service in a process of its own."""

    def __init__(self, popen: "subprocess.Popen[str]") -> None:
        assert popen.stdout is not None
        self.popen = popen
        self.first = popen.stdout.readline()
        found = re.fullmatch(r"assay: serving on http://127\.0\.0\.1:([0-9]+)\n", self.first)
        assert found, self.first
        self.port = int(found[1])

    def call(self, method: str, path: str, body: bytes | None = None) -> tuple[int, dict[str, str], bytes]:
        """Send one request and give status, headers and body."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            connection.request(method, path, body, JSON_HEADERS if body is not None else {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def stop(self) -> tuple[int, str, str]:
        """Tell it to stop; gives exit code, output and log."""
        self.popen.send_signal(signal.SIGTERM)
        code = self.popen.wait(SECONDS)
        assert self.popen.stdout is not None
        assert self.popen.stderr is not None
        return code, self.first + self.popen.stdout.read(), self.popen.stderr.read()


@contextmanager
def serving(
    data: Path,
    *arguments: str,
    environment: dict[str, str] | None = None,
    command: tuple[str, ...] = (sys.executable, "-c", "from assay402.cli.main import run; run()"),
) -> Iterator[Process]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    wanted = {"ASSAY_DATA_DIR": str(data), **(environment or {})}
    popen = subprocess.Popen(
        [*command, "serve", "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=kept | wanted,
    )
    try:
        yield Process(popen)
    finally:
        if popen.poll() is None:
            popen.kill()
        popen.communicate(timeout=SECONDS)


def test_with_nothing_configured_it_serves_signs_and_stops(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        status, headers, body = process.call("POST", "/dialect-check/check", EXAMPLE)
        assert status == 200
        keys = read_keys(process.call("GET", "/.well-known/jwks.json")[2])
        valid = verify_answer(body, headers["assay-signature"], keys)
        assert isinstance(valid, Valid)
        assert valid.version == "dialect-check 1.0.0"
        for path in ("/dialect-check/check", "/dialect-check/precheck"):
            document = process.call("POST", f"{path}?envelope=1", EXAMPLE)[2]
            assert isinstance(verify_document(document, keys), Valid)
        assert process.call("GET", "/readyz")[0] == 200
        code, out, err = process.stop()
    assert code == 0
    assert "curl -s http://127.0.0.1:" in out
    events = [json.loads(line)["event"] for line in err.splitlines()]
    assert events[0] == "service.started"
    # The line of an answer may come after the signal that the client sends on it.
    assert [each for each in events if each.startswith("service.")][-2:] == [
        "service.draining",
        "service.stopped",
    ]
    assert events[-1] == "service.stopped"


ROOT = Path(__file__).parent.parent.parent


@pytest.mark.skipif(
    not (ROOT / ".venv" / "assay-root").is_file(), reason="the clone has no environment: ./check makes it"
)
def test_what_the_readme_starts_has_an_answer_once_its_first_line_is_out(tmp_path: Path) -> None:
    """No wait between the two. How long the answer takes is a row of `benchmarks/run service`."""
    with serving(tmp_path, command=(str(ROOT / "assay"),)) as process:
        assert process.call("POST", "/dialect-check/check", EXAMPLE)[0] == 200
        assert process.stop()[0] == 0


def test_a_service_tried_on_several_ports_has_one_key(tmp_path: Path) -> None:
    kids = set()
    for _ in range(2):
        with serving(tmp_path) as process:
            kids |= set(read_keys(process.call("GET", "/.well-known/jwks.json")[2]))
            assert process.call("GET", "/.well-known/did.json")[0] == 404
            process.stop()
    assert [kid.partition("#")[0] for kid in kids] == ["did:web:localhost"]


PAID = {
    "ASSAY_PAYMENTS": "required",
    "ASSAY_PUBLIC_URL": "https://checks.example",
    "ASSAY_NETWORKS": "eip155:8453,eip155:84532,solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
    "ASSAY_PAY_TO": "eip155:*=0x63aA5960943865e7d57FDdF0D899eE36B6D2046E,"
    "solana:*=9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM",
    "ASSAY_FACILITATOR_URL": "http://127.0.0.1:9",
}


def test_a_paid_service_warns_of_networks_without_a_node(tmp_path: Path) -> None:
    nodes = "eip155:8453=http://127.0.0.1:9"
    with serving(tmp_path, environment={**PAID, "ASSAY_RPC_URLS": nodes}) as process:
        code, out, err = process.stop()
    assert code == 0
    assert "warning: no node for eip155:84532 (ASSAY_RPC_URLS)" in out
    said = [json.loads(line) for line in err.splitlines()]
    assert [each["code"] for each in said if each["event"] == "service.without_node"] == ["node_missing"]


def test_a_paid_service_with_its_nodes_warns_of_nothing(tmp_path: Path) -> None:
    nodes = "eip155:8453=http://127.0.0.1:9,eip155:84532=http://127.0.0.1:9"
    with serving(tmp_path, environment={**PAID, "ASSAY_RPC_URLS": nodes}) as process:
        _, out, err = process.stop()
    assert "warning" not in out
    assert "service.without_node" not in err


def test_the_printed_example_is_a_request_that_is_answered(tmp_path: Path) -> None:
    with serving(tmp_path) as process:
        out = process.popen.stdout
        assert out is not None
        printed = "".join(out.readline() for _ in range(4))
        body = re.search(r"-d '(\{.*\})'", printed)
        assert body is not None
        assert process.call("POST", "/dialect-check/check", body[1].encode())[0] == 200


def test_key_and_receipts_outlive_a_restart(tmp_path: Path) -> None:
    example = json.dumps(schemas_of("claims", "verify").example).encode()
    with serving(tmp_path) as process:
        made = process.call("POST", "/api/v1/verify", example)
        process.stop()
    receipt = f"/api/v1/receipts/{json.loads(made[2])['request_id']}"
    with serving(tmp_path) as process:
        found = process.call("GET", receipt)
        assert (found[0], found[2]) == (200, made[2])
        assert found[1]["assay-signature"] == made[1]["assay-signature"]


def test_every_route_of_a_free_service_answers(tmp_path: Path) -> None:
    """The real orders behind the routes; the tests of the routes have plain ones."""
    with serving(tmp_path) as process:
        for name, path in PATHS.items():
            if name in ("listing/check", "terms/verify", "terms/discover"):
                continue  # they look names up
            example = json.dumps(schemas_of(*name.split("/")).example).encode()
            status, headers, _ = process.call("POST", path, example)
            assert (name, status) == (name, 200)
            assert ("assay-signature" in headers) == (name not in FREE_LOOKS)
            cutoff = headers.get("assay-evidence-cutoff", "")
            assert bool(re.fullmatch(r"[0-9-]{10}T[0-9:]{8}Z", cutoff)) == name.startswith("deliverable/")
        assert process.call("POST", PATHS["deliverable/check"], b"{")[0] == 400


def await_delivered(process: Process, count: int) -> None:
    """Ask for the metrics until they tell of so many answers."""
    wanted = f'assay_requests_total{{outcome="delivered",route="dialect/check",status="200"}} {count}.0'
    until = monotonic() + SECONDS
    while wanted.encode() not in process.call("GET", "/metrics")[2]:
        assert monotonic() < until


def test_workers_share_the_port_and_one_that_dies_is_replaced(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "2") as process:
        assert process.call("POST", "/dialect-check/check", EXAMPLE)[0] == 200
        # A request is counted after its answer went out, and a worker that is killed in between counts nothing.
        await_delivered(process, 1)
        children = workers_of(process.popen.pid)
        assert len(children) == 2
        os.kill(children[0], signal.SIGKILL)
        assert process.call("POST", "/dialect-check/check", EXAMPLE)[0] == 200
        while len(set(workers_of(process.popen.pid)) - {children[0]}) < 2:
            assert process.popen.poll() is None
            process.call("GET", "/healthz")
        await_delivered(process, 2)
        code, _, _ = process.stop()
    assert code == 0
    assert workers_of(process.popen.pid) == []


def workers_of(parent: int) -> list[int]:
    """Give the worker processes of a parent, the oldest first."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                stat = (place / "stat").read_text().rpartition(")")[2].split()
                command = (place / "cmdline").read_bytes()
            except OSError:
                continue
            if int(stat[1]) == parent and stat[0] != "Z" and b"spawn_main" in command:
                found.append(int(place.name))
    return sorted(found)


def test_a_worker_whose_parent_is_gone_stops(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "2") as process:
        process.call("GET", "/healthz")
        children = workers_of(process.popen.pid)
        process.popen.kill()
        process.popen.wait(SECONDS)
        out = process.popen.stdout
        assert out is not None
        out.read()  # ends when the last process that has it open ends
        assert not any(Path(f"/proc/{child}/stat").exists() and _lives(child) for child in children)


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_port_that_is_taken_is_said_to_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        run = CliRunner().invoke(main, ["serve", "--port", str(port)])
    assert run.exit_code == 2
    assert f"port_taken port={port}" in run.output
    assert "--port 0" in run.output


def test_an_address_of_another_machine_is_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_FREE_FOR_ALL", "true")
    run = CliRunner().invoke(main, ["serve", "--host", "192.0.2.1"])
    assert run.exit_code == 2
    assert "address_unusable" in run.output


def test_a_free_service_is_not_opened_to_a_network_by_accident() -> None:
    run = CliRunner().invoke(main, ["serve", "--host", "0.0.0.0"])
    assert run.exit_code == 2
    assert "ASSAY_FREE_FOR_ALL=true" in run.output


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "structlog", "prometheus_client"])
def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    run = CliRunner().invoke(main, ["serve"])
    assert run.exit_code == 2
    assert "pip install 'assay402[service]'" in run.output


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["keys", "new"]])
def test_a_data_directory_that_cannot_be_used_is_named_with_its_setting(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: list[str]
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("ASSAY_DATA_DIR", str(file / "data"))
    run = CliRunner().invoke(main, command, terminal_width=200)
    assert run.exit_code == 2
    assert str(file / "data") in run.output
    assert "ASSAY_DATA_DIR" in run.output


def test_a_database_in_a_folder_that_is_not_there_ends_the_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ASSAY_DATABASE", f"sqlite:{tmp_path / 'mistyped' / 'a.db'}")
    run = CliRunner().invoke(main, ["serve", "--port", "0"])
    assert run.exit_code == 2
    assert "database_folder" in run.output
    assert not (tmp_path / "mistyped").exists()


def test_a_key_that_cannot_be_used_ends_the_start_with_its_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASSAY_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("ASSAY_SIGNING_KEY", "file:/nowhere/at/all.pem")
    run = CliRunner().invoke(main, ["serve", "--port", "0"])
    assert run.exit_code == 2
    assert "key_missing" in run.output


def assert_gone(up: Service) -> None:
    """Wait until the service has stopped, and nobody listens any more."""
    assert up.ended.wait(SECONDS)
    with pytest.raises(ConnectionError):
        socket.create_connection(("127.0.0.1", up.port), timeout=SECONDS)


def test_told_to_stop_it_finishes_what_is_under_way_and_takes_nothing_new() -> None:
    orders = PlainOrders()
    with service(orders) as up:
        orders.gate = asyncio.Event()
        with up.line() as line:
            line.send(
                f"POST /dialect-check/check HTTP/1.1\r\nHost: a\r\nContent-Length: {len(EXAMPLE)}\r\n\r\n".encode()
                + EXAMPLE
            )
            while not orders.entered:
                up.call("GET", "/healthz")
            assert up.loop is not None
            up.loop.call_soon_threadsafe(up.stop)
            while orders.admits:
                pass
            # Whoever comes meanwhile is answered on a new connection.
            watched = up.call("GET", "/readyz")
            assert (watched.status, watched.json["draining"]) == (503, True)
            declined = up.post("/dialect-check/check", EXAMPLE)
            assert (declined.status, declined.json["code"]) == (503, "not_admitting")
            assert declined.header("Retry-After") == "5"
            gate = orders.gate
            up.loop.call_soon_threadsafe(gate.set)
            answered = line.reply()
            assert answered.status == 200
            assert line.is_closed()
            assert_gone(up)
    assert [each["event"] for each in up.log if each["event"].startswith("service")] == ["service.draining"]


def test_a_balancer_sees_that_it_is_not_ready_before_the_port_closes() -> None:
    with service(notice_seconds=SECONDS) as up:
        assert up.loop is not None
        up.loop.call_soon_threadsafe(up.stop)
        while not up.call("GET", "/readyz").json["draining"]:
            pass
        assert up.call("GET", "/readyz").status == 503
        assert up.call("GET", "/healthz").status == 200
        assert not up.ended.is_set()
        # A second interrupt does not wait for the balancer.
        up.loop.call_soon_threadsafe(up.interrupt)
        assert_gone(up)


def test_the_notice_has_an_end() -> None:
    with service(notice_seconds=0.1) as up:
        assert up.loop is not None
        up.loop.call_soon_threadsafe(up.stop)
        assert_gone(up)


def test_who_made_free_calls_is_forgotten_by_a_running_service_and_counted(tmp_path: Path) -> None:
    address = f"sqlite:{tmp_path / 'assay.sqlite3'}"

    async def called(store: Store) -> None:
        for each in range(3):
            assert await store.free_tier.take(f"call:{each}", NOW.replace(year=2020), 9, 0)

    Place(address).run(called)
    with serving(tmp_path) as process:
        while b"assay_rows_forgotten_total 3.0" not in process.call("GET", "/metrics")[2]:
            assert process.popen.poll() is None


def test_work_that_nobody_waits_for_keeps_it_listening_and_has_an_end() -> None:
    ended = threading.Event()

    async def drained() -> None:
        await asyncio.Event().wait()
        ended.set()

    with service(drained=drained) as up:
        assert up.loop is not None
        up.loop.call_soon_threadsafe(up.stop)
        while not up.call("GET", "/readyz").json["draining"]:
            pass
        assert up.call("GET", "/healthz").status == 200
        # It is not waited for beyond the time that draining has, which is two seconds in these tests.
        assert_gone(up)
    assert not ended.is_set()


def test_a_draining_service_is_not_ready_and_declines_what_is_new() -> None:
    with service() as up:
        up.face.drain()
        up.face.drain()
        answered = up.call("GET", "/readyz")
        assert (answered.status, answered.json["draining"]) == (503, True)
        declined = up.post("/dialect-check/check", EXAMPLE)
        assert (declined.status, declined.json["code"]) == (503, "not_admitting")
        assert declined.header("Retry-After") == "5"
        assert up.call("GET", "/healthz").status == 200
