"""The transport of lines: what is no message, what is too long, who leaves, how many at once."""

import asyncio
import gc
import json
import os
import subprocess
import sys
import tracemalloc
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.cli.commands import answer_lines
from assay402.core.asks import Fetched
from assay402.mcp_server.messages import read_message
from assay402.mcp_server.progress import LISTENER
from assay402.mcp_server.server import make_server
from assay402.mcp_server.stdio import TooLong, id_of, next_line, serve
from assay402.mcp_server.tools import REQUEST_BYTES, tools
from assay402.mcp_server.unpaid import Unpaid
from assay402.net.answerer import NetworkAnswerer
from assay402.service.order import Declined, Order, Outcome
from mcp_wire import HELLO, PATIENCE, Wire, run_on, wire

ASSAY = Path(sys.executable).with_name("assay")
SUBMITTED = {"mode": "submitted", "artefact": {"status": 402, "body_obj": {"x402Version": 1}}}
PROBE = {"mode": "probe", "url": "https://shop.dev/paid"}


def call_of(number: int, tool: str, arguments: Any) -> bytes:
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"garbage", -32700),
        (b"\xff\xfe", -32700),
        (b'"\\ud800"', -32600),
        (b"7" * 5_000, -32600),
        (b"[" * 500 + b"]" * 500, -32600),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32600),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"7", -32600),
        (b'{"jsonrpc":"2.0"}', -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
    ],
)
def test_what_is_no_message_is_answered_and_the_next_one_too(line: bytes, code: int) -> None:
    async def use(client: Wire) -> Any:
        await client.send(line)
        return await client.receive(), await client.call("dialect_check", SUBMITTED)

    error, result = run_on(make_server(Unpaid().take), use)
    assert error == {
        "jsonrpc": "2.0",
        "id": 1 if line.startswith(b'{"jsonrpc":"1.0","id":1,') else None,
        "error": {"code": code, "message": error["error"]["message"]},
    }
    assert result["isError"] is False


@given(st.binary(max_size=200))
@settings(deadline=None, max_examples=200)
def test_any_bytes_are_a_message_or_an_error_that_quotes_nothing(line: bytes) -> None:
    found = read_message(line)
    if isinstance(found, bytes):
        assert json.loads(found)["error"]["message"] in (
            "This is JSON, and no JSON-RPC message.",
            "This is not JSON in UTF-8.",
        ) or json.loads(found)["error"]["message"].startswith("Outside a tool's arguments")


TERMS = ("terms_extract", "terms_place")
HEAVY = {
    "half a character": b'"\\ud83d cut"',
    "deep": b"[" * 250 + b"]" * 250,
    "deepest": b"[" * 490 + b"]" * 490,
    "deeper": b"[" * 1_000 + b"]" * 1_000,
    "digits": b"9" * 5_000,
    "beyond a double": b"1e400",
    "not a number": b"NaN",
}


@pytest.mark.parametrize(
    "tool", ["dialect_check", "terms_extract", "terms_place", "fahce_diagnose_integrity"]
)
@pytest.mark.parametrize("heavy", HEAVY.values(), ids=HEAVY)
def test_what_the_command_line_reads_reaches_a_tool_as_it_was_spelled(
    heavy: bytes, tool: str, capsysbinary: Any
) -> None:
    """A bug of the past: such a call was answered without its id, and the official TypeScript client waited for ever."""
    ref = b'{"type":"sha256","value":"0x%s"},"termsUrl":"https://shop.dev/t.md"' % (b"ab" * 32)
    asked = {
        "dialect_check": b'{"mode":"submitted","artefact":{"status":402,"body_obj":{"x402Version":1,"x":%s}}}',
        "terms_extract": b'{"doc":{"x402Version":2,"accepts":[{"scheme":"exact","x":%s}]}}',
        "terms_place": b'{"ref":' + ref + b',"doc":{"x402Version":2,"accepts":[{"scheme":"exact","x":%s}]}}',
        "fahce_diagnose_integrity": b'{"request":{"candidate_output":%s}}',
    }
    request = asked[tool] % heavy

    async def use(client: Wire) -> Any:
        return await client.call_with(tool, request)

    answer = run_on(make_server(Unpaid().take), use)["result"]
    operation = next(each.operation for each in tools() if each.name == tool)
    answer_lines(operation, BytesIO(request + b"\n"))
    printed = json.loads(capsysbinary.readouterr().out, parse_int=str)
    said = json.loads(answer["content"][0]["text"], parse_int=str)
    if said.get("code") == "answer-too-deep":
        assert (tool, heavy) in ((tool, HEAVY[name]) for tool in TERMS for name in ("deep", "deepest"))
    elif said.get("code") == "number-out-of-range":
        assert (tool, heavy) in (("terms_place", HEAVY[name]) for name in ("digits", "beyond a double"))
    elif answer["isError"]:
        assert said["code"] == printed["code"]
    else:
        assert said.keys() == printed.keys()
        assert answer["structuredContent"].keys() == said.keys()


@pytest.mark.parametrize("heavy", list(HEAVY.values())[:4], ids=list(HEAVY)[:4])
def test_what_no_message_can_hold_is_said_under_its_id(heavy: bytes) -> None:
    async def use(client: Wire) -> Any:
        await client.send(b'{"jsonrpc":"2.0","id":"mine","method":"tools/list","params":{"x":%s}}' % heavy)
        return await client.receive()

    answer = run_on(make_server(Unpaid().take), use)
    assert (answer["id"], answer["error"]["code"]) == ("mine", -32600)
    assert answer["error"]["message"].startswith("Outside a tool's arguments")


@pytest.mark.parametrize("size", [REQUEST_BYTES, REQUEST_BYTES + 1])
def test_the_limit_counts_the_wrapper(size: int) -> None:
    """The integrity contract: 524,288 bytes, the JSON-RPC wrapper included."""
    bare = call_of(9, "dialect_check", {**SUBMITTED, "x": ""})
    line = call_of(9, "dialect_check", {**SUBMITTED, "x": "y" * (size - len(bare))})
    assert len(line) == size

    async def use(client: Wire) -> Any:
        await client.send(line)
        return await client.receive(), await client.call("dialect_check", SUBMITTED)

    answer, after = run_on(make_server(Unpaid().take), use)
    assert answer["id"] == 9
    if size > REQUEST_BYTES:
        assert answer["error"]["code"] == -32600
    else:
        assert answer["result"]["isError"] is True
    assert after["isError"] is False


@pytest.mark.parametrize(
    ("head", "tail", "found"),
    [
        (b'{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":"', b'"}}', 5),
        (b'{"jsonrpc": "2.0", "id": "a-1", "method": "x"', b"}}}", "a-1"),
        (b'{"method":"x","params":{"a":"', b'"},"jsonrpc":"2.0","id":7}', 7),
        (b'{"method":"x","params":{"a":"', b'"}, "id": "b.2" }', "b.2"),
        (b'{"method":"x","params":{"a":"', b'\\"id\\":7}', None),
        (b'{"method":"x","params":{"a":"', b'"id":7}}', None),
        (b'{"method":"x","id":1.5,', b"}", None),
        (b"yyyy", b"yyyy", None),
    ],
)
def test_the_id_of_a_line_too_long_is_read_where_it_stands_first_or_last(
    head: bytes, tail: bytes, found: Any
) -> None:
    assert id_of(TooLong(head, tail)) == found


def test_a_line_without_an_end_is_read_without_being_held() -> None:
    """Measured: a hundred times the limit passes through, and the memory of a few limits is used."""

    class Endless:
        def __init__(self, left: int) -> None:
            self.left = left

        def readline(self, limit: int) -> bytes:
            size = min(limit, self.left)
            self.left -= size
            return b"y" * size

    source = Endless(100 * REQUEST_BYTES)
    tracemalloc.start()
    try:
        line = next_line(source, REQUEST_BYTES)  # type: ignore[arg-type]  # (only its readline is used)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(line, TooLong)
    assert source.left == 0
    assert peak < 4 * REQUEST_BYTES


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b""])
def test_a_line_ends_at_its_end(end: bytes) -> None:
    stream = BytesIO(b"abc" + end)
    assert next_line(stream, 3) == b"abc"
    assert next_line(stream, 3) is None


def test_two_hundred_calls_at_once_are_all_answered() -> None:
    """Issue 8, evidence 3."""

    async def use(client: Wire) -> Any:
        wanted = {
            await client.ask("tools/call", {"name": "dialect_check", "arguments": SUBMITTED})
            for _ in range(200)
        }
        answers = [await client.receive() for _ in range(200)]
        return wanted, answers

    wanted, answers = run_on(make_server(Unpaid().take), use)
    assert {answer["id"] for answer in answers} == wanted
    assert not any(answer["result"]["isError"] for answer in answers)


class Held:
    """A network whose answers are held back until it is told, and that says when it is asked and when nobody waits."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.let_go = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.waiting = 0

    async def __call__(self, _ask: Any) -> Fetched:
        """Wait, and answer."""
        self.waiting += 1
        self.asked.set()
        try:
            await self.let_go.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return Fetched(status=402, headers=(), body=b"{}")


def test_more_calls_than_may_wait_are_refused_at_once() -> None:
    async def main() -> Any:
        held = Held()
        async with wire(make_server(Unpaid(answerer=NetworkAnswerer(held), calls=2).take)) as client:
            await client.hello()
            for _ in range(3):
                await client.ask("tools/call", {"name": "dialect_check", "arguments": PROBE})
            refused = await client.receive()
            held.let_go.set()
            return refused["result"], [(await client.receive())["result"]["isError"] for _ in range(2)]

    refused, others = asyncio.run(main())
    assert refused["isError"] is True
    assert json.loads(refused["content"][0]["text"])["code"] == "too-many-calls"
    assert others == [False, False]


def test_a_cancelled_call_stops_waiting_for_the_network() -> None:
    async def main() -> None:
        held = Held()
        async with wire(make_server(Unpaid(answerer=NetworkAnswerer(held)).take)) as client:
            await client.hello()
            sent = await client.ask("tools/call", {"name": "dialect_check", "arguments": PROBE})
            async with asyncio.timeout(PATIENCE):
                await held.asked.wait()
                await client.tell("notifications/cancelled", {"requestId": sent})
                await held.cancelled.wait()

    asyncio.run(main())


def test_a_client_that_leaves_in_the_middle_stops_its_work() -> None:
    async def main() -> None:
        held = Held()
        async with wire(make_server(Unpaid(answerer=NetworkAnswerer(held)).take)) as client:
            await client.hello()
            await client.ask("tools/call", {"name": "dialect_check", "arguments": PROBE})
            async with asyncio.timeout(PATIENCE):
                await held.asked.wait()
        assert held.cancelled.is_set()
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(main())


def test_progress_is_told_of_a_call_that_asks_for_it() -> None:
    async def main() -> Any:
        held = Held()
        held.let_go.set()
        async with wire(make_server(Unpaid(answerer=NetworkAnswerer(held)).take)) as client:
            await client.hello()
            params = {"name": "dialect_check", "arguments": PROBE, "_meta": {"progressToken": "mine"}}
            sent = await client.ask("tools/call", params)
            told = []
            while (message := await client.receive()).get("id") != sent:
                told.append(message)
            return told

    told = asyncio.run(main())
    assert [each["method"] for each in told] == ["notifications/progress"] * 2
    assert [each["params"]["progress"] for each in told] == [1, 2]
    assert {each["params"]["progressToken"] for each in told} == {"mine"}


def test_work_goes_on_where_nobody_reads_of_its_progress() -> None:
    """Paid work is not held up by a caller who reads nothing: telling has an end."""

    async def main() -> None:
        worked = asyncio.Event()

        async def take(_order: Order) -> Outcome:
            listener = LISTENER.get()
            assert listener is not None
            await listener()
            worked.set()
            return Declined(status=400, code="internal")

        (stdin, to_server), (from_server, stdout) = os.pipe(), os.pipe()
        params = {"name": "dialect_check", "arguments": {}, "_meta": {"progressToken": 1}}
        with os.fdopen(stdin, "rb") as input_, os.fdopen(stdout, "wb", buffering=0) as output:
            running = asyncio.create_task(serve(make_server(take), input_, output))
            lines = [
                {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
                {"jsonrpc": "2.0", "method": "notifications/initialized"},
                # More than a pipe holds.
                *({"jsonrpc": "2.0", "id": 2 + number, "method": "tools/list"} for number in range(10)),
                {"jsonrpc": "2.0", "id": 20, "method": "tools/call", "params": params},
            ]
            for line in lines:
                await asyncio.to_thread(os.write, to_server, json.dumps(line).encode() + b"\n")
            try:
                async with asyncio.timeout(PATIENCE):
                    await worked.wait()
            finally:
                os.close(from_server)
                os.close(to_server)
                async with asyncio.timeout(PATIENCE):
                    await running

    asyncio.run(main())


def test_a_long_line_costs_the_event_loop_no_more_than_a_short_one() -> None:
    """A bug of the past: a message of 400 kilobytes took eight seconds of it. Counted in calls."""

    async def use(client: Wire) -> list[int]:
        costs = []
        for count in (1, 1, 170_000):
            calls = 0

            def tally(_frame: Any, _event: str, _argument: Any) -> None:
                nonlocal calls
                calls += 1

            arguments = b'{"a":%s}' % (b"[" * count + b"]" * count)
            sys.setprofile(tally)
            try:
                answer = await client.call_with("dialect_check", arguments)
            finally:
                sys.setprofile(None)
            assert answer["result"]["isError"] is True
            costs.append(calls)
        return costs

    _, short, long = run_on(make_server(Unpaid().take), use)
    assert long < short * 3


def test_nothing_is_left_of_many_calls() -> None:
    """Issue 8, evidence 3: measured."""

    async def use(client: Wire) -> int:
        async def some() -> None:
            for _ in range(50):
                await client.ask("tools/call", {"name": "dialect_check", "arguments": SUBMITTED})
            for _ in range(50):
                await client.receive()

        await some()
        gc.collect()
        tasks, (before, _) = len(asyncio.all_tasks()), tracemalloc.get_traced_memory()
        for _ in range(6):
            await some()
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
        assert len(asyncio.all_tasks()) == tasks
        return after - before

    tracemalloc.start()
    try:
        grown = run_on(make_server(Unpaid().take), use)
    finally:
        tracemalloc.stop()
    assert grown < 300 * 1_000, "a kilobyte for each call would be a leak"


def test_the_command_keeps_its_output_to_the_protocol_and_ends_with_its_input() -> None:
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}).encode()
    ran = subprocess.run(
        [ASSAY, "mcp"], input=b"nonsense\n" + hello + b"\n", capture_output=True, timeout=PATIENCE, check=True
    )
    error, answer = map(json.loads, ran.stdout.splitlines())
    assert error["error"]["code"] == -32700
    assert answer["result"]["serverInfo"]["name"] == "assay"
    assert ran.stderr == b""


def test_the_last_answer_is_written_after_the_input_has_ended() -> None:
    """A bug of the past: the writer was ended with the reader, and the answer lost."""
    hello = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}).encode() + b"\n"
    for _ in range(3):
        ran = subprocess.run([ASSAY, "mcp"], input=hello, capture_output=True, timeout=PATIENCE, check=True)
        assert json.loads(ran.stdout)["id"] == 1


def test_a_client_that_reads_nothing_and_leaves_keeps_no_process() -> None:
    """A bug of the past: a thread that wrote to nobody held the process."""
    lists = b"".join(
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"
        for number, method, params in (
            (1, "initialize", HELLO),
            *((number, "tools/list", {}) for number in range(2, 12)),
        )
    )
    with subprocess.Popen([ASSAY, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(lists)
        running.stdin.flush()
        assert running.stdout.read(1) == b"{", "it has begun to write"
        running.stdin.close()
        assert running.wait(PATIENCE) == 0


def test_a_client_whose_end_of_the_output_is_closed_ends_the_server() -> None:
    with subprocess.Popen([ASSAY, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdout.close()
        running.stdin.write(b"nonsense\n")
        running.stdin.flush()
        assert running.wait(PATIENCE) == 0


def test_a_fault_of_ours_is_a_tool_error_that_quotes_nothing(capfd: Any) -> None:
    async def breaking(_ask: Any) -> Fetched:
        raise RuntimeError("a secret")

    async def use(client: Wire) -> Any:
        return await client.call("dialect_check", PROBE)

    result = run_on(make_server(Unpaid(answerer=NetworkAnswerer(breaking)).take), use)
    assert result["isError"] is True
    assert json.loads(result["content"][0]["text"])["code"] == "internal"
    printed = capfd.readouterr()
    assert "secret" not in json.dumps(result) + printed.out + printed.err


def test_what_a_rule_prints_misses_the_wire() -> None:
    """Standard output belongs to the protocol; anything else goes to standard error."""
    script = (
        "import os, sys\n"
        "from assay402.mcp_server.pipes import own_stdio\n"
        "stdin, stdout = own_stdio()\n"
        "print('stray', flush=True)\n"
        "stdout.write(b'wire'); stdout.flush()\n"
        "assert stdin.read() == b'in' and os.read(0, 1) == b''\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], input=b"in", capture_output=True, timeout=PATIENCE, check=True
    )
    assert ran.stdout == b"wire"
    assert ran.stderr.strip() == b"stray"
