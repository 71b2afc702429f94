"""The MCP server: lists the tools and resources, and hands each call over as an order. Free of any transport."""

import logging
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

import anyio
import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from msgspec import Struct

from assay402 import __version__
from assay402.mcp_server.arguments import Call
from assay402.mcp_server.codes import NOTICES
from assay402.mcp_server.pages import Page, pages
from assay402.mcp_server.progress import LISTENER
from assay402.mcp_server.results import result_of
from assay402.mcp_server.tools import Tool, tools
from assay402.mcp_server.unpaid import Take
from assay402.service.order import Declined, Order, Outcome, Resource

NAME: Final = "assay"
INSTRUCTIONS: Final = (
    "Deterministic checks of x402 payments. What could not be determined is said, never guessed. "
    "A refusal is a tool error with a stable code; resources assay://<check>/codes and assay://rules/<rule> explain."
)
RESOURCE_NOT_FOUND: Final = -32002
"""MCP's code for a resource that is not there."""

CLIENT_ADDRESS: Final = "assay.client_address"
"""In the scope of a request: who calls, where whoever mounts the endpoint knows."""
CALL: Final = "assay.call"
"""In the scope of a request: the call that its message makes."""
ENDED: Final = "assay.ended"
"""In the scope of a request: how its call ended, for whoever keeps a log."""
_PATIENCE: Final = 1.0
"""Seconds that telling of progress may take."""

Context = ServerRequestContext[Any, Any]


class Ended(Struct, frozen=True, kw_only=True):
    """How a call ended."""

    operation: str | None
    """`check/operation`; None where there is no such tool."""
    outcome: Outcome


class Face:
    """The tools and resources of one installation, in front of whoever takes the orders."""

    def __init__(
        self, take: Take, resources: Mapping[str, Resource], tools: tuple[Tool, ...], *, is_paid: bool
    ) -> None:
        self._take: Final = take
        self._resources: Final = resources
        self._tools: Final = {tool.name: tool for tool in tools}
        self._is_paid: Final = is_paid
        self._pages: Final = pages(tools)
        self._listed: Final = types.ListToolsResult(tools=[self._listed_tool(tool) for tool in tools])
        self._listed_pages: Final = types.ListResourcesResult(
            resources=list(map(_listed_page, self._pages.values()))
        )

    async def list_tools(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """Give every tool at once; they are few."""
        return self._listed

    async def list_resources(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        """Give every resource at once."""
        return self._listed_pages

    async def read_resource(
        self, _context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Give the text of a resource."""
        page = self._pages.get(str(params.uri))
        if page is None:
            raise MCPError(
                code=RESOURCE_NOT_FOUND, message="There is no such resource; resources/list lists them."
            )
        contents = types.TextResourceContents(uri=page.uri, mime_type=page.mime_type, text=page.text())
        return types.ReadResourceResult(contents=[contents])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """Take the call as an order, and give how it ends as a tool result."""
        tool = self._tools.get(params.name)
        if tool is None:
            notice = NOTICES["tool-unknown"]
            _note(context.request, None, Declined(status=404, code="tool-unknown"))
            raise MCPError(code=types.INVALID_PARAMS, message=f"{notice.text} {notice.hint}")
        outcome = await self._take_call(context, tool, _call(context.request))
        _note(context.request, tool.place, outcome)
        return result_of(outcome, tool.check, is_advertised=not self._is_paid)

    async def _take_call(self, context: Context, tool: Tool, call: Call) -> Outcome:
        if call.request is None:
            return Declined(status=400, code="arguments-missing")
        order = Order(
            resource=self._resources[tool.name],
            request=call.request,
            payment=call.payment,
            idempotency_key=call.idempotency_key,
            client_address=_address(context.request),
        )
        steps = 0

        async def tell() -> None:
            nonlocal steps
            steps += 1
            # Paid work goes on when its caller has left, and must not wait for anybody to read of it.
            with (
                suppress(anyio.BrokenResourceError, anyio.ClosedResourceError),
                anyio.move_on_after(_PATIENCE),
            ):
                await context.session.report_progress(steps)

        LISTENER.set(tell)
        return await self._take(order)

    def _listed_tool(self, tool: Tool) -> types.Tool:
        is_free = self._resources[tool.name].price == 0
        return types.Tool(
            name=tool.name,
            description=tool.description,
            input_schema=dict(tool.input_schema),
            output_schema=None if self._is_paid else dict(tool.output_schema),
            annotations=types.ToolAnnotations(
                read_only_hint=is_free,
                destructive_hint=False,
                idempotent_hint=is_free,
                open_world_hint=tool.is_open_world,
            ),
        )


def make_server(
    take: Take, *, prices: Mapping[str, int] | None = None, checks: tuple[str, ...] | None = None
) -> Server[Any]:
    """Make the server. `prices` by `check/operation`, in millionths of a US dollar, make it one that is paid."""
    offered = tools(checks)
    resources = {tool.name: _resource(tool, prices or {}) for tool in offered}
    face = Face(take, resources, offered, is_paid=any(each.price for each in resources.values()))
    # The SDK logs what it was sent where something fails; nothing submitted goes into a log.
    logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)
    server: Server[Any] = Server(
        NAME,
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=face.list_tools,
        on_call_tool=face.call_tool,
        on_list_resources=face.list_resources,
        on_read_resource=face.read_resource,
        # No argument travels as a header of its own, so there is nothing to compare.
        get_tool_input_schema=lambda _name: None,
    )
    # The span that the SDK opens for each message costs more than a small check.
    server.middleware[:] = [_unquoted]
    return server


async def _unquoted(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Answer a method that is not there without the SDK's data, which is what was sent."""
    try:
        return await call_next(ctx)
    except MCPError as error:
        if error.code != types.METHOD_NOT_FOUND:
            raise
    raise MCPError(code=types.METHOD_NOT_FOUND, message="There is no such method.")


def _resource(tool: Tool, prices: Mapping[str, int]) -> Resource:
    return Resource(
        path=tool.resource_url,
        check=tool.check,
        operation=tool.operation,
        price=prices.get(tool.place, 0),
        profile=tool.profile,
        description=tool.operation.summary,
    )


def _listed_page(page: Page) -> types.Resource:
    return types.Resource(
        uri=page.uri, name=page.name, description=page.description, mime_type=page.mime_type
    )


def _address(request: Any) -> str:  # noqa: ANN401  (what the transport keeps of a message)
    scope = getattr(request, "scope", {})
    address: str = scope.get(CLIENT_ADDRESS, "local")
    return address


def _note(request: Any, operation: str | None, outcome: Outcome) -> None:  # noqa: ANN401  (what the transport keeps of a message)
    """Say how a call ended, where there is a scope to say it in."""
    if not isinstance(request, Call):
        request.scope[ENDED] = Ended(operation=operation, outcome=outcome)


def _call(request: Any) -> Call:  # noqa: ANN401  (what the transport keeps of a message)
    """Give the call as its transport cut it out of the bytes that came."""
    call: Call = request if isinstance(request, Call) else request.scope[CALL]
    return call
