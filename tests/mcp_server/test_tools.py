"""What is listed: names, schemas, hints, sizes."""

import json
import re
from hashlib import sha256
from importlib.resources import files
from typing import Any

import jsonschema_rs
import pytest

from assay402.checks import CHECKS
from assay402.checks.deliverable.model import ASSAY
from assay402.checks.deliverable.registry import registry
from assay402.checks.terms.protocols import PROTOCOLS
from assay402.core.check import Faces
from assay402.formats.schema import schemas_of
from assay402.formats.terms_schema import EXAMPLES
from assay402.mcp_server.server import make_server
from assay402.mcp_server.tools import Tool, tools
from assay402.mcp_server.unpaid import Unpaid
from assay402.service.order import Order, Outcome
from mcp_wire import Wire, run_on

TOOLS = tools()
CONTRACT = [tool for tool in TOOLS if tool.name.startswith("fahce_")]
OWN = [tool for tool in TOOLS if tool not in CONTRACT]
PUBLISHED = {
    "input": "0e6c86f208934d1640107affeaa0e53e0312217aa951de3d798ce3077e011920",
    "output": "11f88afd9f6a2212d82e88279541b60728501fe8260877616c99006e3a2b8f8f",
}
"""SHA-256 of the published schemas without descriptions, names sorted, compact."""
DESCRIBED_CHARACTERS = 42_000
OWN_CHARACTERS = 24_000
PAID = {"claims/diagnose": 20_000}


def named(tool: Tool) -> str:
    return tool.name


def compact(value: Any, *, sort: bool = False) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=sort, ensure_ascii=False)


def without_descriptions(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            name: without_descriptions(value)
            for name, value in schema.items()
            if not (name == "description" and isinstance(value, str))
        }
    return [without_descriptions(each) for each in schema] if isinstance(schema, list) else schema


def listed(prices: dict[str, int] | None = None) -> list[Any]:
    async def use(client: Wire) -> Any:
        return (await client.answer("tools/list"))["result"]["tools"]

    async def take(order: Order) -> Outcome:
        return await Unpaid().take(order)

    found: list[Any] = run_on(make_server(take, prices=prices), use)
    return found


def test_the_tools_are_the_ones_of_the_issue_in_their_order() -> None:
    assert [tool.name for tool in TOOLS] == [
        "fahce_diagnose_integrity",
        "fahce_plan_bounded_repair",
        "fahce_verify_repaired_output",
        "fahce_integrity_repair_bundle",
        "dialect_check",
        "dialect_precheck",
        "listing_check",
        "deliverable_check",
        "deliverable_lint",
        "terms_place",
        "terms_extract",
        "terms_verify",
    ]


def test_every_operation_of_the_network_is_a_tool_but_the_one_for_site_owners() -> None:
    """A discovery document is held to its word by whoever publishes it, over the command line or HTTP."""
    offered = {
        f"{check.name}/{operation.name}"
        for check in CHECKS
        for operation in check.operations
        if operation.faces is Faces.EVERYWHERE
    }
    assert {tool.place for tool in TOOLS} == offered - {"terms/discover"}


@pytest.mark.parametrize("tool", CONTRACT, ids=named)
def test_a_contract_tool_has_the_published_schemas(tool: Tool) -> None:
    """Issue 8: exactly the published schemas apart from descriptions."""
    for side, schema in (("input", tool.input_schema), ("output", tool.output_schema)):
        said = compact(without_descriptions(schema), sort=True)
        assert sha256(said.encode()).hexdigest() == PUBLISHED[side]


@pytest.mark.parametrize("tool", CONTRACT, ids=named)
def test_a_contract_tool_lists_the_files_that_ship(tool: Tool) -> None:
    data = files("assay402.checks.claims.data")
    assert tool.input_schema == json.loads(data.joinpath("request.schema.json").read_bytes())
    assert tool.output_schema == json.loads(data.joinpath("response.schema.json").read_bytes())


def test_the_tools_fit_their_budgets() -> None:
    """Issue 8: an agent pays for every character of a list."""
    sizes = {each["name"]: len(compact(each)) for each in listed()}
    assert sum(sizes[tool.name] for tool in CONTRACT) <= DESCRIBED_CHARACTERS
    assert sum(sizes[tool.name] for tool in OWN) <= OWN_CHARACTERS


@pytest.mark.parametrize("name", ["deliverable_check", "deliverable_lint"])
def test_the_list_names_every_parameter_of_every_check(name: str) -> None:
    """An agent guesses names that it cannot read, and its criteria end UNCHECKABLE."""
    (tool,) = [tool for tool in TOOLS if tool.name == name]
    said = tool.input_schema["properties"]["criteria"]["items"]["description"]
    assert ", matches, not_matches: value, path?; " in said
    assert "; numeric_close: path?, value, tolerance?, relTolerance? (at least one of" in said
    for check in registry(ASSAY)["checks"]:
        assert re.search(rf"\b{check['name']}\b", said), check["name"]
        if isinstance(check["parameters"], list):
            assert all(each["name"] in said for each in check["parameters"])


@pytest.mark.parametrize("name", ["terms_place", "terms_extract"])
def test_the_list_says_what_terms_are_placed_by_and_where(name: str) -> None:
    (tool,) = [tool for tool in TOOLS if tool.name == name]
    schema = dict(tool.input_schema)
    assert schema["properties"]["protocol"]["enum"] == [*PROTOCOLS, None]
    example = EXAMPLES[tool.operation.name]
    assert jsonschema_rs.is_valid(schema, example)
    for member in schema["required"]:
        assert not jsonschema_rs.is_valid(schema, {**example, member: 7})
        assert not jsonschema_rs.is_valid(schema, {key: example[key] for key in example if key != member})
    assert all(member.keys() & {"type", "enum"} for member in schema["properties"].values())


def test_a_free_list_says_everything() -> None:
    for tool, each in zip(TOOLS, listed(), strict=True):
        assert each["name"] == tool.name
        assert each["inputSchema"] == tool.input_schema
        assert each["outputSchema"] == tool.output_schema
        assert each["annotations"] == {
            "readOnlyHint": True,
            "destructiveHint": False,
            "idempotentHint": True,
            "openWorldHint": tool.name in ("dialect_check", "listing_check", "terms_verify"),
        }
        assert len(each["description"]) <= 200


def test_a_paid_list_has_no_output_schemas_and_says_that_calling_costs() -> None:
    """The official TypeScript client holds errors to an output schema too, the offer among them."""
    found = {each["name"]: each for each in listed(PAID)}
    assert not any("outputSchema" in each for each in found.values())
    assert found["fahce_diagnose_integrity"]["annotations"]["readOnlyHint"] is False
    assert found["fahce_diagnose_integrity"]["annotations"]["idempotentHint"] is False
    assert found["dialect_check"]["annotations"]["readOnlyHint"] is True


@pytest.mark.parametrize("tool", TOOLS, ids=named)
def test_schemas_are_objects_that_every_draft_reads(tool: Tool) -> None:
    """The official clients read them by draft 07 and by 2020-12."""
    for schema in (tool.input_schema, tool.output_schema):
        assert schema["type"] == "object"
        assert "$schema" not in schema
        assert "prefixItems" not in compact(schema)
        jsonschema_rs.Draft7Validator(dict(schema))
        jsonschema_rs.Draft202012Validator(dict(schema))


@pytest.mark.parametrize("tool", TOOLS, ids=named)
def test_the_example_of_an_operation_is_what_its_tool_takes(tool: Tool) -> None:
    example = schemas_of(tool.check.name, tool.operation.name, tool.profile or "").example
    arguments = {"request": example} if tool in CONTRACT else example
    assert jsonschema_rs.Draft7Validator(dict(tool.input_schema)).is_valid(arguments)


def test_a_service_offers_the_tools_of_its_checks_only() -> None:
    assert [tool.name for tool in tools(("terms",))] == ["terms_place", "terms_extract", "terms_verify"]


def test_every_resource_can_be_read_and_is_said_what_it_is() -> None:
    async def use(client: Wire) -> Any:
        found = (await client.answer("resources/list"))["result"]["resources"]
        texts = {}
        for each in found:
            answer = await client.answer("resources/read", {"uri": each["uri"]})
            texts[each["uri"]] = (each, answer["result"]["contents"][0])
        return texts

    read = run_on(make_server(Unpaid().take), use)
    rules = [rule for check in CHECKS for rule in check.rules]
    assert {f"assay://rules/{rule.id}" for rule in rules} <= read.keys()
    for tool in TOOLS:
        assert json.loads(read[f"assay://schemas/{tool.name}/output"][1]["text"]) == tool.output_schema
    for uri in ("assay://dialect/criteria", "assay://deliverable/contract", "assay://deliverable/menu"):
        assert json.loads(read[uri][1]["text"])
    for each, contents in read.values():
        assert contents["mimeType"] == each["mimeType"]
        assert each["description"]
        assert contents["text"]


def test_an_unknown_resource_is_an_error_that_quotes_nothing() -> None:
    async def use(client: Wire) -> Any:
        return (await client.answer("resources/read", {"uri": "assay://secret"}))["error"]

    error = run_on(make_server(Unpaid().take), use)
    assert error["code"] == -32002
    assert "secret" not in json.dumps(error)


def test_there_are_no_prompts() -> None:
    async def use(client: Wire) -> Any:
        return (await client.answer("prompts/list"))["error"]["code"]

    assert run_on(make_server(Unpaid().take), use) == -32601
