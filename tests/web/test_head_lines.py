"""Answers whose header lines the server does not read again: the same bytes for the client, and no way to smuggle a line."""

import asyncio
from typing import Any

import h11
import pytest

from assay402.web.answers import HTTPAnswer, send_answer
from assay402.web.server import Writer


def asked() -> Writer:
    writer = Writer(h11.SERVER)
    writer.receive_data(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    while type(writer.next_event()) is not h11.EndOfMessage:
        continue
    return writer


def written(writer: Writer, answer: HTTPAnswer, *, lines: bool) -> list[bytes]:
    parts: list[bytes] = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            parts.append(writer.send(h11.Response(status_code=message["status"], headers=message["headers"])))
        else:
            parts.append(writer.send(h11.Data(data=message["body"])))

    asyncio.run(send_answer(send, answer, "id", put=writer.put if lines else None))
    parts.append(writer.send(h11.EndOfMessage()))
    return parts


def parsed(data: bytes) -> tuple[Any, bytes]:
    client = h11.Connection(h11.CLIENT)
    client.send(h11.Request(method="GET", target="/", headers=[("Host", "a")]))
    client.send(h11.EndOfMessage())
    client.receive_data(data)
    head, body = client.next_event(), client.next_event()
    return sorted(head.headers), bytes(body.data)  # type: ignore[union-attr]  # (a response and its data)


ANSWER = HTTPAnswer(status=200, body=b"{}", headers=(("PAYMENT-RESPONSE", "e30="), ("Retry-After", "1")))


def test_head_and_body_go_out_in_one_write() -> None:
    head, body, end = written(asked(), ANSWER, lines=True)
    assert (head, end) == (b"", b"")
    assert body.startswith(b"HTTP/1.1 200")
    assert body.endswith(b"\r\n\r\n{}")


def test_a_client_reads_the_same_answer_either_way() -> None:
    quick, plain = (b"".join(written(asked(), ANSWER, lines=lines)) for lines in (True, False))
    assert parsed(quick) == parsed(plain)


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: b", "a\nb", "a\rb", "a\0b"])
def test_a_value_with_the_end_of_a_line_in_it_is_still_refused(value: str) -> None:
    answer = HTTPAnswer(status=200, body=b"{}", headers=(("X", value),))
    with pytest.raises(h11.LocalProtocolError):
        written(asked(), answer, lines=True)


def test_lines_taken_back_are_in_no_answer() -> None:
    writer = asked()
    writer.put(b"x-old: 1\r\n")
    writer.put(None)
    data = b"".join(written(writer, ANSWER, lines=False))
    assert b"x-old" not in data
