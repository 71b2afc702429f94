"""The library face takes anything and never raises."""

from datetime import UTC, datetime, timedelta, timezone
from types import MappingProxyType
from typing import Any

import pytest

import assay402
from assay402 import dialect


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
    "body",
    [
        float("nan"),
        1e400,
        10**400,
        "\ud800",
        {"accepts": [{"amount": float("nan")}]},
        {"accepts": [object()]},
    ],
)
def test_odd_values_inside_a_body_are_graded_as_far_as_they_go(body: Any) -> None:
    assert "axes" in dialect.check({"mode": "submitted", "artefact": {"body_obj": body}})


def test_a_body_that_contains_itself_is_graded() -> None:
    body: dict[str, Any] = {"accepts": [{"amount": "1"}]}
    body["self"] = body
    assert dialect.check({"mode": "submitted", "artefact": {"body_obj": body}})["dialect"] == "v2"


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
    before = datetime.now(UTC).replace(microsecond=0)
    present = dialect.check({"mode": "submitted", "artefact": {"body_obj": {}}})["checked_at"]
    assert before <= datetime.fromisoformat(present) <= datetime.now(UTC)
