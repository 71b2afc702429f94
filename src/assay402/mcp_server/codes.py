"""What the MCP face itself can refuse, explained. Nothing heavy is loaded here: `assay explain` reads it."""

from collections.abc import Mapping
from typing import Final

from assay402.core.errors import Notice

NOTICES: Final[Mapping[str, Notice]] = {
    "arguments-missing": Notice("The tool call has no arguments.", "Send `arguments`, an object as the tool's input schema says."),
    "tool-unknown": Notice("There is no such tool.", "Call one that `tools/list` lists."),
    "too-many-calls": Notice("Too many calls are under way.", "Call again when one has ended; nothing was charged."),
    "number-out-of-range": Notice("The answer holds a number that tool results cannot carry.", "Ask with numbers that a double can hold, or ask over HTTP or on the command line."),
    "answer-too-deep": Notice("The answer nests deeper than tool results can carry.", "Ask over HTTP or on the command line."),
    "message-too-long": Notice("The message is too long.", "Shorten it below 524,288 bytes, the JSON-RPC wrapper included."),
    "mcp-missing": Notice("The packages of the MCP server are not installed.", "Install them: `pip install 'assay402[mcp]'`."),
}  # fmt: skip
"""Every code of the MCP face."""
