"""Nothing that was given appears where it must not: errors, refusals, standard error, recordings, the terminal."""

import base64
import hashlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay402.cli import main
from cli.sellers import seller
from cli.test_cli import RUN, assay

CANARY = "zq7canary"
ESCAPE = "\x1b]0;pwned\x07\x9b31m"


def traces(text: str) -> set[bytes]:
    """Give a text and its digests, as they might be written."""
    data = text.encode()
    digests = [hashlib.new(name, data) for name in ("sha256", "sha1", "md5")]
    return {data, base64.b64encode(data), *(each.hexdigest().encode() for each in digests)}


def assert_clean(run: subprocess.CompletedProcess[bytes], *, url: str | None = None) -> None:
    """Look for the canary in all that a run printed; a report may repeat the URL it was given, an error may not."""
    shown = run.stdout if url is None else run.stdout.replace(url.encode(), b"")
    for trace in traces(CANARY):
        assert trace not in shown
        assert trace not in run.stderr
    for control in (b"\x1b", b"\x07", b"\xc2\x9b"):
        assert control not in run.stdout + run.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["dialect", "check", CANARY],
        ["dialect", "check", f"https://shop.dev/?token={CANARY}"],
        ["dialect", "check", f'{{"mode":"submitted","artefact":{{"payload_obj":"{CANARY}"}}}}'],
        ["dialect", "check", "-", ESCAPE + CANARY],
        ["dialect", "check", f"--{CANARY}"],
        ["dialect", "check", "--url", f"ftp://{CANARY}/"],
        ["dialect", "check", "--url", f"https://{CANARY}{ESCAPE}/"],
        ["dialect", "check", "--url", f"https://{CANARY}.dev/", "--url", "https://b.dev/"],
        ["dialect", "check", "--url", "https://shop.dev/", "--record", f"/no/such/{CANARY}"],
        ["dialect", "capture", "-", "--entry", CANARY],
        ["dialect", "capture", CANARY],
        ["dialect", CANARY + ESCAPE],
        [CANARY + ESCAPE],
        ["explain", CANARY + ESCAPE],
        ["replay", CANARY],
        ["completion", CANARY],
    ],
)
def test_a_mistyped_command_line_is_not_repeated(arguments: list[str]) -> None:
    """`custody.errors` and reading A64: it may hold the artefact itself, or commands for the terminal."""
    run = assay(*arguments)
    assert run.returncode == 2
    assert run.stderr
    assert_clean(run)


@pytest.mark.parametrize(
    "document",
    [
        {"mode": "submitted", "artefact": {CANARY: CANARY}},
        {"mode": CANARY},
        {CANARY: {}},
        {"body_obj": {"error": CANARY, "accepts": [{"network": CANARY, "payTo": CANARY, CANARY: CANARY}]}},
        {"body_raw": json.dumps({"error": ESCAPE + CANARY, "accepts": [{"amount": CANARY}]})},
        {
            "payment_required_header": base64.b64encode(
                json.dumps({"accepts": [{"asset": CANARY}]}).encode()
            ).decode()
        },
        {
            "payload_obj": {"scheme": CANARY, "payload": CANARY},
            "payload_headers": {"Cookie": CANARY, CANARY: ""},
        },
        {"body_obj": {}, "response_headers": {"Set-Cookie": CANARY, "PAYMENT-RESPONSE": CANARY}},
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_no_door_lets_an_artefact_through(document: Any, form: list[str]) -> None:
    """`custody`, `forbidden`, readings A64 and A67: report and refusal, for people and for programs."""
    source = json.dumps(document).encode()
    assert_clean(assay("dialect", "check", "-", *form, stdin=source))
    assert_clean(assay("dialect", "precheck", "-", *form, stdin=source))
    if form:
        assert_clean(assay("dialect", "check", "--jsonl", stdin=source + b"\n" + source[:-1]))
        assert_clean(assay("replay", "-", stdin=source))


def test_a_live_answer_stays_out_of_the_report_and_its_secrets_out_of_the_recording(tmp_path: Path) -> None:
    recording = tmp_path / "run.json"
    with seller("canaries") as (url, _):
        run = assay("dialect", "check", "--url", url, "--allow-private", "--record", str(recording))
    assert run.returncode == 0
    assert_clean(run)
    kept = recording.read_text()
    assert "cookie-secret" not in kept
    assert "location-secret" not in kept
    assert recording.stat().st_mode & 0o077 == 0


def test_values_of_submitted_headers_stay_out_of_a_recording(tmp_path: Path) -> None:
    recording, artefact = tmp_path / "run.json", tmp_path / "artefact.json"
    headers = {"X-PAYMENT": CANARY, "Authorization": CANARY, "Set-Cookie": CANARY}
    artefact.write_text(json.dumps({"body_obj": {}, "payload_headers": headers, "response_headers": headers}))
    run = assay("dialect", "check", str(artefact), "--json", "--record", str(recording))
    assert CANARY not in recording.read_text()
    assert assay("replay", str(recording), "--json").stdout == run.stdout


FAULTY = (
    "import assay402.checks.dialect.contract as c, assay402.cli.commands as k;"
    "k.execute = lambda *a, **b: (_ for _ in ()).throw(ValueError(str(a)));"
    "from assay402.cli.main import run; run()"
)


@pytest.mark.parametrize(("error", "code"), [("ValueError", 3), ("KeyboardInterrupt", 130), ("OSError", 2)])
def test_a_fault_of_ours_exits_three_and_shows_nothing_of_the_exception(error: str, code: int) -> None:
    """An exception may hold what was submitted, so no text of it is printed."""
    program = FAULTY.replace("ValueError", error)
    run = subprocess.run(
        [sys.executable, "-c", program, "dialect", "check", "--url", f"https://{CANARY}.dev/"],
        check=False,
        capture_output=True,
        env=dict(os.environ),
        timeout=60,
    )
    assert run.returncode == code
    assert run.stderr
    assert_clean(run)
    assert main.EXIT_OURS == 3


def shown_on_a_terminal(*arguments: str, **environment: str) -> bytes:
    """Run the command with a terminal for its output."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [*RUN, *arguments], stdout=theirs, stdin=subprocess.PIPE, env={**os.environ, **environment}
    ) as run:
        os.close(theirs)
        assert run.stdin is not None
        run.stdin.write(b'{"body_obj":{}}')
        run.stdin.close()
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
        except OSError:  # the terminal is gone with its last writer
            pass
    os.close(ours)
    return shown


def test_styles_are_shown_on_a_terminal_and_not_where_no_color_is_set() -> None:
    plain = {"NO_COLOR": ""}
    assert b"\x1b[" in shown_on_a_terminal("dialect", "check", "-", **plain)
    assert b"\x1b[" not in shown_on_a_terminal("dialect", "check", "-", NO_COLOR="1")


def test_a_capture_escapes_what_a_terminal_would_obey() -> None:
    transcript = "HTTP/1.1 402 X\r\n\r\n\x9b31m\x7f\x85".encode()
    run = assay("dialect", "capture", "-", stdin=transcript)
    assert json.loads(run.stdout)["body_raw"] == "\x9b31m\x7f\x85"
    assert_clean(run)
