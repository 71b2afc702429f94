"""The command as a person or a script meets it: output, exit codes, errors."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.sellers import seller

V2 = {"header_obj": {"accepts": [{"network": "eip155:8453", "amount": "1"}]}}
MIXED = {"body_obj": {"error": "X-PAYMENT", "accepts": [{"network": "base", "amount": "1"}]}}


RUN = [sys.executable, "-c", "from assay402.cli.main import run; run()"]
"""The command, as a process."""


def assay(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run the command in a process of its own, with little of this environment."""
    kept = {
        name: os.environ[name]
        for name in ("PATH", "PYTHONPATH", "COVERAGE_PROCESS_START")
        if name in os.environ
    }
    return subprocess.run(
        [*RUN, *arguments],
        check=False,
        input=stdin,
        capture_output=True,
        env={**kept, **environment},
        timeout=60,
    )


@pytest.fixture
def artefact(tmp_path: Path) -> Any:
    def write(value: object) -> str:
        path = tmp_path / "artefact.json"
        path.write_text(json.dumps(value))
        return str(path)

    return write


def test_help_shows_the_checks_and_the_common_mistakes() -> None:
    top, check = assay("--help"), assay("dialect", "check", "--help")
    assert top.returncode == check.returncode == 0
    assert b"dialect" in top.stdout
    for words in (b"response_headers", b"v1-body", b"GET", b"capture", b"PAYMENT-REQUIRED"):
        assert words in check.stdout
    assert assay("-h").stdout == top.stdout


def test_a_bare_artefact_and_a_whole_request_give_the_same_report(artefact: Any) -> None:
    bare = json.loads(assay("dialect", "check", artefact(V2), "--json").stdout)
    whole = json.loads(
        assay("dialect", "check", artefact({"mode": "submitted", "artefact": V2}), "--json").stdout
    )
    assert bare | {"checked_at": 0, "report_line": 0} == whole | {"checked_at": 0, "report_line": 0}
    assert bare["dialect"] == "v2"


def test_json_output_is_one_compact_line_of_the_published_bytes() -> None:
    output = assay("dialect", "check", "-", "--json", stdin=json.dumps(V2).encode(), LC_ALL="C").stdout
    text = output.decode()
    assert text.endswith("}\n")
    assert text.count("\n") == 1
    assert json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":")) + "\n" == text
    assert "—" in text


def test_human_output_names_surfaces_axes_mismatches_and_the_report_line(artefact: Any) -> None:
    run = assay("dialect", "check", artefact(MIXED))
    text = run.stdout.decode()
    assert run.returncode == 1
    for words in (
        "Challenge",
        "Payment",
        "Receipt",
        "challenge_carrier",
        "v1-body",
        "X-PAYMENT",
        "UNDETERMINED",
    ):
        assert words in text
    assert "body leg: amount alone (version 2) with a slug network (version 1)" in text
    assert (
        text.rstrip()
        .splitlines()[-1]
        .startswith("X402 DIALECT REPORT — dialect: mixed — carrier: v1-body — ")
    )
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            {"body_obj": {"x402Version": 2, "accepts": [{"network": "base"}]}},
            "x402Version 2 over the fields of version 1",
        ),
        ({"header_obj": {"error": "X-PAYMENT", "accepts": ["x"]}}, "client header X-PAYMENT"),
        ({"status": 200, "body_obj": {}}, "status is not 402"),
    ],
)
def test_each_finding_is_explained_in_words(artefact: Any, value: object, words: str) -> None:
    assert words in assay("dialect", "check", artefact(value)).stdout.decode()


@pytest.mark.parametrize(
    ("value", "code"), [(V2, 0), (MIXED, 1), ({"body_obj": {}}, 4), ({}, 2), ([], 2), ({"mode": "probe"}, 2)]
)
def test_exit_codes_follow_the_table(artefact: Any, value: object, code: int) -> None:
    """Decision 6."""
    assert assay("dialect", "check", artefact(value)).returncode == code
    soft = assay("dialect", "check", artefact(value), "--exit-zero").returncode
    assert soft == (0 if code in (1, 4) else code)


def test_a_refusal_says_code_meaning_and_remedy_and_nothing_of_the_input(artefact: Any) -> None:
    run = assay("dialect", "check", artefact({"canary": 1}), "--json")
    assert json.loads(run.stdout) == {"refused": True, "code": "member_unknown"}
    assert run.stderr.startswith(b"assay: refused: member_unknown\n")
    assert len(run.stderr.splitlines()) >= 3
    assert b"canary" not in run.stdout + run.stderr


def test_a_request_over_the_cap_is_refused_with_its_length() -> None:
    run = assay("dialect", "check", "-", "--json", stdin=b" " * 2_000_000)
    assert json.loads(run.stdout) == {
        "refused": True,
        "code": "over_cap",
        "length": 2_000_000,
        "cap": 262_144,
    }
    assert run.returncode == 2
    assert b"length=2000000 cap=262144" in run.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["dialect", "check"],
        ["dialect", "check", "-", "--url", "https://shop.dev/"],
        ["dialect", "check", "no-such-file.json"],
        ["dialect", "check", "--jsonl", "--url", "https://shop.dev/"],
        ["dialect", "check", "--jsonl", "--allow-private"],
        ["dialect", "no-such-command"],
        ["no-such-check"],
        ["dialect", "check", "--url", "https://a.dev/", "--url", "https://b.dev/"],
        ["explain", "no/such-rule"],
        ["replay", "no-such-file"],
        ["completion", "tcsh"],
    ],
)
def test_usage_errors_exit_two_and_say_what_to_do(arguments: list[str]) -> None:
    run = assay(*arguments)
    assert run.returncode == 2
    assert run.stdout == b""
    assert run.stderr
    assert b"Traceback" not in run.stderr


def test_json_lines_keep_order_and_go_on_after_a_bad_line() -> None:
    lines = [
        json.dumps({"mode": "submitted", "artefact": V2}).encode(),
        b"{bad",
        b"",
        b'{"mode":"probe","url":"https://shop.dev/"}',
        b"x" * 300_000,
        json.dumps({"mode": "submitted", "artefact": MIXED}).encode() + b"\r",
        json.dumps({"mode": "submitted", "artefact": V2}).encode(),
    ]
    run = assay("dialect", "check", "--jsonl", stdin=b"\n".join(lines))
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 0
    assert [answer.get("dialect") or answer["code"] for answer in answers] == [
        "v2", "not_json", "not_json", "probe_needs_network", "over_cap", "mixed", "v2",
    ]  # fmt: skip
    assert answers[4] == {"refused": True, "code": "over_cap", "length": 300_000, "cap": 262_144}


def test_prechecks_answer_in_policy_or_with_the_refusal(artefact: Any) -> None:
    good, bad = (
        assay("dialect", "precheck", "--url", "https://shop.dev/"),
        assay("dialect", "precheck", artefact({})),
    )
    assert (good.returncode, bad.returncode) == (0, 2)
    assert b"In policy" in good.stdout
    assert b"nothing_to_grade" in bad.stdout
    line = assay("dialect", "precheck", "--url", "http://10.0.0.1/", "--json").stdout
    assert json.loads(line)["refusal"] == {"refused": True, "code": "addr_private"}


def test_a_live_run_is_recorded_and_replayed_to_the_same_bytes(tmp_path: Path) -> None:
    recording = tmp_path / "run.json"
    for form in ([], ["--json"]):
        with seller("dual") as (url, _):
            live = assay(
                "dialect", "check", "--url", url, "--allow-private", "--record", str(recording), *form
            )
        replayed = assay("replay", str(recording), *form)
        assert replayed.stdout == live.stdout
        assert (replayed.returncode, live.returncode) == (0, 0)


def test_a_submitted_run_is_recorded_too(tmp_path: Path, artefact: Any) -> None:
    recording = tmp_path / "run.json"
    live = assay("dialect", "check", artefact(V2), "--json", "--record", str(recording))
    assert assay("replay", str(recording), "--json").stdout == live.stdout


def test_a_refused_run_leaves_no_recording_and_says_so(tmp_path: Path) -> None:
    recording = tmp_path / "run.json"
    run = assay("dialect", "check", "--url", "http://10.0.0.1/", "--record", str(recording))
    assert run.returncode == 2
    assert b"no recording" in run.stderr
    assert b"--allow-private" in run.stderr
    assert not recording.exists()


def test_a_recording_that_cannot_be_written_is_an_error_of_use(artefact: Any) -> None:
    run = assay("dialect", "check", artefact(V2), "--record", "/no/such/folder/run.json")
    assert run.returncode == 2
    assert b"can be written" in run.stderr
    assert run.stdout == b""


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", b"recording_malformed"),
        (b"[]", b"recording_malformed"),
        (b'{"format":"assay-recording/9"}', b"recording_version"),
        (b'{"format":"assay-recording/1"}', b"recording_malformed"),
        (
            (
                b'{"format":"assay-recording/1","check":"none","operation":"check","request":{},"allow_private":false,'
                b'"exchanges":[]}'
            ),
            b"recording_operation",
        ),
        (
            (
                b'{"format":"assay-recording/1","check":"dialect","operation":"check","request":{"mode":"probe",'
                b'"url":"https://shop.dev/"},"allow_private":false,"exchanges":[]}'
            ),
            b"recording_too_short",
        ),
    ],
)
def test_a_damaged_recording_is_refused_by_code(tmp_path: Path, content: bytes, code: bytes) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(content)
    run = assay("replay", str(path))
    assert run.returncode == 2
    assert code in run.stderr


def test_captures_become_artefacts_that_can_be_checked(tmp_path: Path) -> None:
    transcript = tmp_path / "answer.txt"
    transcript.write_bytes(
        b'HTTP/2 402 \r\ncontent-type: application/json\r\n\r\n{"accepts":[{"network":"base"}]}'
    )
    captured = assay("dialect", "capture", str(transcript))
    assert captured.returncode == 0
    assert (
        json.loads(assay("dialect", "check", "-", "--json", stdin=captured.stdout).stdout)["dialect"] == "v1"
    )
    refused = assay("dialect", "capture", "-", stdin=b"{}")
    assert refused.returncode == 2
    assert b"transcript_is_json" in refused.stderr


def test_criteria_and_corpus_are_published() -> None:
    assert json.loads(assay("dialect", "criteria").stdout)["service"] == "dialect-check"
    corpus = assay("dialect", "corpus")
    assert corpus.returncode == 0
    assert b"pin: holds" in corpus.stdout
    assert json.loads(assay("dialect", "corpus", "--json").stdout)["holds"] is True
    assert json.loads(assay("dialect", "corpus", "--print").stdout)["id"] == "assay-dialect-corpus/v1"


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("dialect/summary", b"How to fix it"),
        ("mixed-signal-leg", b"# dialect/mixed-signal-leg"),
        ("challenge_carrier", b"# dialect/challenge-carrier"),
        ("url_malformed", b"https://host/path"),
        ("deadline", b"time allowed"),
        ("", b"dialect/summary\n"),
    ],
)
def test_rules_and_codes_are_explained_by_any_name_a_report_uses(wanted: str, words: bytes) -> None:
    run = assay("explain", *([wanted] if wanted else []))
    assert words in run.stdout
    assert run.returncode == 0


def test_a_near_miss_is_told() -> None:
    assert b"Near: dialect/summary" in assay("explain", "dialect/sumary").stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed(shell: str) -> None:
    run = assay("completion", shell)
    assert run.returncode == 0
    assert b"_ASSAY_COMPLETE" in run.stdout


def test_completion_offers_the_operations() -> None:
    run = assay(COMP_WORDS="assay dialect c", COMP_CWORD="2", _ASSAY_COMPLETE="bash_complete")
    assert {b"plain,check", b"plain,capture", b"plain,corpus", b"plain,criteria"} <= set(
        run.stdout.splitlines()
    )


def test_the_version_is_printed() -> None:
    assert assay("--version").stdout.startswith(b"assay, version 0.")


@pytest.mark.parametrize("unbuffered", [{}, {"PYTHONUNBUFFERED": "1"}])
@pytest.mark.parametrize(
    ("redirection", "code"),
    [("| head -c 10", 141), (">/dev/full", 2), ("<&-", 2), (">&-", 2)],
)
def test_a_stream_that_is_gone_or_full_is_no_fault_of_ours(
    redirection: str, code: int, unbuffered: dict[str, str]
) -> None:
    command = f"{shlex.join(RUN)} dialect corpus --print {redirection}"
    if redirection == "<&-":
        command = f"{shlex.join(RUN)} dialect check - <&-"
    run = subprocess.run(
        ["bash", "-c", f'{command}; exit "${{PIPESTATUS[0]}}"'],
        check=False,
        capture_output=True,
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"} | unbuffered,
        timeout=60,
    )
    assert run.returncode == code
    assert b"Traceback" not in run.stderr
    assert b"Exception ignored" not in run.stderr
    assert b"internal" not in run.stderr


def test_a_line_of_exactly_the_cap_passes_and_one_byte_more_does_not() -> None:
    request = {"mode": "submitted", "artefact": {"body_raw": ""}}
    room = 262_144 - len(json.dumps(request))
    lines = [
        json.dumps({"mode": "submitted", "artefact": {"body_raw": "x" * size}})
        for size in (room, room + 1, room)
    ]
    run = assay("dialect", "check", "--jsonl", stdin="\r\n".join(lines).encode())
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert [answer.get("code") for answer in answers] == [None, "over_cap", None]
    assert answers[1]["length"] == 262_145


def test_a_request_without_an_end_is_counted_only_so_far() -> None:
    command = f"cat /dev/zero | {shlex.join(RUN)} dialect check - --json"
    run = subprocess.run(["bash", "-c", command], check=False, capture_output=True, timeout=60)
    assert json.loads(run.stdout)["code"] == "over_cap"


def test_a_report_is_not_lost_over_an_encoding() -> None:
    run = assay("dialect", "check", "-", stdin=json.dumps(V2).encode(), PYTHONIOENCODING="latin-1")
    assert run.returncode == 0
    assert b"X402 DIALECT REPORT \\u2014 dialect: v2" in run.stdout


def test_a_run_is_not_made_when_its_recording_could_not_be_written() -> None:
    with seller("v1-body") as (url, received):
        run = assay(
            "dialect", "check", "--url", url, "--allow-private", "--record", "/no/such/folder/run.json"
        )
        assert received == []
    assert run.returncode == 2


def test_a_request_without_a_mode_is_told_so(artefact: Any) -> None:
    run = assay("dialect", "check", artefact({"artefact": V2}), "--json")
    assert json.loads(run.stdout)["code"] == "mode_unknown"


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("redirect", b"No redirect is followed"),
        ("post-only", b"POST"),
        ("gzip-body", b"a compressed body is not unpacked"),
        ("two-differing-headers", b"differing values"),
        ("v2-header", b"none\n"),
        ("reset", b"the connection was reset"),
    ],
)
def test_a_person_is_told_why(shape: str, words: bytes) -> None:
    with seller(shape) as (url, _):
        run = assay("dialect", "check", "--url", url, "--allow-private")
    assert words in run.stdout


def test_nothing_judged_is_not_shown_as_no_mismatch(artefact: Any) -> None:
    assert b"not judged" in assay("dialect", "check", artefact({"body_obj": {}})).stdout


@pytest.mark.parametrize("redirection", [">/dev/full", "| true"])
def test_a_recording_is_kept_when_the_output_fails(tmp_path: Path, redirection: str) -> None:
    recording = tmp_path / "run.json"
    with seller("v1-body") as (url, _):
        command = shlex.join(
            [*RUN, "dialect", "check", "--url", url, "--allow-private", "--record", str(recording)]
        )
        subprocess.run(
            ["bash", "-c", f"{command} {redirection}"], check=False, capture_output=True, timeout=60
        )
    assert json.loads(assay("replay", str(recording), "--json").stdout)["dialect"] == "v1"


def test_a_recording_is_for_whoever_made_it_whatever_stood_there(tmp_path: Path, artefact: Any) -> None:
    recording = tmp_path / "run.json"
    recording.write_text("before")
    recording.chmod(0o644)
    assay("dialect", "check", artefact(V2), "--record", str(recording))
    assert recording.stat().st_mode & 0o777 == 0o600


def test_a_submitted_header_that_cannot_be_read_is_told_beside_a_good_body(artefact: Any) -> None:
    value = {"body_obj": {"accepts": [{"network": "base"}]}, "payment_required_header": "eyJ4NDAy..."}
    assert b"PAYMENT-REQUIRED header: not base64" in assay("dialect", "check", artefact(value)).stdout


def test_no_words_and_half_words_are_told() -> None:
    assert b"Commands:" in assay().stderr
    assert b"--url needs a value" in assay("dialect", "check", "--url").stderr
