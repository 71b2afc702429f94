"""The library face takes anything and never raises."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

import pytest

import assay402
from assay402 import dialect
from assay402.core.check import read_request


def test_the_room_is_loaded_by_name_and_nothing_else_is() -> None:
    assert assay402.dialect is dialect
    with pytest.raises(AttributeError):
        _ = assay402.nothing


def test_a_probe_is_refused_without_a_network() -> None:
    """Decision 9: submitted mode only."""
    assert dialect.check({"mode": "probe", "url": "https://shop.dev/"}) == {
        "refused": True,
        "code": "probe_needs_network",
    }


@pytest.mark.parametrize(
    "request_",
    [None, 1, "x", [], object(), {1: 2}, {"mode": {}}, {"mode": "submitted", "artefact": {1: 2}},
     {"mode": "submitted", "artefact": {"body_obj": b"x"}}, {"mode": "submitted", "artefact": {"body_obj": object()}},
     {"mode": "submitted", "artefact": {"body_raw": b"{}"}}],
)  # fmt: skip
def test_what_is_no_request_is_refused_and_nothing_is_raised(request_: Any) -> None:
    assert dialect.check(request_)["refused"]
    assert dialect.precheck(request_)["in_policy"] is False


@pytest.mark.parametrize(
    "body", [float("nan"), 1e308, 10**400, "\ud800", {"accepts": [{"amount": float("nan")}]}]
)
def test_odd_values_inside_a_body_are_graded_as_far_as_they_go(body: Any) -> None:
    assert "axes" in dialect.check({"mode": "submitted", "artefact": {"body_obj": body}})


class Raising(dict[str, Any]):
    """A mapping whose own code fails, with a text that must not pass through."""

    def items(self) -> Any:  # noqa: D102  (what it does is the point)
        raise LookupError("canary")

    def __iter__(self) -> Any:
        raise LookupError("canary")


def test_what_is_no_json_inside_a_body_is_refused() -> None:
    itself: dict[str, Any] = {"accepts": [{"amount": "1"}]}
    itself["self"] = itself
    for body in (itself, {"accepts": [object()]}, {"accepts": [MappingProxyType(Raising())]}):
        request = {"mode": "submitted", "artefact": {"body_obj": body}}
        assert dialect.check(request) == {"refused": True, "code": "not_json"}


IN_A_HOST_PROGRAM = """
import sys
from assay402 import dialect
sys.setrecursionlimit(1_000_000)
itself = {"accepts": []}
itself["self"] = itself
deep = []
for _ in range(300_000):
    deep = [deep]
for body in (itself, deep):
    print(dialect.check({"mode": "submitted", "artefact": {"body_obj": body}})["code"])
"""


def test_a_host_program_that_lifted_the_recursion_limit_gets_a_refusal_and_no_crash() -> None:
    """Chain libraries lift the interpreter's limit on import."""
    run = subprocess.run(
        [sys.executable, "-c", IN_A_HOST_PROGRAM], capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.stdout.split(), run.returncode) == (["not_json", "not_json"], 0)


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth - 4):
        value = [value]
    return {"accepts": [{"amount": "1", "deep": value}]}


@pytest.mark.parametrize(("depth", "carrier"), [(128, "v1-body"), (129, "none"), (510, "none")])
def test_a_leg_nested_too_deeply_carries_no_challenge_through_any_door(depth: int, carrier: str) -> None:
    """Reading A50: depth 128 for a leg, decoded or as text, in a library's request or a file's."""
    text = json.dumps(nested(depth))
    raw = {"mode": "submitted", "artefact": {"body_raw": text}}
    decoded = {"mode": "submitted", "artefact": {"body_obj": nested(depth)}}
    from_file = read_request(json.dumps(decoded).encode(), 1 << 20)
    for request in (raw, decoded, from_file):
        assert dialect.check(request)["axes"]["challenge_carrier"] == carrier  # type: ignore[arg-type]


def test_any_mapping_will_do_and_is_left_as_it_was() -> None:
    body = MappingProxyType({"accepts": [MappingProxyType({"amount": "1"})]})
    request = MappingProxyType({"mode": "submitted", "artefact": MappingProxyType({"body_obj": body})})
    assert dialect.check(request)["dialect"] == "v2"


@pytest.mark.parametrize("text", ["x", "\ud800"])
def test_a_request_over_the_cap_is_refused_with_its_numbers(text: str) -> None:
    request = {"mode": "submitted", "artefact": {"body_raw": text * 262_144}}
    answer = dialect.check(request)
    assert answer == {"refused": True, "code": "over_cap", "length": answer["length"], "cap": 262_144}
    assert answer["length"] > 262_144


def test_the_time_is_given_in_utc() -> None:
    noon = datetime(2026, 1, 2, 12, tzinfo=timezone(timedelta(hours=2)))
    report = dialect.check({"mode": "submitted", "artefact": {"body_obj": {}}}, now=noon)
    assert report["checked_at"] == "2026-01-02T10:00:00Z"
    present = dialect.check({"mode": "submitted", "artefact": {"body_obj": {}}})["checked_at"]
    assert datetime.fromisoformat(present).tzinfo == UTC


def test_a_request_nested_beyond_all_use_is_no_json_of_ours_through_any_door() -> None:
    """The contract page: at most 512 deep, request and artefact included."""
    decoded = {"mode": "submitted", "artefact": {"body_obj": nested(511)}}
    for request in (decoded, read_request(json.dumps(decoded).encode(), 1 << 20)):
        assert dialect.check(request) == {"refused": True, "code": "not_json"}  # type: ignore[arg-type]


def test_a_status_may_be_any_integer_of_the_language() -> None:
    request = {"mode": "submitted", "artefact": {"status": HTTPStatus.PAYMENT_REQUIRED, "body_obj": {}}}
    assert dialect.check(request)["axes"]["challenge_carrier"] == "none"


@pytest.mark.parametrize(("year", "shown"), [(1, "0001"), (9999, "9999")])
def test_a_time_without_a_zone_is_utc_and_years_have_four_digits(year: int, shown: str) -> None:
    """Reading A43."""
    report = dialect.check(
        {"mode": "submitted", "artefact": {"body_obj": {}}},
        now=datetime(year, 1, 2, 3, 4, 5, 678),  # noqa: DTZ001  (the case)
    )
    assert report["checked_at"] == f"{shown}-01-02T03:04:05Z"
