"""The default profile against its vectors, over real loopback servers; every run replays."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from assay402.checks.listing import CHECK
from assay402.checks.listing.model import ListingReport
from assay402.cli.execute import execute_recorded
from assay402.formats.recording_v1 import Recording, read_recording, write_recording
from assay402.net.http import Fetcher
from assay402.net.run import Outside, run
from assay402.store.history import HistoryLog
from checks.test_listing_handed import HANDED, SCHEMA, holds, invoke
from listing.world import World
from vectors import VECTORS, cases

OPERATION = CHECK.operation("check")
VECTORS_OF_OURS = cases("listing/default.json")
DIFFERING = json.loads((VECTORS / "listing" / "default-differs.json").read_bytes())


def report_of(case: Any, log: Path) -> tuple[Any, World]:
    request = {**case["request"], **({"history": True} if case.get("history") else {})}
    given = OPERATION.admit(request, allow_private=True)
    memory = HistoryLog(str(log)) if case.get("history") else None
    log.write_text(case.get("history_log", ""))
    with World(case["mocks"], clock=case.get("clock")) as world:
        outside = world.outside(Outside(fetcher=Fetcher(), memory=memory))
        report, exchanges = asyncio.run(run(OPERATION.run(given), outside))
    assert isinstance(report, ListingReport)
    published = OPERATION.publish(report)
    recording = Recording(
        check="listing", operation="check", request=request, allow_private=True, exchanges=exchanges
    )
    _, _, replayed = execute_recorded(read_recording(write_recording(recording)))
    assert OPERATION.publish(replayed) == published
    plain = json.loads(json.dumps(published, default=lambda number: float(number.spelling)))
    SCHEMA.validate(plain)
    assert OPERATION.exit_code(report) == plain["verdict"]["exitCode"]
    return plain, world


@pytest.mark.parametrize("case", VECTORS_OF_OURS, ids=lambda case: case["id"])
def test_a_run_of_the_default_profile_says_what_its_vector_says(case: Any, tmp_path: Path) -> None:
    """Section 17 and the decisions, sentence by sentence."""
    log = tmp_path / "history.jsonl"
    report, world = report_of(case, log)
    expected = case["expected"]
    by_name = {each["check"]: each for each in report["results"]}
    for name, wanted in expected["checks"].items():
        found = by_name[name]
        assert found["status"] == wanted.get("status", found["status"]), found
        assert holds(wanted.get("detail", {}), found.get("detail", {})), found
        assert wanted.get("message_contains", "") in found["message"]
        assert wanted.get("fix_contains", "") in found.get("fix", "")
    assert (report["verdict"]["exitCode"], report["verdict"]["kind"]) == (
        expected["exit_code"],
        expected["kind"],
    ), report
    assert holds(expected.get("verdict", {}), report["verdict"])
    if "requests" in expected:
        assert sorted(world.requests) == sorted(expected["requests"])
    if "appended" in expected:
        assert holds(expected["appended"], json.loads(log.read_text().splitlines()[-1]))


@pytest.mark.parametrize(
    "case", [case for case in HANDED if "json" in case["argv"]], ids=lambda case: case["name"]
)
def test_a_handed_case_differs_only_as_the_data_file_says(case: Any, tmp_path: Path) -> None:
    """Decision 1: the cases that the default profile answers differently, each with a reason."""
    result, _, _ = invoke(case, tmp_path)
    report = json.loads(result.stdout)
    differs: Any = next((each for each in DIFFERING["cases"] if each["case"] == case["name"]), {})
    assert all(reason in DIFFERING["reasons"] for reason in differs.get("why", []))
    assert bool(differs.get("why")) is bool(differs)
    derived = case["expect_derived"]
    statuses = {each["check"]: each["status"] for each in report["results"]}
    assert statuses == derived["check_status"] | differs.get("check_status", {})
    wanted = derived["verdict"] | differs.get("verdict", {})
    named = {name: value for name, value in wanted.items() if value is not None}
    assert {name: value for name, value in report["verdict"].items() if name != "message"} == named


def test_no_difference_is_listed_that_is_none() -> None:
    derived = {case["name"]: case.get("expect_derived", {}) for case in HANDED}
    for each in DIFFERING["cases"]:
        was = derived[each["case"]]
        changed = [was["check_status"][name] != status for name, status in each["check_status"].items()]
        changed += [was["verdict"].get(name) != value for name, value in each["verdict"].items()]
        assert changed
        assert all(changed), each["case"]
