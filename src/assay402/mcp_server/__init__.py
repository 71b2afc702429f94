"""The checks as MCP tools, over stdio and over HTTP. Nothing is loaded here: the SDK is heavy."""
