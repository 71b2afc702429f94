"""The handed cases and the frozen exemplar, through the command, over real loopback servers."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from click.testing import CliRunner, Result

from assay402 import listing
from assay402.cli.listing import command
from listing.world import World
from vectors import VECTORS, cases

HANDED = cases("listing/handed.json")
SCHEMA = jsonschema_rs.validator_for(listing.schema())
NAMES = [case["name"] for case in HANDED]


def invoke(case: Mapping[str, Any], folder: Path, *more: str) -> tuple[Result, World, Path]:
    log = folder / "history.jsonl"
    if "history_log" in case:
        log.write_text(case["history_log"])
    argv = [each.replace("{LOG}", str(log)) for each in case["argv"]]
    with World(case["mocks"], clock=case.get("clock")) as world:
        result = CliRunner().invoke(
            command("bazaar-check"),
            [*argv, "--allow-private", *more],
            obj=world.outside,
            env=case.get("env", {"BASE_CHAIN_ID": ""}),
        )
    return result, world, log


def holds(expected: Any, found: Any) -> bool:
    """Compare a subset: every member of an expected object must be there."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            name in found and holds(each, found[name]) for name, each in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(found, list) and len(expected) == len(found) and all(map(holds, expected, found))
    return bool(expected == found)


@pytest.mark.parametrize("case", HANDED, ids=NAMES)
def test_a_handed_case_comes_out_as_the_reference_has_it(case: Any, tmp_path: Path) -> None:
    """Evidence 1: under the compat profile, what its own tests pin and what the page derives."""
    result, world, log = invoke(case, tmp_path, "--profile", "compat")
    expect_streams(result, case["expect"])
    for expected in (case["expect"], case.get("expect_derived", {})):
        if "exit_code" in expected:
            assert result.exit_code == expected["exit_code"]
        expect_requests(world.requests, expected)
        if "appended_record" in expected:
            assert holds(expected["appended_record"], json.loads(log.read_text().splitlines()[-1]))
    if "json" in case["argv"] and result.exit_code != 1:
        report = json.loads(result.stdout)
        assert result.stdout == json.dumps(report, separators=(",", ":"), ensure_ascii=False) + "\n"
        SCHEMA.validate(report)
        expect_report(report, case["expect"])
        expect_report(report, case.get("expect_derived", {}))


def expect_streams(result: Result, expected: Mapping[str, Any]) -> None:
    for pattern in expected.get("stdout_matches", []):
        assert re.search(pattern, result.stdout, re.IGNORECASE)
    for pattern in expected.get("stderr_matches", []):
        assert re.search(pattern, result.stderr, re.IGNORECASE)
    for pattern in expected.get("stderr_not_matches", []):
        assert not re.search(pattern, result.stderr, re.IGNORECASE)
    for text in expected.get("stderr_contains", []):
        assert text in result.stderr
    if expected.get("stdout_empty"):
        assert result.stdout == ""
        assert len(result.stderr.splitlines()) == 1
    if expected.get("stderr_nonempty"):
        assert len(result.stderr.splitlines()) == 1


def expect_requests(made: list[str], expected: Mapping[str, Any]) -> None:
    urls = [each.split(" ", 1)[1] for each in made]
    if "requests_by_peer" in expected:
        assert made == expected["requests_by_peer"]
    assert set(expected.get("requests_include", [])) <= set(urls)
    for suffix in expected.get("requests_exclude_suffix", []):
        assert not any(url.endswith(suffix) for url in urls)
    for part in expected.get("requests_exclude_contains", []):
        assert not any(part in url for url in urls)
    for method in expected.get("requests_exclude_method", []):
        assert not any(each.startswith(method) for each in made)
    for request, count in expected.get("request_counts", {}).items():
        assert made.count(request) == count


def expect_report(report: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    by_name = {each["check"]: each for each in report["results"]}
    if "check_order" in expected:
        assert list(by_name) == expected["check_order"]
    if "chain" in expected:
        assert report["chain"] == expected["chain"]
    for name, status in expected.get("check_status", {}).items():
        assert by_name[name]["status"] == status, by_name[name]
    for name, wanted in expected.get("checks", {}).items():
        expect_check(by_name[name], wanted)
    for name, wanted in expected.get("facets", {}).items():
        expect_facets(by_name[name]["detail"], wanted)
    for text in expected.get("diagnostic_contains", []):
        rails = by_name["facilitator-fitness"]["detail"]["facilitator_fitness"]["rails"]
        assert any(text in rail.get("diagnostic", "") for rail in rails)
    expect_verdict(report["verdict"], expected.get("verdict", {}))


def expect_check(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    detail = found.get("detail", {})
    assert found["status"] == wanted.get("status", found["status"])
    assert holds(wanted.get("detail", {}), detail)
    for text in wanted.get("message_contains", []):
        assert text in found["message"]
    for pattern in wanted.get("message_matches", []):
        assert re.search(pattern, found["message"], re.IGNORECASE)
    for pattern in wanted.get("fix_matches", []):
        assert re.search(pattern, found["fix"], re.IGNORECASE)
    for path in wanted.get("detail_absent", []):
        *outer, last = path.split(".")
        inner = detail
        for step in outer:
            inner = inner[step]
        assert last not in inner
    for name, texts in wanted.get("detail_list_contains", {}).items():
        assert all(any(text in each for each in detail[name]) for text in texts)


def expect_facets(detail: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    rails = detail["facilitator_fitness"]["rails"]
    for path, value in wanted.items():
        steps = path.split(".")
        assert value == (len(rails) if steps[1] == "length" else rails[int(steps[1])][steps[2]])


def expect_verdict(verdict: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    for name, value in wanted.items():
        field, _, how = name.rpartition("_")
        if how == "contains":
            assert all(each in verdict[field] for each in value)
        elif how == "excludes":
            assert not any(each in verdict[field] for each in value)
        else:
            assert verdict[name] == value


def snapshot_world() -> dict[str, Any]:
    report = json.loads((VECTORS / "listing" / "snapshot.json").read_bytes())
    extensions = report["results"][1]["detail"]["challengeExtensions"]
    entry = dict.fromkeys(("scheme", "network", "maxAmountRequired", "asset", "resource"), "x")
    rows = {"resources": [{"name": "Snapshot API", "description": "Frozen exemplar service"}]}
    manifest = {**rows["resources"][0], "accepts": [], "extensions": extensions}
    merchant = {"resources": [{"resource": "https://api.example.test/api/snapshot"}]}
    challenge = {"accepts": [{**entry, "payTo": "0x" + "1" * 40}], "extensions": extensions}
    return {
        "https://api.example.test/.well-known/x402": {"status": 200, "body": manifest},
        report["serviceUrl"]: {"status": 402, "body": challenge},
        report["results"][3]["detail"]["queryUrl"]: {"status": 200, "body": rows},
        report["results"][5]["detail"]["queryUrl"]: {"status": 200, "body": merchant},
    }


def test_the_frozen_exemplar_comes_out_byte_for_byte(tmp_path: Path) -> None:
    """Evidence 1: key order included; standard output is its compact form and a newline."""
    frozen = json.loads((VECTORS / "listing" / "snapshot.json").read_bytes())
    base = "https://test-discovery.example.test"
    case = {
        "argv": [frozen["serviceUrl"], "--log", "json", "--discovery-base-url", base],
        "mocks": snapshot_world(),
    }
    result, _, _ = invoke(case, tmp_path, "--profile", "compat")
    assert result.exit_code == 0
    assert result.stdout == json.dumps(frozen, separators=(",", ":"), ensure_ascii=False) + "\n"
