"""The log and the metrics take what is on their lists and nothing else."""

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assay402.service.telemetry import FIELDS, METRICS, Event, Log, Telemetry

TIME = r"\"time\":\"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z\""


def heard() -> tuple[Telemetry, list[str]]:
    lines: list[str] = []
    return Telemetry(Log(lines.append)), lines


def test_a_line_is_one_json_object_of_listed_fields() -> None:
    telemetry, lines = heard()
    telemetry.log.say(Event.REQUEST_ANSWERED, status=200, route="dialect/check", request_id="ab12")
    line = json.loads(lines[0])
    assert set(line) <= set(FIELDS)
    assert (line["event"], line["status"], line["route"]) == ("request.answered", 200, "dialect/check")


@pytest.mark.parametrize(
    "fields",
    [
        {"path": "/x"},
        {"status": "200"},
        {"status": True},
        {"route": "canary"},
        {"code": "a b"},
        {"code": "x" * 65},
        {"request_id": "../x"},
        {"fault": 1},
    ],
)
def test_what_is_on_no_list_is_refused(fields: dict[str, str | int]) -> None:
    telemetry, lines = heard()
    with pytest.raises(ValueError, match="field"):
        telemetry.log.say(Event.REQUEST_ANSWERED, **fields)
    assert lines == []


@pytest.mark.parametrize("label", [{"route": "canary"}, {"outcome": "canary"}, {"status": 299}])
def test_a_label_that_is_on_no_list_is_refused(label: dict[str, str | int]) -> None:
    telemetry, _ = heard()
    known = {"route": "healthz", "status": 200, "outcome": "served", "seconds": 0.1}
    telemetry.answered(**known)  # type: ignore[arg-type]  # the known ones are right
    with pytest.raises(ValueError, match="label"):
        telemetry.answered(**{**known, **label})  # type: ignore[arg-type]  # what is wrong is the subject
    with pytest.raises(ValueError, match="label"):
        telemetry.under_way("canary", 1)


def test_the_exposition_names_every_metric_and_no_other() -> None:
    telemetry, _ = heard()
    telemetry.refused("dialect")
    text = telemetry.exposition().decode()
    families = {line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")}
    plain = {name.removesuffix("_total").removesuffix("_created") for name in families}
    assert plain == METRICS.keys()


def test_samples_are_picked_by_their_labels() -> None:
    telemetry, _ = heard()
    telemetry.refused("dialect")
    telemetry.refused("claims")
    text = telemetry.exposition(lambda labels: labels.get("check") == "dialect").decode()
    assert 'check="dialect"' in text
    assert "claims" not in text


def test_everything_orders_can_tell_is_an_event() -> None:
    telemetry, lines = heard()
    told = sorted(
        word
        for source in Path("src/assay402/service").glob("*.py")
        for word in re.findall(r'tell\(\s*"([a-z_.]+)"', source.read_text("utf-8"))
    )
    assert len(set(told)) > 9
    for event in told:
        telemetry.told(event, "dialect/check")
    telemetry.told("order.failed", "")
    assert [json.loads(line)["event"] for line in lines] == [*told, "order.failed"]
    with pytest.raises(ValueError, match="canary"):
        telemetry.told("canary", "dialect/check")


def test_a_line_that_is_said_again_and_again_is_the_one_that_would_be_said_once() -> None:
    telemetry, lines = heard()
    for _ in range(2):
        telemetry.told("payment.settled", "dialect/check")
    telemetry.log.say(Event.PAYMENT_SETTLED, route="dialect/check")
    forms = {re.sub(TIME, '"time":"NOW"', line) for line in lines}
    assert forms == {'{"event":"payment.settled","time":"NOW","route":"dialect/check"}'}
    with pytest.raises(ValueError, match="field"):
        telemetry.log.steady(Event.PAYMENT_SETTLED, route="canary")


def test_a_line_holds_its_time_to_the_millisecond() -> None:
    telemetry, lines = heard()
    before = datetime.now(UTC) - timedelta(milliseconds=1)
    telemetry.told("payment.settled", "dialect/check")
    said = datetime.fromisoformat(json.loads(lines[0])["time"])
    assert before <= said <= datetime.now(UTC)
