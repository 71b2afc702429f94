"""JSON-RPC 2.0 as the nodes of chains speak it: a server for a node in this process, and calls to any node on loopback."""

import json
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from assay402.sandbox.serving import OneThreadServer, Reply, Request

UNKNOWN_METHOD: Final = -32601
INVALID_REQUEST: Final = -32600
FAILED: Final = -32000
CALL_SECONDS: Final = 30.0
"""How long a call of a local node may take; it takes milliseconds."""


class RPCError(Exception):
    """A node's answer that is an error: its code, its message and its data."""

    def __init__(self, code: int, message: str, data: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class NodeUnreachable(Exception):
    """No node answers at the address."""


class Node(Protocol):
    """A chain that is called in one thread only."""

    def answer(self, method: str, params: list[Any]) -> Any:  # noqa: ANN401  (any JSON value)
        """Answer a call, with any JSON value; raises `RPCError`."""
        ...


class NodeServer:
    """Serves a node over HTTP. The node is made in a thread of its own and never leaves it."""

    def __init__(self, make: Callable[[], Node], port: int = 0) -> None:
        self._served: Final[OneThreadServer[Node]] = OneThreadServer(
            make, self._reply, name="sandbox-node", port=port
        )

    @property
    def url(self) -> str:
        """The node's address."""
        return self._served.url

    def close(self) -> None:
        """Stop serving, then let the node go."""
        self._served.close()

    def _reply(self, request: Request) -> Reply:
        try:
            call = json.loads(request.body)
        except ValueError:
            return Reply(status=400)
        several = isinstance(call, list)
        answers = [self._answer(each) for each in (call if several else [call])]
        return Reply(body=json.dumps(answers if several else answers[0]).encode())

    def _answer(self, call: Any) -> dict[str, Any]:  # noqa: ANN401  (any JSON value)
        match call:
            case {"method": str() as method}:
                params = call.get("params") or []
            case _:
                return _error(None, RPCError(INVALID_REQUEST, "invalid request"))
        try:
            result = self._served.held.run(lambda node: node.answer(method, list(params)))
        except RPCError as error:
            return _error(call.get("id"), error)
        except Exception as error:  # noqa: BLE001  (the outermost frame of a node: what its library raises is its answer)
            return _error(call.get("id"), RPCError(FAILED, f"{type(error).__name__}: {error}"))
        return {"jsonrpc": "2.0", "id": call.get("id"), "result": result}


def _error(call_id: Any, error: RPCError) -> dict[str, Any]:  # noqa: ANN401  (any JSON value)
    told = {"code": error.code, "message": error.message}
    return {
        "jsonrpc": "2.0",
        "id": call_id,
        "error": told if error.data is None else told | {"data": error.data},
    }


def call_node(url: str, method: str, *params: Any) -> Any:  # noqa: ANN401  (any JSON value)
    """Call a node, without a proxy.

    Raises:
        RPCError: the node answers with an error.
        NodeUnreachable: nothing answers there, or not as a node does.
    """
    address = urlsplit(url)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=CALL_SECONDS)
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    try:
        connection.request("POST", address.path or "/", asked, {"Content-Type": "application/json"})
        answer = json.loads(connection.getresponse().read())
    except (OSError, HTTPException, ValueError):
        raise NodeUnreachable from None
    finally:
        connection.close()
    match answer:
        case {"result": result}:
            return result
        case {"error": {"code": int() as code, "message": str() as message} as error}:
            raise RPCError(code, message, error.get("data"))
        case _:
            raise NodeUnreachable
