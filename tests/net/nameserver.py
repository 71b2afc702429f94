"""A name server on loopback that answers from a script and counts what it is asked."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

from assay402.net.guard import DNSResolver

Records = Mapping[str, Sequence[Sequence[str] | dns.rcode.Rcode | None]]
"""Per kind of record the answers in their order, the last one standing; None is silence."""


class NameServer(asyncio.DatagramProtocol):
    """Answers one name, TTL 0; over UDP an answer beyond `whole_up_to` records is cut, as real ones are."""

    def __init__(self, records: Records, whole_up_to: int) -> None:
        self._records = records
        self._whole_up_to = whole_up_to
        self.asked: Counter[str] = Counter()
        self.names: set[str] = set()

    def connection_made(self, transport: Any) -> None:
        """Keep the socket to answer on."""
        self._transport = transport

    def datagram_received(self, data: bytes, client: Any) -> None:
        """Answer over UDP."""
        answer = self._answer(dns.message.from_wire(data), self._whole_up_to)
        if answer is not None:
            self._transport.sendto(answer.to_wire(), client)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer over TCP."""
        length = int.from_bytes(await reader.readexactly(2))
        answer = self._answer(dns.message.from_wire(await reader.readexactly(length)), 65_535)
        if answer is not None:
            wire = answer.to_wire()
            writer.write(len(wire).to_bytes(2) + wire)
        writer.close()
        await writer.wait_closed()

    def _answer(self, query: dns.message.Message, whole_up_to: int) -> dns.message.Message | None:
        question = query.question[0]
        kind = dns.rdatatype.to_text(question.rdtype)
        self.names.add(question.name.to_text())
        prepared = self._records.get(kind, [()])
        content = prepared[min(self.asked[kind], len(prepared) - 1)]
        self.asked[kind] += 1
        if content is None:
            return None
        answer = dns.message.make_response(query)
        if isinstance(content, dns.rcode.Rcode):
            answer.set_rcode(content)
        elif len(content) > whole_up_to:
            answer.flags |= dns.flags.TC
        elif content:
            answer.answer.append(dns.rrset.from_text(question.name, 0, "IN", kind, *content))
        return answer


@asynccontextmanager
async def name_server(
    records: Records, *, whole_up_to: int = 20, seconds: float = 2.0
) -> AsyncGenerator[tuple[NameServer, DNSResolver]]:
    """Run a name server for the time of the block, with a resolver that asks it."""
    server = NameServer(records, whole_up_to)
    over_tcp, over_udp = await _listen(server)
    port = over_udp.get_extra_info("sockname")[1]
    try:
        yield server, DNSResolver(servers=["127.0.0.1"], port=port, seconds=seconds)
    finally:
        over_tcp.close()
        over_udp.close()


async def _listen(server: NameServer) -> tuple[asyncio.Server, asyncio.DatagramTransport]:
    """Listen on one port over TCP and UDP; the free one of the first may be taken in the second."""
    for _ in range(20):
        over_tcp = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        port = over_tcp.sockets[0].getsockname()[1]
        try:
            over_udp, _ = await asyncio.get_running_loop().create_datagram_endpoint(
                lambda: server, local_addr=("127.0.0.1", port)
            )
        except OSError:
            over_tcp.close()
        else:
            return over_tcp, over_udp
    raise OSError
