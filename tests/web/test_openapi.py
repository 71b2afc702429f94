"""The OpenAPI document: valid, whole, and in step with what is served."""

from typing import Any

import jsonschema_rs
import pytest

from assay402.checks import CHECKS
from assay402.core.check import Faces, Refusal
from assay402.core.strictjson import write
from assay402.service.resources import PATHS, resources
from assay402.service.settings import Settings
from assay402.web.contract import OPERATION_ID
from assay402.web.openapi import openapi
from assay402.web.tools import PATH as MCP

PAID = Settings(payments="required", public_url="https://checks.example")


def document(settings: Settings) -> dict[str, Any]:
    made: dict[str, Any] = openapi(settings, resources(settings))
    return made


def references(value: Any) -> list[str]:
    match value:
        case dict():
            own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
            return own + [each for inner in value.values() for each in references(inner)]
        case list():
            return [each for inner in value for each in references(inner)]
        case _:
            return []


@pytest.mark.parametrize("settings", [Settings(), PAID], ids=["free", "paid"])
def test_every_schema_is_one_and_every_reference_leads_somewhere(settings: Settings) -> None:
    made = document(settings)
    for schema in made["components"]["schemas"].values():
        jsonschema_rs.meta.validate(schema)
    assert made["openapi"] == "3.1.0"
    for reference in references(made):
        place: Any = made
        for name in reference.removeprefix("#/").split("/"):
            assert name in place, reference
            place = place[name]


def test_every_operation_of_the_network_is_in_it() -> None:
    made = document(Settings())
    ids = {operation["operationId"] for path in made["paths"].values() for operation in path.values()}
    wanted = {
        f"{check.name}_{operation.name}".replace("-", "_")
        for check in CHECKS
        for operation in check.operations
        if operation.faces is Faces.EVERYWHERE
    } - {"deliverable_check"} | {OPERATION_ID}
    assert wanted <= ids
    assert {path for path in made["paths"] if "post" in made["paths"][path]} == {*PATHS.values(), MCP}
    assert len(ids) == sum(len(path) for path in made["paths"].values())


def test_examples_fit_the_schemas_they_stand_beside() -> None:
    made = document(Settings())
    for path in made["paths"].values():
        for operation in path.values():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if content is not None:
                schema = {**content["schema"], "components": made["components"]}
                assert jsonschema_rs.is_valid(schema, content["example"])


def test_every_example_is_admitted_by_the_service_itself() -> None:
    made = document(Settings())
    for resource in resources(Settings()):
        content = made["paths"][resource.path.partition("?")[0]]["post"]["requestBody"]["content"]
        sent = write(content["application/json"]["example"])
        given = resource.operation.admit(resource.operation.read(sent, resource.operation.request_bytes))
        assert not isinstance(given, Refusal), resource.name


def test_what_a_client_sends_to_pay_is_described_where_payment_is_required() -> None:
    for settings, is_paid in ((Settings(), False), (PAID, True)):
        made = document(settings)
        for name, path in PATHS.items():
            sent = {each["name"] for each in made["paths"][path]["post"]["parameters"]}
            is_sold = is_paid and "x-payment" in made["paths"][path]["post"]
            assert ("PAYMENT-SIGNATURE" in sent) == is_sold
            assert ("ARBITER-QUOTE-ID" in sent) == (is_sold and name == "deliverable/check")
        assert ("/.well-known/did.json" in made["paths"]) == is_paid


def test_prices_and_payment_answers_are_there_where_payment_is_required() -> None:
    free, paid = document(Settings()), document(PAID)
    for name, path in PATHS.items():
        operation = paid["paths"][path]["post"]
        is_sold = name in ("dialect/check", "deliverable/check") or name.startswith("claims/")
        assert ("x-payment" in operation) == is_sold
        assert {"402", "202"} <= operation["responses"].keys() or not is_sold
        assert "x-payment" not in free["paths"][path]["post"]
    assert paid["paths"]["/dialect-check/check"]["post"]["x-payment"]["price"] == {
        "currency": "USD",
        "amount": "0.01",
    }
    assert paid["servers"] == [{"url": "https://checks.example"}]
    assert "servers" not in free


def test_both_contracts_of_the_deliverable_are_described() -> None:
    operation = document(Settings())["paths"][PATHS["deliverable/check"]]["post"]
    parameter = next(each for each in operation["parameters"] if each["name"] == "profile")
    assert parameter["schema"] == {"enum": ["contract", "assay"]}
    answers = operation["responses"]["200"]["content"]["application/json"]["schema"]["anyOf"]
    assert [each["$ref"].rsplit("/", 1)[1] for each in answers] == [
        "DeliverableCheckContractAnswer",
        "DeliverableCheckAssayAnswer",
    ]


def test_the_tools_are_in_it_as_they_are_served() -> None:
    made = document(Settings())["paths"][MCP]
    assert set(made) == {"post"}
    responses = made["post"]["responses"]
    assert set(responses["200"]["content"]) == {"text/event-stream", "application/json"}
    assert "content" not in responses["202"]
    assert "Only POST" in responses["405"]["description"]
    assert made["post"]["x-request-bytes"] == 524_288
    assert "x-payment" not in made["post"]


def test_of_paid_tools_it_says_how_they_are_paid_and_what_each_costs() -> None:
    operation = document(PAID)["paths"][MCP]["post"]
    prices = operation["x-payment"].pop("prices")
    assert operation["x-payment"] == {"protocol": "x402", "version": 2, "transport": "mcp"}
    assert prices["dialect_check"] == {"amount": "0.01", "currency": "USD"}
    assert "dialect_precheck" not in prices
    message = document(PAID)["components"]["schemas"]["MCPMessage"]
    assert "x402/payment" in message["properties"]["params"]["properties"]["_meta"]["properties"]
