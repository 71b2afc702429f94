"""Custody of the dialect check: nothing of what was submitted is kept or said, however a run ends."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings

from assay402 import dialect
from assay402.checks.dialect import CHECK
from assay402.core.asks import At, Exchange, Failed, Fetch, Now, replay
from property.strategies import ARTEFACTS

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
URL = "https://shop.dev/pay?q=1"
CANARY = "zq7canary"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        (f"shop.dev/{CANARY}", "url_malformed"),
        (f"https:/shop.dev/{CANARY}", "url_malformed"),
        (f"https://?{CANARY}", "url_malformed"),
        (f"ftp://shop.dev/{CANARY}", "scheme"),
        (f"file:///{CANARY}", "scheme"),
        (f"{CANARY}://shop.dev/", "scheme"),
        (f"https://{CANARY}:{CANARY}@shop.dev/", "userinfo"),
        (f"https://{CANARY}@shop.dev/", "userinfo"),
        (f"https://@shop.dev/{CANARY}", "userinfo"),
        (f"https://{CANARY}_.dev/", "host_malformed"),
        (f"https://{CANARY}/", "host_single_label"),
        (f"https://{CANARY}.internal/", "host_special_use"),
        (f"http://169.254.169.254/{CANARY}", "addr_link_local"),
        (f"http://[::1]/{CANARY}", "addr_loopback"),
        (f"https://shop.dev:22/{CANARY}", "port"),
        (f"https://shop.dev/{CANARY} ", "url_control_or_space"),
    ],
)
def test_a_url_outside_the_policy_is_refused_by_check_and_precheck_and_not_quoted(
    url: str, code: str
) -> None:
    """`input_contract.validation`, `target_safety`, `custody.errors` and reading A64."""
    refusal = {"refused": True, "code": code}
    request = {"mode": "probe", "url": url}
    assert dialect.check(request) == refusal
    precheck = dialect.precheck(request)
    assert (precheck["in_policy"], precheck["refusal"]) == (False, refusal)
    assert CANARY not in json.dumps(precheck)


def test_the_url_stands_once_in_the_report_of_its_probe_and_nowhere_else() -> None:
    """`retention` and reading A64."""
    operation = CHECK.operation("check")
    exchanges = [
        Exchange(ask=Fetch(url=URL), answer=Failed(state="unreachable")),
        Exchange(ask=Now(), answer=At(moment=AT)),
    ]
    report = operation.publish(
        replay(operation.run(operation.admit({"mode": "probe", "url": URL})), exchanges)
    )
    assert report["url"] == URL
    assert json.dumps(report).count(URL) == 1
    assert "url" not in dialect.check({"mode": "submitted", "artefact": {"body_obj": {}}})
    assert URL not in json.dumps(dialect.precheck({"mode": "probe", "url": URL}))


OTHER_VALUES = {"eip155:8453": "solana:101", "base": "polygon-amoy", "Base": "BSCTest", "1": "4711", "v": "w"}


def with_other_values(value: Any) -> Any:
    """Change every value of an artefact and keep its forms."""
    match value:
        case dict():
            changed = {name: with_other_values(member) for name, member in value.items()}
            return {**changed, "description": CANARY} if "accepts" in value or "network" in value else changed
        case list():
            return [with_other_values(element) for element in value]
        case str():
            return OTHER_VALUES.get(value, value)
        case _:
            return value


@given(ARTEFACTS)
@settings(deadline=None, max_examples=200)
def test_artefacts_of_the_same_forms_cannot_be_told_apart_by_their_reports(artefact: dict[str, Any]) -> None:
    """`custody`: neither a fragment nor a hash of the artefact is in the report, or the reports would differ."""
    other = {
        name: member if name == "status" else with_other_values(member) for name, member in artefact.items()
    }
    one, two = (dialect.check({"mode": "submitted", "artefact": each}, now=AT) for each in (artefact, other))
    assert one == two


WATCHED = """
import sys
from assay402 import dialect
from assay402.checks.dialect import CHECK
from assay402.core.asks import Failed, Fetch, Fetched, clock_only, drive
from datetime import UTC, datetime

operation = CHECK.operation("check")
requests = (
    {"mode": "submitted", "artefact": {"body_obj": {"accepts": [{"amount": "1"}]}, "payload_obj": {}}},
    {"mode": "submitted", "artefact": {"body_raw": "[" * 999, "payment_required_header": "?"}},
    {"mode": "submitted", "artefact": {"header_obj": 1}},
    {"mode": "probe", "url": "https://shop.dev/"},
    {"mode": "probe", "url": "http://10.0.0.1/"},
    None,
)
answers = (
    Failed(state="deadline"),
    Failed(state="addr_private"),
    Fetched(status=402, headers=(), body=b'{"accepts":[{"amount":"1"}]}'),
)
clock = clock_only(lambda: datetime.now(UTC))

def answer_all():
    for request in requests:
        dialect.check(request)
        dialect.precheck(request)
    for answer in answers:
        drive(
            operation.run(operation.admit({"mode": "probe", "url": "https://shop.dev/"})),
            lambda ask: answer if isinstance(ask, Fetch) else clock(ask),
        )

answer_all()
seen = []
sys.addaudithook(lambda event, arguments: seen.append(event))
answer_all()
watched = {"open", "os", "shutil", "socket", "sqlite3", "ssl", "subprocess", "syslog", "tempfile"}
print(*[event for event in seen if event.split(".")[0] in watched])
"""


def test_a_check_opens_no_file_and_no_connection() -> None:
    """`custody.construction`: what is never written is not kept, whichever way the check ends."""
    # A coverage measurement that follows into this process opens files of its own.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    command = [sys.executable, "-c", WATCHED]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=kept, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "\n", "")
