"""The server of one person on one machine: unpaid, over stdio."""

import ssl

from assay402.mcp_server.pipes import own_stdio
from assay402.mcp_server.server import make_server
from assay402.mcp_server.stdio import serve
from assay402.mcp_server.unpaid import Unpaid
from assay402.net.answerer import NetworkAnswerer
from assay402.net.http import Fetcher


async def run_stdio(*, allow_private: bool = False, trust: ssl.SSLContext | None = None) -> None:
    """Serve every check on standard input and output until the input ends."""
    fetcher = Fetcher(allow_private=allow_private, trust=trust)
    unpaid = Unpaid(allow_private=allow_private, answerer=NetworkAnswerer(fetcher))
    stdin, stdout = own_stdio()
    await serve(make_server(unpaid.take), stdin, stdout)
