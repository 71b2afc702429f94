"""What a room offers: a check with its operations and rules, and the refusal of input that is not acceptable.

These are declarations. Faces (command line, library, HTTP, MCP) are made from them; nothing here is registered
by a side effect, and `assay402.checks` holds the one list.
"""

import re
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cached_property
from inspect import cleandoc
from typing import Any, Final, Generic, Protocol, TypeVar

from msgspec import Struct

from assay402.core.asks import Collecting
from assay402.core.errors import JSONUnreadable, Notice
from assay402.core.strictjson import JSON, MAX_DEPTH, read

Facts_contra = TypeVar("Facts_contra", contravariant=True)
Statement_co = TypeVar("Statement_co", covariant=True)
Given = TypeVar("Given")
Given_co = TypeVar("Given_co", covariant=True)
Result = TypeVar("Result")

_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)


class Custody(Enum):
    """What a check keeps of what it was given."""

    NOTHING = "nothing"
    """Neither body, fragment nor hash of the artefact, anywhere."""
    ANSWER = "answer"
    """The answer, never the input."""


class Faces(Enum):
    """Where an operation is offered."""

    EVERYWHERE = "everywhere"
    LOCAL = "local"
    """Command line and library only."""


class Refusal(Struct, frozen=True, kw_only=True):
    """Input that is not acceptable, said for free: a code, and numbers where they help; never what was submitted."""

    code: str
    length: int | None = None
    cap: int | None = None
    is_ours: bool = False
    """Whether the request is fine and this installation cannot serve it."""

    def published(self) -> dict[str, Any]:
        """Give the public JSON of a refusal."""
        numbers = {"length": self.length, "cap": self.cap}
        return {
            "refused": True,
            "code": self.code,
            **{name: number for name, number in numbers.items() if number is not None},
        }


class Rule(Generic[Facts_contra, Statement_co]):
    """A judgement with its own page: facts in, one statement out. Call it like the function it wraps."""

    def __init__(
        self, judge: Callable[[Facts_contra], Statement_co], rule_id: str, since: str, spec: str
    ) -> None:
        self.judge = judge
        self.id = rule_id
        self.since = since
        self.spec = spec
        self.__doc__ = judge.__doc__

    def __call__(self, facts: Facts_contra) -> Statement_co:
        """Judge the facts."""
        return self.judge(facts)

    @cached_property
    def summary(self) -> str:
        """The first sentence of the page."""
        return cleandoc(self.__doc__ or "").split("\n\n", 1)[0].replace("\n", " ")

    @cached_property
    def sections(self) -> Mapping[str, str]:
        """The titled parts of the page, in order."""
        _, *parts = _SECTION.split(cleandoc(self.__doc__ or ""))
        return {title: body.strip() for title, body in zip(parts[::2], parts[1::2], strict=True)}


def rule(
    rule_id: str, *, since: str, spec: str
) -> Callable[[Callable[[Facts_contra], Statement_co]], Rule[Facts_contra, Statement_co]]:
    """Make a function a rule. `spec` names the place of the contract it proves; its docstring is its page."""

    def wrap(judge: Callable[[Facts_contra], Statement_co]) -> Rule[Facts_contra, Statement_co]:
        return Rule(judge, rule_id, since, spec)

    return wrap


class Admit(Protocol[Given_co]):
    """Free, before any payment: is this input acceptable?"""

    def __call__(self, request: JSON | Refusal, *, allow_private: bool = False) -> Given_co | Refusal:
        """Judge a request.

        A face that could not read one passes its refusal. `allow_private` is for a person's own machine.
        """


REQUEST_DEPTH: Final = 4 * MAX_DEPTH
"""Nesting of a whole request: well above what a member may have, so that a member too deep is judged by its room,
and well below the interpreter's recursion limit."""


def read_request(source: bytes, cap: int) -> JSON | Refusal:
    """Read a request as received: over the cap (`over_cap`) and not JSON (`not_json`) are refusals."""
    if len(source) > cap:
        return Refusal(code="over_cap", length=len(source), cap=cap)
    try:
        return read(source, max_depth=REQUEST_DEPTH)
    except JSONUnreadable:
        return Refusal(code="not_json")


class Operation(Struct, Generic[Given, Result], frozen=True, kw_only=True):
    """One thing a check does, in four pure parts: admit, run (collect and rules), publish, exit code."""

    name: str
    summary: str
    """One sentence, shown in help, docs and tools."""
    admit: Admit[Given]
    run: Callable[[Given], Collecting[Result | Refusal]]
    publish: Callable[[Result], dict[str, Any]]
    """The public JSON, keys in the contract's order."""
    publish_refusal: Callable[[Refusal], dict[str, Any]] = Refusal.published
    """The public JSON of a request that was not accepted, where the contract has a shape of its own for it."""
    exit_code: Callable[[Result], int]
    request_bytes: int
    """Longest request, in bytes as received."""
    read: Callable[[bytes, int], JSON | Refusal] = read_request
    """Read a request as received, up to a cap."""
    profiles: Mapping[str, "Operation[Any, Any]"] = {}
    """The same operation under other published contracts, by name."""
    redact: Callable[[JSON], JSON] = lambda request: request
    """What of a request a recording may keep: values nobody reads and that may be secret are emptied."""
    offline: Callable[[Given], Refusal | None] = lambda _given: None
    """What to refuse where there is no network; None when the work needs none."""
    faces: Faces = Faces.EVERYWHERE


class Check(Struct, frozen=True, kw_only=True):
    """A room: its question, its operations, its rules."""

    name: str
    service: str
    """The contract's own name of the service."""
    version: str
    """The contract version."""
    question: str
    custody: Custody
    operations: tuple[Operation[Any, Any], ...]
    rules: tuple[Rule[Any, Any], ...]
    notices: Mapping[str, Notice]
    """Every refusal code of the room, explained."""

    def operation(self, name: str) -> Operation[Any, Any]:
        """Give an operation by its name. Raises `KeyError` for a name the room does not have."""
        return {operation.name: operation for operation in self.operations}[name]
