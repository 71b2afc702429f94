"""The guide to MCP: every snippet is one that works, every tool and name in it is there."""

import asyncio
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from assay402.core.check import REQUEST_DEPTH
from assay402.mcp_server.answers import MOST, MOST_BYTES
from assay402.mcp_server.messages import LIGHT_BYTES
from assay402.mcp_server.pages import pages
from assay402.mcp_server.processes import SHORT_BYTES
from assay402.mcp_server.tools import REQUEST_BYTES, tools
from assay402.mcp_server.unpaid import CALLS
from assay402.service.settings import Settings
from assay402.web.tools import PATH
from assay402.wire.transport import MAX_PAYMENT_BYTES

GUIDE = (Path(__file__).parent.parent.parent / "docs" / "guides" / "mcp.md").read_text()
SNIPPETS = {
    language: re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL) for language in ("json", "toml")
}
SERVERS: list[Any] = [
    *(next(iter(json.loads(each).values()))["assay"] for each in SNIPPETS["json"] if '"assay": {' in each),
    *(tomllib.loads(each)["mcp_servers"]["assay"] for each in SNIPPETS["toml"]),
]
SECONDS = 60


@pytest.mark.parametrize("server", [each for each in SERVERS if "command" in each])
def test_a_configuration_starts_a_server_that_lists_the_tools(server: Any) -> None:
    command = Path(sys.executable).with_name(server["command"])

    async def use() -> int:
        started = StdioServerParameters(command=str(command), args=server["args"])
        async with asyncio.timeout(SECONDS), Client(stdio_client(started)) as client:
            return len((await client.list_tools()).tools)

    assert asyncio.run(use()) == len(tools())


def test_the_address_is_the_one_that_a_service_has() -> None:
    (server,) = [each for each in SERVERS if "url" in each]
    assert server["url"] == f"http://{Settings().host}:{Settings().port}{PATH}"


def test_the_table_has_every_tool() -> None:
    assert re.findall(r"^\| `(\w+)` \|", GUIDE, re.MULTILINE) == [tool.name for tool in tools()]


def test_the_example_is_what_the_tools_take() -> None:
    (example,) = [each for each in SNIPPETS["json"] if "candidate_output" in each]
    assert jsonschema_rs.is_valid(dict(tools()[0].input_schema), json.loads(example))


def test_the_numbers_are_those_of_the_program() -> None:
    numbers = (
        f"{REQUEST_BYTES:,} bytes",
        f"{LIGHT_BYTES:,} bytes without",
        f"{MAX_PAYMENT_BYTES:,} bytes",
        f"last {MOST:,} answers",
        f"{MOST_BYTES >> 20} MiB",
        f"{CALLS} calls",
        f"more than {SHORT_BYTES:,} bytes",
        f"at most {REQUEST_DEPTH} deep",
    )
    assert all(each in GUIDE for each in numbers)


def test_the_resources_are_there() -> None:
    named = set(re.findall(r"`(assay://[a-z/-]+)`", GUIDE))
    assert len(named) == 3
    assert named <= pages(tools()).keys()
