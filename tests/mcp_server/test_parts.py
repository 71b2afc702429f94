"""The small parts: answers that are kept, a message whose members are cut out."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.mcp_server.answers import Answers, Kept
from assay402.mcp_server.arguments import Call, call_at, places_in, with_key_apart
from assay402.mcp_server.messages import LIGHT_BYTES, Received, read_message
from assay402.service.order import UnreadablePayment
from assay402.wire.transport import MAX_PAYMENT_BYTES

SECONDS = 30
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def kept(body: bytes) -> Kept:
    return Kept(request_sha256="0", body=body)


def test_the_oldest_answers_make_room_by_count_and_by_bytes() -> None:
    few = Answers(most=2)
    for key in "abc":
        few.keep(key, kept(b"x"))
    assert [few.find(key) is None for key in "abc"] == [True, False, False]
    small = Answers(most_bytes=10)
    for key in "abc":
        small.keep(key, kept(b"x" * 5))
    assert [small.find(key) is None for key in "abc"] == [True, False, False]


def test_a_turn_is_held_by_one_and_forgotten_when_nobody_wants_it() -> None:
    async def main() -> None:
        answers, order = Answers(), []
        first_in, go_on = asyncio.Event(), asyncio.Event()

        async def one() -> None:
            async with answers.turn("k"):
                first_in.set()
                await go_on.wait()
                order.append(1)

        async def other() -> None:
            await first_in.wait()
            go_on.set()
            async with answers.turn("k"):
                order.append(2)

        async with asyncio.timeout(SECONDS):
            await asyncio.gather(one(), other())
        assert order == [1, 2]
        assert answers._turns == {}

    asyncio.run(main())


def call_of(source: bytes) -> Call | None:
    places = places_in(source)
    return None if places is None else call_at(source, places)


@given(arguments=st.dictionaries(st.text(), ANY_JSON, max_size=3), payment=ANY_JSON)
@settings(deadline=None, max_examples=100)
def test_what_a_call_holds_is_cut_out_of_its_message(arguments: Any, payment: Any) -> None:
    meta = {"x402/payment": payment, "progressToken": 1}
    params = {"name": "x", "arguments": arguments, "_meta": meta}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    call = call_of(json.dumps(message).encode())
    assert call is not None
    assert json.loads(call.request or b"") == arguments
    assert isinstance(call.payment, UnreadablePayment) == (
        not isinstance(payment, dict) or payment.get("x402Version") == 1
    )


@pytest.mark.parametrize("params", [b"{}", b"[]", b"null", b'{"arguments":null}', b'{"_meta":null}'])
def test_a_call_without_arguments_has_none(params: bytes) -> None:
    assert call_of(b'{"method":"tools/call","params":%s}' % params) == Call(request=None)


@pytest.mark.parametrize(
    "source",
    [
        b"{}",
        b"[]",
        b'{"method":"tools/call"}',
        b'{"params":{"arguments":{}}}',
        b'{"method":7,"params":{"arguments":{}}}',
        b'{"method":"ping","params":{"arguments":{}}}',
    ],
)
def test_what_calls_no_tool_is_no_call(source: bytes) -> None:
    assert call_of(source) is None


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b'{"request":{"a":1.0}}', Call(request=b'{"a":1.0}')),
        (
            b'{"idempotency_key":"12345678", "request": 7 }',
            Call(request=b"7", idempotency_key="12345678"),
        ),
        (b'{"request":1,"idempotency_key":"1234567"}', None),
        (b'{"request":1,"idempotency_key":12345678}', None),
        (b'{"request":1,"more":2}', None),
        (b'{"idempotency_key":"12345678"}', None),
        (b"[]", None),
    ],
)
def test_request_and_key_are_taken_out_of_the_published_arguments_alone(
    sent: bytes, expected: Call | None
) -> None:
    """Anything else goes to the room as it is, which says what is wrong with it."""
    assert with_key_apart(Call(request=sent)) == (expected or Call(request=sent))


EMPTIES = b"[" + b"[]," * 170_000 + b"[]]"
"""Half a megabyte that becomes a hundred and seventy thousand values."""
LONG = {
    "arguments": b'"arguments":{"a":%s}' % EMPTIES,
    "arguments with half a character": b'"arguments":{"a":%s,"z":"\\ud800"}' % EMPTIES,
    "arguments nested deep": b'"arguments":{"a":%s}' % (b"[" * 200_000 + b"]" * 200_000),
    "payment": b'"arguments":{},"_meta":{"x402/payment":{"a":%s}}' % EMPTIES,
}


@pytest.mark.parametrize("params", LONG.values(), ids=LONG)
@pytest.mark.parametrize("method", [b'"tools/call"', b'"tools\\/call"', b'"tools\\u002fcall"'])
def test_the_sdk_sees_little_of_a_long_call(params: bytes, method: bytes) -> None:
    """A bug of the past: half a megabyte held a service up for seconds."""
    source = b'{"jsonrpc":"2.0","id":1,"method":%s,"params":{"name":"dialect_check",%s}}' % (method, params)
    found = read_message(source)
    assert isinstance(found, Received)
    assert len(found.source) <= LIGHT_BYTES
    assert found.call is not None
    assert found.call.request is not None
    assert b'"arguments":' + found.call.request in source


@pytest.mark.parametrize(
    "arguments", [b'{"a":NaN}', b'{"a":[-Infinity,"NaN \\" NaN",Infinity]}', b'{"a":"\\ud800","b":NaN}']
)
def test_a_number_that_json_cannot_say_is_left_to_the_check(arguments: bytes) -> None:
    """Some clients write them; the check's answer is a tool's error under the id of the call."""
    source = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":%s}}' % arguments
    )
    found = read_message(source)
    assert isinstance(found, Received)
    assert found.call == Call(request=arguments)


@pytest.mark.parametrize("length", [MAX_PAYMENT_BYTES, MAX_PAYMENT_BYTES + 1])
def test_a_payment_is_as_long_as_one_in_a_header(length: int) -> None:
    payment = b'{"x402Version":2,"x":"%s"}'
    payment %= b"y" * (length - len(payment) + 2)
    source = b'{"method":"tools/call","params":{"_meta":{"x402/payment":%s}}}' % payment
    call = call_of(source)
    assert call is not None
    assert len(payment) == length
    assert (call.payment == UnreadablePayment(code="invalid_payload")) == (length > MAX_PAYMENT_BYTES)


@pytest.mark.parametrize(
    ("source", "code", "said"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":%s}}' % EMPTIES, -32600, "16,384"),
        (b'{"jsonrpc":"2.0","id":1,"method":7,"params":{"a":%s}}' % EMPTIES, -32600, "16,384"),
        (EMPTIES, -32600, "16,384"),
        (EMPTIES[:-1], -32700, "not JSON"),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{x}}}', -32700, "not JSON"),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"a":"\xff"}}}',
            -32700,
            "not JSON",
        ),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}', -32700, "not JSON"),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"a":NaNa}}}',
            -32700,
            "not JSON",
        ),
    ],
)
def test_what_is_no_message_is_told_apart_however_long_it_is(source: bytes, code: int, said: str) -> None:
    found = read_message(source)
    assert isinstance(found, bytes)
    error = json.loads(found)["error"]
    assert error["code"] == code
    assert said in error["message"]
