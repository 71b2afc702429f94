"""What an agent is told to do is something an agent can do."""

import json
import re

import pytest

from assay402.core.check import Check
from assay402.core.errors import NOTICES as CORE
from assay402.core.fetch_states import NOTICES as FETCH
from assay402.mcp_server.codes import NOTICES as MCP
from assay402.mcp_server.notices import OWN_WORDS
from assay402.mcp_server.pages import pages
from assay402.mcp_server.results import problem
from assay402.mcp_server.tools import tools
from assay402.service.notices import NOTICES as SERVICE

CHECKS = {tool.check.name: tool.check for tool in tools()}
START = "A server of your own machine reaches it where it was started as `assay mcp --allow-private`."
MET = (*OWN_WORDS, *FETCH, *(code for code in MCP if code != "mcp-missing"))
"""Codes that a call may end in whatever its check."""


def hints(check: Check) -> dict[str, tuple[str, str]]:
    """Give title and hint of every code, as a tool's error says them."""
    said = {
        code: json.loads(problem(code, check, {})) for code in (*check.notices, *MET, *SERVICE, *CORE, *FETCH)
    }
    return {code: (each["title"], each["detail"]) for code, each in said.items()}


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_no_command_and_no_option_reaches_an_agent_who_has_neither(check: Check) -> None:
    """A bug of the past: an agent was told to run commands and to give options."""
    for code, (title, hint) in hints(check).items():
        assert not re.search(r"`assay |`--", title + hint.replace(START, "")), code


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_each_code_that_a_call_may_end_in_says_what_to_do(check: Check) -> None:
    found = hints(check)
    for code in (*check.notices, *MET):
        title, hint = found[code]
        assert title == title.strip() != "", code
        assert hint == hint.strip() != "", code


def test_each_resource_and_tool_that_a_hint_names_is_there() -> None:
    offered, names = pages(tools()), {tool.name for tool in tools()}
    for check in CHECKS.values():
        for code, (_, hint) in hints(check).items():
            assert set(re.findall(r"assay://[a-z0-9/_-]+", hint)) <= offered.keys(), code
            assert set(re.findall(r"the tool `(\w+)`", hint, re.IGNORECASE)) <= names, code


def test_the_page_of_the_codes_says_the_same() -> None:
    for name, check in CHECKS.items():
        text = pages(tools())[f"assay://{name}/codes"].text()
        for code in check.notices:
            title, hint = hints(check)[code]
            assert f"- `{code}`: {title} {hint}\n" in text


def test_an_address_of_ones_own_network_says_how_to_reach_it() -> None:
    assert hints(CHECKS["dialect"])["addr_private"][1] == START
