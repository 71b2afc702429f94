"""The commands `bazaar-check` and `assay listing check`: flags, forms of output, usage errors."""

import base64
import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from assay402 import __version__
from assay402.cli.listing import command
from assay402.cli.listing_options import javascript_number, spelled
from assay402.cli.main import main
from assay402.cli.output import pretty
from assay402.formats.reports import Item, Report, sarif
from listing.world import World
from vectors import cases

VECTORS = {case["id"]: case for case in cases("listing/default.json")}
HANDED = {case["name"]: case for case in cases("listing/handed.json")}
URL = VECTORS["clean"]["request"]["url"]


def bazaar_check(*argv: str, mocks: Any = None, env: Any = None) -> Result:
    with World(mocks or VECTORS["clean"]["mocks"]) as world:
        return CliRunner().invoke(
            command("bazaar-check"), [*argv], obj=world.outside, env={"BASE_CHAIN_ID": None, **(env or {})}
        )


@pytest.fixture(autouse=True)
def _in_an_empty_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


USAGE: list[tuple[list[str], str]] = [
    ([], "error: SERVICE-URL is missing."),
    (["not-a-url"], "error: <service-url> must be a valid URL (got 'not-a-url')"),
    (["ftp://a.dev/"], "error: <service-url> must be a valid URL (got 'ftp://a.dev/')"),
    ([URL, "--endpoint", "x"], "error: --endpoint must be a valid URL (got 'x')"),
    ([URL, "--chain", "polygon"], "--chain must be 'base-sepolia' or 'base' (got 'polygon')"),
    (
        [URL, "--log", "xml"],
        "--log must be 'human', 'json', 'pretty', 'sarif', 'junit' or 'github' (got 'xml')",
    ),
    ([URL, "--log", "sarif", "--profile", "compat"], "--log must be 'human' or 'json' (got 'sarif')"),
    ([URL, "--timeout-ms", "abc"], "error: --timeout-ms must be a positive number (got 'NaN')"),
    ([URL, "--timeout-ms", "Infinity"], "error: --timeout-ms must be a positive number (got 'Infinity')"),
    ([URL, "--timeout-ms", "2147483648"], "error: --timeout-ms must be <= 2147483647 (got '2147483648')"),
    (
        [URL, "--unreachable-consensus-count", "1.5"],
        "error: --unreachable-consensus-count must be a positive integer (got '1.5')",
    ),
    (
        [URL, "--unreachable-consensus-count", "0"],
        "error: --unreachable-consensus-count must be a positive integer (got '0')",
    ),
    (
        [URL, "--unreachable-interval-multiplier", ""],
        "error: --unreachable-interval-multiplier must be a positive number (got '0')",
    ),
    ([URL, "--nope"], "error: There is no such option."),
    ([URL, "more"], "error: An argument is missing, unknown or misplaced."),
    (
        [URL, "--profile", "compat", "--method", "POST", "--validate"],
        "error: --method, --validate: not available with --profile compat",
    ),
    ([URL, "--settle-capture", "none.txt"], "error: --settle-capture cannot be read (got 'none.txt')"),
    ([URL, "--ca-file", "none.pem"], "error: --ca-file holds no certificates that can be read"),
    ([URL, "--probe-history-log", "."], "error: --probe-history-log must be a file (got '.')"),
    ([URL, "--record", "no/such/folder"], "error: --record needs a file that can be written."),
    ([URL, "--discovery-base-url", "x"], "error: --discovery-base-url must be a valid URL (got 'x')"),
    (["http://127.0.0.1/"], "error: addr_loopback: The address lies in a block"),
]


@pytest.mark.parametrize(("argv", "text"), USAGE, ids=lambda value: " ".join(value)[-60:])
def test_a_usage_error_is_one_line_and_exit_1(argv: list[str], text: str) -> None:
    """Section 4 and decision 9; the same under both commands."""
    for found in (
        bazaar_check(*argv),
        CliRunner().invoke(main, ["listing", "check", *argv], obj=None) if "--record" not in argv else None,
    ):
        if found is not None:
            assert found.exit_code == 1, found
            assert found.stdout == ""
            assert len(found.stderr.splitlines()) == 1
            assert found.stderr.startswith(text)


@pytest.mark.parametrize(
    ("flag", "content"),
    [
        ("--payload-capture", b"{"),
        ("--settle-capture", b"HTTP/1.1 100 Continue\r\n\r\n"),
        ("--facilitator-registry", b" " * (1 << 20) + b"{}"),
        ("--facilitator-registry", b"[]"),
        ("--settle-capture", b"{}"),
    ],
)
def test_a_file_that_does_not_hold_what_it_should_is_a_usage_error(flag: str, content: bytes) -> None:
    Path("file").write_bytes(content)
    found = bazaar_check(URL, flag, "file")
    assert found.exit_code == 1
    assert len(found.stderr.splitlines()) == 1


def test_a_usage_error_names_the_flag_and_what_it_takes() -> None:
    """Each on the one line that Decision 9 allows."""
    Path("odd").write_text("[]")
    for argv, parts in (
        (["--method", "FETCH"], ["--method", "GET, POST, PUT, PATCH, DELETE, HEAD"]),
        (["--profile", "x"], ["--profile", "default, compat"]),
        (["--facilitator-registry", "odd"], ["--facilitator-registry", "facilitators", "'odd'"]),
        (["--settle-capture", "odd"], ["--settle-capture", "{status, headers}"]),
        (["--payload-capture", "odd"], ["--payload-capture", "base64"]),
        (["--discovery-base-url", "x"], ["--discovery-base-url", "valid URL"]),
        (["--body", "x" * 65_537], ["--body", "65536"]),
        (["--payer-hint", "x" * 65_537], ["--payer-hint", "65536"]),
    ):
        found = bazaar_check(URL, *argv)
        assert (found.exit_code, found.stdout, len(found.stderr.splitlines())) == (1, "", 1)
        assert all(part in found.stderr for part in parts), found.stderr


def test_a_payload_is_read_from_a_saved_header() -> None:
    vector = VECTORS["not-indexed"]
    Path("header").write_bytes(base64.b64encode(b'{"x402Version":2,"resource":"https://x.dev/"}') + b"\n")
    found = bazaar_check(URL, "--payload-capture", "header", "--log", "json", mocks=vector["mocks"])
    assert json.loads(found.stdout)["verdict"]["cause"] == "payload_echo_gap"


def test_pretty_escapes_what_turns_the_direction_or_ends_a_line() -> None:
    shown = pretty({"message": "a\u202eb\u2066c\u2028d\x9be"}).decode()
    assert shown == '{\n  "message": "a\\u202eb\\u2066c\\u2028d\\u009be"\n}\n'


def test_a_service_url_is_shown_without_its_control_characters() -> None:
    found = bazaar_check("\x1b[31mred\nnext")
    assert found.stderr == "error: <service-url> must be a valid URL (got '[31mrednext')\n"


def test_captures_are_read_from_files() -> None:
    """A settlement as `curl -i` prints it, and one as JSON; a payload in its envelope."""
    vector = VECTORS["rejected"]
    header = vector["request"]["settle_capture"]["headers"]["Extension-Responses"]
    Path("settle.txt").write_text(f"HTTP/2 200\r\nextension-responses: {header}\r\n\r\n{{}}", newline="")
    Path("settle.json").write_text(json.dumps({"status": 200, "headers": {"EXTENSION-RESPONSES": "e30="}}))
    Path("payload.json").write_text(json.dumps({"paymentPayload": {"resource": {}}}))
    rejected = bazaar_check(URL, "--settle-capture", "settle.txt", "--log", "json", mocks=vector["mocks"])
    response = json.loads(rejected.stdout)["results"][3]["detail"]["extension_response"]
    assert response == {"status": "rejected", "rejectedReason": "info invalid"}
    both = ["--settle-capture", "settle.json", "--payload-capture", "payload.json"]
    gap = bazaar_check(URL, *both, "--log", "json", mocks=vector["mocks"])
    assert json.loads(gap.stdout)["verdict"]["cause"] == "payload_echo_gap"
    Path("settle.json").write_text(json.dumps({"status": 200, "headers": {}}))
    human = bazaar_check(URL, *both, mocks=vector["mocks"])
    assert "cause: unknown (not told by what was captured)" in human.stdout


def test_a_registry_is_read_from_a_file() -> None:
    vector = VECTORS["own-registry"]
    Path("registry.json").write_text(json.dumps(vector["request"]["facilitator_registry"]))
    found = bazaar_check(URL, "--facilitator-registry", "registry.json", mocks=vector["mocks"])
    assert found.exit_code == 0
    assert "indexed by mine" in found.stdout


def test_a_method_and_a_body_are_sent() -> None:
    vector = VECTORS["post-only"]
    found = bazaar_check(URL, "--method", "post", "--body", '{"q":1}', mocks=vector["mocks"])
    assert found.exit_code == 0


def test_a_person_reads_one_line_for_each_check_then_the_verdict() -> None:
    """Decision 5 and section 6."""
    found = bazaar_check(URL)
    assert found.exit_code == 0
    lines = found.stdout.splitlines()
    assert lines[:3] == [f"bazaar-check {URL}", "  chain: base-sepolia", ""]
    assert [line.split()[:2] for line in lines[3:11]] == [
        ["✓", name]
        for name in (
            "well-known",
            "challenge",
            "self-payment",
            "indexing",
            "propagation",
            "host-pollution",
            "facilitator-fitness",
            "reachability",
        )
    ]
    assert lines[12].startswith("✓ VERDICT (exit 0): ")


@pytest.mark.parametrize(
    ("vector", "lines"),
    [
        ("manifest-404", ["✗ VERDICT (exit 2, implementation issue): ", "  failed checks: well-known"]),
        (
            "not-indexed",
            [
                "○ VERDICT (exit 3, upstream stuck): ",
                "  upstream signals: indexing",
                "  cause: indexer_state_processing (not in the catalogue at the time of the check)",
            ],
        ),
        ("merchant-500", ["○ VERDICT (exit 3, upstream issue): ", "  upstream signals: indexing"]),
    ],
)
def test_the_verdict_names_checks_and_cause(vector: str, lines: list[str]) -> None:
    found = bazaar_check(URL, mocks=VECTORS[vector]["mocks"])
    last = found.stdout.splitlines()[-len(lines) :]
    assert all(line.startswith(wanted) for line, wanted in zip(last, lines, strict=True))
    assert "    fix: " in found.stdout


def test_notes_are_shown_below_their_check() -> None:
    found = bazaar_check(URL, mocks=VECTORS["legs-differ"]["mocks"])
    assert "    note: header and body pay to different addresses" in found.stdout
    other = bazaar_check(URL, mocks=VECTORS["other-resources"]["mocks"])
    assert "    note: listed instead: https://api.seller.dev/v1/other" in other.stdout


def test_consensus_is_shown_with_its_counts() -> None:
    case = HANDED["service-down/dns-consensus"]
    Path("log").write_text("nope\n" + case["history_log"])
    with World(case["mocks"], clock=case["clock"]) as world:
        argv = [case["argv"][0], "--probe-history-log", "log", "--allow-private"]
        found = CliRunner().invoke(command("bazaar-check"), argv, obj=world.outside)
    assert found.stdout.splitlines()[-1] == "  cause: dns_failure (consensus 3/3)"
    assert found.stderr == "bazaar-check: 1 unreadable line(s) of the history log were skipped\n"


@pytest.mark.parametrize(
    ("env", "dotenv", "flags", "chain"),
    [
        ({"BASE_CHAIN_ID": "8453"}, None, [], "base"),
        ({"BASE_CHAIN_ID": "BASE"}, None, [], "base"),
        ({"BASE_CHAIN_ID": "basesepolia"}, None, [], "base-sepolia"),
        ({"BASE_CHAIN_ID": "polygon"}, None, [], "base-sepolia"),
        ({"BASE_CHAIN_ID": "8453"}, None, ["--chain", "base-sepolia"], "base-sepolia"),
        ({}, "X=1\nexport BASE_CHAIN_ID = '8453' # main\n", [], "base"),
        ({}, "X=1\n", [], "base-sepolia"),
        ({"BASE_CHAIN_ID": "84532"}, "BASE_CHAIN_ID=8453", [], "base-sepolia"),
        ({}, None, [], "base-sepolia"),
    ],
)
def test_the_chain_comes_from_flag_environment_or_file(
    env: Any, dotenv: str | None, flags: list[str], chain: str
) -> None:
    """Section 3."""
    if dotenv is not None:
        Path(".env").write_text(dotenv)
    found = bazaar_check(URL, "--log", "json", *flags, env=env)
    assert json.loads(found.stdout)["chain"] == chain
    assert ("MAINNET" in found.stderr) is (chain == "base")


def test_a_pipe_in_place_of_the_environment_file_is_not_waited_for() -> None:
    os.mkfifo(".env")
    found = bazaar_check(URL, "--log", "json", env={})
    assert json.loads(found.stdout)["chain"] == "base-sepolia"


@pytest.mark.parametrize(
    ("subject", "place"),
    [
        ("https://a.dev", "a.dev"),
        ("https://A.dev:8443/x y?q=1#f", "a.dev%3A8443/x%20y"),
        ("http://[::1]:9/%zz/%41", "%5B%3A%3A1%5D%3A9/%25zz/%41"),
        ("https://a.dev/../ü", "a.dev/%C3%BC"),
        ("nothing", "service"),
    ],
)
def test_a_place_in_sarif_is_one_that_code_scanning_takes(subject: str, place: str) -> None:
    """Relative, one path, no scheme: what has `https` there is refused at the upload."""
    item = Item(rule="r", level="error", message="m")
    log = sarif(Report(tool="t", version="1", subject=subject, items=[item], conclusion=item))
    (result,) = log["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": place}
    assert result["properties"] == {"subject": subject}


def test_banner_and_note_stand_on_standard_output_for_people_alone() -> None:
    flags = ["--chain", "base", "--endpoint", URL]
    human = bazaar_check(URL, *flags)
    assert human.stdout.startswith(
        "⚠ MAINNET (chain=base)\nℹ skipping root /.well-known/x402 probe per --endpoint"
    )
    assert human.stderr == ""
    for log in ("json", "pretty", "sarif", "junit", "github"):
        found = bazaar_check(URL, *flags, "--log", log)
        assert len(found.stderr.splitlines()) == 2
        assert "MAINNET" not in found.stdout


def test_pretty_is_the_same_json_laid_out() -> None:
    flat, laid_out = bazaar_check(URL, "--log", "json"), bazaar_check(URL, "--log", "pretty")
    assert len(flat.stdout.splitlines()) == 1
    assert len(laid_out.stdout.splitlines()) > 50
    assert list(json.loads(laid_out.stdout)) == list(json.loads(flat.stdout))


def test_sarif_names_rule_level_and_place() -> None:
    found = bazaar_check(URL, "--log", "sarif", mocks=VECTORS["manifest-404"]["mocks"])
    run = json.loads(found.stdout)["runs"][0]
    assert run["tool"]["driver"]["name"] == "bazaar-check"
    assert run["tool"]["driver"]["rules"][0]["id"] == "listing/well-known"
    (first,) = run["results"]
    assert (first["ruleId"], first["kind"], first["level"]) == ("listing/well-known", "fail", "error")
    assert run["properties"]["subject"] == first["properties"]["subject"] == URL
    place = first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == URL.removeprefix("https://")
    assert run["properties"]["verdict"] == "listing/implementation_issue"
    assert found.exit_code == 2


def test_junit_fails_what_failed_and_skips_what_is_upstream() -> None:
    failed = bazaar_check(URL, "--log", "junit", mocks=VECTORS["manifest-404"]["mocks"])
    suite = ET.fromstring(failed.stdout)  # noqa: S314  (our own output)
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("8", "1", "0")
    assert suite.find("testcase/failure") is not None
    waiting = bazaar_check(URL, "--log", "junit", mocks=VECTORS["not-indexed"]["mocks"])
    suite = ET.fromstring(waiting.stdout)  # noqa: S314  (our own output)
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")


def test_github_annotates_what_is_not_right() -> None:
    assert bazaar_check(URL, "--log", "github").stdout == ""
    failed = bazaar_check(URL, "--log", "github", mocks=VECTORS["manifest-404"]["mocks"]).stdout.splitlines()
    assert failed[0].startswith("::error title=listing/well-known::")
    assert failed[-1].startswith("::error title=listing/implementation_issue::")
    waiting = bazaar_check(URL, "--log", "github", mocks=VECTORS["not-indexed"]["mocks"]).stdout
    assert waiting.startswith("::warning title=listing/indexing::")


def test_a_recorded_run_replays_to_the_same_report() -> None:
    recorded = bazaar_check(URL, "--log", "json", "--record", "run.json")
    replayed = CliRunner().invoke(main, ["replay", "run.json", "--json"])
    assert (replayed.exit_code, replayed.stdout) == (0, recorded.stdout)
    for_people = CliRunner().invoke(main, ["replay", "run.json"])
    assert "VERDICT (exit 0)" in for_people.stdout


def test_a_probe_that_cannot_be_recorded_is_said_and_changes_nothing() -> None:
    found = bazaar_check(URL, "--probe-history-log", "no/such/folder/log")
    assert found.exit_code == 0
    assert found.stderr == "bazaar-check: this probe could not be recorded in the history log\n"


def test_the_schema_is_served() -> None:
    found = CliRunner().invoke(main, ["listing", "schema"])
    assert json.loads(found.stdout)["title"] == "bazaar-check --log json"


def test_the_room_lists_its_commands_once() -> None:
    found = CliRunner().invoke(main, ["listing", "--help"])
    commands = found.stdout.split("Commands:")[1].split()
    assert commands.count("check") == 1
    assert "schema" in commands


SCRIPT = "from assay402.cli.bazaar_check import run; run()"


def script(*argv: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, *argv], capture_output=True, text=True, timeout=60, check=False, **more
    )


def test_the_console_script_answers_for_itself() -> None:
    assert script("--version").stdout == f"bazaar-check, version {__version__}\n"
    assert "SERVICE-URL" in script("--help").stdout
    wrong = script("nope")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr == "error: <service-url> must be a valid URL (got 'nope')\n"
    down = script("http://127.0.0.1:9/", "--allow-private", "--log", "json", "--timeout-ms", "2000")
    assert down.returncode == 3
    assert json.loads(down.stdout)["verdict"]["kind"] == "upstream_issue"


def test_a_usage_error_under_the_other_command_is_the_same_line() -> None:
    """Decision 9, through the frame around all commands."""
    code = "from assay402.cli.main import run; run()"
    for argv in (["nope"], ["https://a.dev/", "--timeout-ms", "0"], [], ["https://a.dev/", "--nope"]):
        command_line = [sys.executable, "-c", code, "listing", "check", *argv]
        found = subprocess.run(command_line, capture_output=True, text=True, timeout=60, check=False)
        assert (found.returncode, found.stdout) == (1, "")
        assert found.stderr == script(*argv).stderr
        assert len(found.stderr.splitlines()) == 1


def test_a_recording_keeps_of_the_captures_what_the_rules_read() -> None:
    Path("payload.json").write_text(
        json.dumps({"resource": {"url": "u"}, "payload": {"signature": "0xsecret"}})
    )
    Path("settle.json").write_text(
        json.dumps({"status": 200, "headers": {"Set-Cookie": "secret", "EXTENSION-RESPONSES": "e30="}})
    )
    flags = ["--payload-capture", "payload.json", "--settle-capture", "settle.json", "--record", "run.json"]
    mocks = VECTORS["not-indexed"]["mocks"]
    found = bazaar_check(URL, *flags, "--log", "json", mocks=mocks)
    assert "secret" not in Path("run.json").read_text()
    replayed = CliRunner().invoke(main, ["replay", "run.json", "--json"])
    assert replayed.stdout == found.stdout


def test_a_terminal_without_the_glyphs_ends_no_run() -> None:
    found = script(
        "http://127.0.0.1:9/",
        "--allow-private",
        env={"PYTHONIOENCODING": "ascii", "PATH": "", "PYTHONPATH": ":".join(sys.path)},
    )
    assert found.returncode == 3
    assert "VERDICT (exit 3" in found.stdout


def test_a_fault_of_ours_is_exit_1_and_quotes_nothing() -> None:
    """Exit 3 is a finding of this command, so our own faults cannot have it."""

    def broken(_outside: Any) -> Any:
        raise AssertionError("secret")

    found = CliRunner().invoke(command("bazaar-check"), [URL], obj=broken)
    assert found.exit_code == 1
    assert isinstance(found.exception, SystemExit)
    assert found.stdout == ""
    assert len(found.stderr.splitlines()) == 1
    assert found.stderr.startswith("error: internal: ")
    assert "secret" not in found.output


@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("10", 10.0, "10"),
        (" 1e3 ", 1000.0, "1000"),
        ("0x10", 16.0, "16"),
        ("", 0.0, "0"),
        (".5", 0.5, "0.5"),
        ("-Infinity", float("-inf"), "-Infinity"),
        ("1e21", 1e21, "1e+21"),
    ],
)
def test_a_number_is_read_and_written_as_the_reference_does(text: str, value: float, shown: str) -> None:
    assert javascript_number(text) == value
    assert spelled(value) == shown
