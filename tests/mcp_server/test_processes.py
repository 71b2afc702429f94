"""Work in processes: what is not wanted any more ends, and nothing that comes later knows of it."""

import asyncio
import gc
import json
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from assay402.mcp_server.jobs import Job, NeedsNetwork, do_job
from assay402.mcp_server.processes import SHORT_BYTES, Worker, WorkerLost, Workers
from assay402.mcp_server.server import make_server
from assay402.mcp_server.tools import tools
from assay402.mcp_server.unpaid import Unpaid
from assay402.mcp_server.worker import serve
from assay402.service.order import Declined, Delivered
from mcp_wire import HELLO, PATIENCE, wire

ASSAY = Path(sys.executable).with_name("assay")
AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
LONG_TEXT = "The build 7 passed. " * 9_000
EVIDENCE = [{"id": "e", "kind": "log", "source_label": "log", "text": "===== 12 passed, 1 failed ====="}]
CLAIM = {
    "request": {
        "schema": "FAHCE_MACHINE_REQUEST_V1",
        "candidate_output": "All 13 tests passed.",
        "evidence": EVIDENCE,
    }
}
CRITERIA = [{"id": "a", "check": "contains", "value": "hello"}]
DOCUMENT = {"x402Version": 2, "accepts": [{"scheme": "exact"}]}
SHA = "0x7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069"
ASKED: dict[str, Any] = {
    **{tool.name: CLAIM for tool in tools() if tool.check.name == "claims"},
    "dialect_check": {"mode": "submitted", "artefact": {"status": 402, "body_obj": {"x402Version": 1}}},
    "dialect_precheck": {"mode": "probe", "url": "https://shop.dev/paid"},
    "listing_check": {"url": "http://127.0.0.1/paid"},
    "deliverable_check": {"deliverable": {"kind": "text", "value": "hello"}, "criteria": CRITERIA},
    "deliverable_lint": {"criteria": CRITERIA},
    "terms_place": {
        "ref": {"type": "sha256", "value": SHA},
        "termsUrl": "https://shop.dev/t.md",
        "doc": DOCUMENT,
    },
    "terms_extract": {"doc": DOCUMENT},
    "terms_verify": {"url": "http://127.0.0.1/paid"},
}
STEPS = (0, 1, 4, 16)
"""Lists asked for between a call and its cancellation."""


def job(text: str = "All 13 tests passed.") -> Job:
    request = {"schema": "FAHCE_MACHINE_REQUEST_V1", "candidate_output": text, "evidence": EVIDENCE}
    return Job(
        check="claims",
        operation="diagnose",
        profile=None,
        request=json.dumps(request).encode(),
        key=None,
        allow_private=False,
        moment=AT,
    )


LONG_JOB = job(LONG_TEXT)


def soon(use: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(PATIENCE * 2):
            await use()

    asyncio.run(main())
    gc.collect()


async def ended(worker: Worker) -> None:
    """Wait until a worker's process is gone."""
    await asyncio.to_thread(worker.process.wait, PATIENCE)


def hold(worker: Worker) -> None:
    """Have a worker's work last for ever: a process that is stopped ends only where it is killed."""
    worker.process.send_signal(signal.SIGSTOP)


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Worker]]:
    """Give the workers that are started."""
    started: list[Worker] = []
    begin = Worker.__init__

    def tell(worker: Worker) -> None:
        begin(worker)
        started.append(worker)

    with monkeypatch.context() as patch:
        patch.setattr(Worker, "__init__", tell)
        try:
            yield started
        except BaseException:
            for worker in started:
                worker.kill()
            raise


def test_a_worker_answers_what_this_process_would_and_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use() -> None:
        workers = Workers()
        for _ in range(3):
            answer = await workers.call(job())
            assert isinstance(answer, Delivered)
            assert json.loads(answer.body)["receipt"]["result_hash"] == expected["receipt"]["result_hash"]
        assert isinstance(await workers.call(job("")), Declined)

    here = do_job(job())
    assert isinstance(here, Delivered)
    expected = json.loads(here.body)
    with counted(monkeypatch) as started:
        soon(use)
    assert len(started) == 1
    assert started[0].process.poll() is not None, "it ends with those who held it"


def test_work_that_is_not_wanted_any_more_ends_and_gives_its_turn_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def use() -> None:
        workers = Workers(most=1)
        await workers.call(job())
        task = asyncio.create_task(workers.call(LONG_JOB))
        waiting = asyncio.create_task(workers.call(LONG_JOB))
        await asyncio.sleep(0)
        hold(started[0])
        for each in (waiting, task):
            each.cancel()
            with pytest.raises(asyncio.CancelledError):
                await each
        await ended(started[0])
        assert isinstance(await workers.call(job()), Delivered)

    with counted(monkeypatch) as started:
        soon(use)
    assert len(started) == 2, "the one that waited for its turn never began"


def test_a_cancel_at_the_moment_of_the_answer_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use() -> None:
        workers = Workers(most=1)
        task: asyncio.Task[Any] = asyncio.create_task(workers.call(job()))
        do = Worker.do

        def done(worker: Worker, what: Job) -> Any:
            answer = do(worker, what)
            loop.call_soon_threadsafe(task.cancel)
            return answer

        loop = asyncio.get_running_loop()
        with monkeypatch.context() as patch:
            patch.setattr(Worker, "do", done)
            with pytest.raises(asyncio.CancelledError):
                await task
        await ended(started[0])
        assert isinstance(await workers.call(job()), Delivered)

    with counted(monkeypatch) as started:
        soon(use)


def test_a_worker_that_dies_costs_one_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def use() -> None:
        workers = Workers(most=1)
        await workers.call(job())
        started[0].kill()
        with pytest.raises(WorkerLost):
            await workers.call(job())
        assert isinstance(await workers.call(job()), Delivered)

    with counted(monkeypatch) as started:
        soon(use)


def test_a_worker_says_which_work_needs_the_network_and_serves_until_its_input_ends() -> None:
    probe = Job(
        check="dialect",
        operation="check",
        profile=None,
        request=json.dumps({"mode": "probe", "url": "https://shop.dev/paid"}).encode(),
        key=None,
        allow_private=False,
        moment=AT,
    )
    assert do_job(probe) == NeedsNetwork()
    answers = BytesIO()
    serve(BytesIO(b""), answers)
    assert answers.getvalue() == b""


def test_a_cancelled_call_stops_thinking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 8: cancellation stops the work; the call's process ends before the work would, and the next is served."""
    request = {**CLAIM["request"], "candidate_output": LONG_TEXT}

    async def use() -> None:
        async with wire(make_server(Unpaid().take)) as client:
            await client.hello()
            sent = await client.ask(
                "tools/call", {"name": "fahce_diagnose_integrity", "arguments": {"request": request}}
            )
            while not started:
                await client.answer("tools/list")
            hold(started[0])
            await client.tell("notifications/cancelled", {"requestId": sent})
            await ended(started[0])
            for _ in range(3):
                assert (await client.call("fahce_diagnose_integrity", CLAIM))["isError"] is False

    with counted(monkeypatch) as started:
        soon(use)


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("blanks", [0, SHORT_BYTES])
def test_each_tool_answers_as_ever_after_its_first_call_was_cancelled(steps: int, blanks: int) -> None:
    """A bug of the past: a cancelled call struck an import, and its tool said `internal` until the process ended."""
    with subprocess.Popen([ASSAY, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        client = Started(running)
        client.send(1, "initialize", HELLO)
        client.answer_to(1)
        client.send(None, "notifications/initialized")
        for number, name in enumerate(ASKED, 100):
            client.call(number, name, blanks)
        for number in range(2, 2 + steps):
            client.send(number, "tools/list", {})
            client.answer_to(number)
        for number, _ in enumerate(ASKED, 100):
            client.send(None, "notifications/cancelled", {"requestId": number})
        for number, name in enumerate(ASKED, 200):
            client.call(number, name, blanks)
            result = client.answer_to(number)["result"]
            said = json.loads(result["content"][0]["text"])
            if name in ("listing_check", "terms_verify"):
                assert said["code"].rpartition("/")[2] in ("addr_loopback", "offer-unreadable"), name
            else:
                assert result["isError"] is False, name
        assert running.stdin is not None
        running.stdin.close()
        assert running.wait(PATIENCE) == 0


class Started:
    """A server in a process of its own, spoken to without a pause."""

    def __init__(self, running: "subprocess.Popen[bytes]") -> None:
        assert running.stdin is not None
        assert running.stdout is not None
        self._in, self._out = running.stdin, running.stdout

    def send(self, number: int | None, method: str, params: Any = None) -> None:
        """Send a request, or a notification."""
        named = {} if number is None else {"id": number}
        held = {} if params is None else {"params": params}
        self._in.write(json.dumps({"jsonrpc": "2.0", "method": method, **named, **held}).encode() + b"\n")
        self._in.flush()

    def call(self, number: int, name: str, blanks: int) -> None:
        """Call a tool with a request so much longer."""
        head = (
            f'{{"jsonrpc":"2.0","id":{number},"method":"tools/call","params":{{"name":"{name}","arguments":'
        )
        arguments = json.dumps(ASKED[name])
        if name.startswith("fahce_"):
            spread = arguments.replace('{"schema"', "{" + " " * blanks + '"schema"')
        else:
            spread = "{" + " " * blanks + arguments[1:]
        self._in.write(f"{head}{spread}}}}}\n".encode())
        self._in.flush()

    def answer_to(self, number: int) -> Any:
        """Give the answer to a request."""
        while (message := json.loads(self._out.readline())).get("id") != number:
            continue
        return message
