"""Issue 7, evidence 4: canaries through every route and every error, with payments and without; then they are looked for.

In the database and the files beside it, the log, the metrics, what the process printed, temporary files, errors, and what
a process leaves that is aborted.
"""

import base64
import hashlib
import os
import signal
import socket
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from Crypto.Hash import keccak

from assay402.service.settings import Settings
from service.world import SETTINGS
from web.canaries import MARK, Canaries, Seller, Story, joined, requests
from web.paid import facilitator, paid_service
from web.served import SECONDS
from web.test_serve import serving

PAID, FREE = SETTINGS, Settings()
OWN_TABLE = "answers"
"""Where rooms that keep their answers keep them."""


@pytest.mark.parametrize("settings", [PAID, FREE], ids=["payments on", "payments off"])
def test_nothing_that_must_not_be_kept_is_found_anywhere(
    tmp_path: Path,
    settings: Settings,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a room that keeps its answers a canary may stand in a kept answer and in no other table."""
    data, temporary = tmp_path / "data", tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", None)
    canaries = Canaries()
    seller = Seller(canaries)
    with (
        facilitator() as money,
        paid_service(data, money, settings=settings, fetcher=seller.fetch) as running,
    ):
        story = Story(running, canaries, seller)
        story.live()
        if settings is PAID:
            story.suffer()
            writer = running.writer
            writer.execute("PRAGMA query_only = ON")
            for name in ("dialect/check", "claims/diagnose"):
                story.take(name, next(requests(canaries, name)))
            writer.execute("PRAGMA query_only = OFF")
        canaries.assert_absent(running.call("GET", "/metrics").body, "the metrics")
        canaries.assert_absent(joined(line.encode() for line in running.lines), "the log")
        files = joined(each.read_bytes() for each in data.rglob("*") if each.is_file())
        canaries.assert_absent(files, "the data directory", allows_answers=True)
    assert_statuses(story, settings)
    kept = rows(data / "assay.sqlite3")
    assert MARK.encode() in kept.pop(OWN_TABLE)
    assert {"payments", "ledger", "free_calls"} <= set(kept)
    canaries.assert_absent(joined(kept.values()), "a table that is not of answers", allows_names=True)
    canaries.assert_absent(
        joined(each.read_bytes() for each in temporary.rglob("*") if each.is_file()), "a temporary file"
    )
    printed = capfd.readouterr()
    canaries.assert_absent((printed.out + printed.err).encode(), "the output of the process")


def assert_statuses(story: Story, settings: Settings) -> None:
    """Check that the story led through answers and refusals of every operation, or it would prove nothing."""
    for name, statuses in story.statuses.items():
        if name:
            assert 200 in statuses, name
            assert set(statuses) & {400, 413}, name
    if settings is PAID:
        assert {202, 402, 422, 503} <= {each for statuses in story.statuses.values() for each in statuses}


def rows(file: Path) -> dict[str, bytes]:
    """Give everything in a database, by table."""
    connection = sqlite3.connect(file)
    try:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: written(connection.execute(f"SELECT * FROM {name}")) for name in names}
    finally:
        connection.close()


def written(found: Iterable[Iterable[Any]]) -> bytes:
    """Give the values of rows as bytes."""
    return joined(each if isinstance(each, bytes) else str(each).encode() for row in found for each in row)


@pytest.mark.parametrize("spelled", ["sha256", "sha1", "md5", "keccak"])
def test_a_digest_of_a_canary_would_be_found(spelled: str) -> None:
    """What finds nothing must be able to find something."""
    canaries = Canaries()
    word = canaries.fresh("dialect").encode()
    canaries.assert_absent(b"nothing of it", "here")
    digest = (
        keccak.new(digest_bits=256, data=word).digest()
        if spelled == "keccak"
        else hashlib.new(spelled, word).digest()
    )
    for trace in (
        word,
        digest,
        digest.hex().encode(),
        base64.b64encode(digest),
        base64.urlsafe_b64encode(digest).rstrip(b"="),
    ):
        with pytest.raises(AssertionError):
            canaries.assert_absent(b"x" + trace + b"y", "here")


@contextmanager
def half_sent(port: int, word: str) -> Iterator[None]:
    """Hold a request of which half the body has come."""
    line = socket.create_connection(("127.0.0.1", port), timeout=SECONDS)
    head = "POST /dialect-check/check HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n"
    try:
        line.sendall(f'{head}{{"x":"{word}'.encode())
        yield
    finally:
        line.close()


def test_a_process_that_is_aborted_leaves_nothing_of_what_it_held(tmp_path: Path) -> None:
    """It is ended with a request half read and others behind it, and prints where it stood: lines of code, no values."""
    canaries, data, temporary = Canaries(), tmp_path / "data", tmp_path / "tmp"
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary), "PYTHONFAULTHANDLER": "1"}
    with serving(data, environment=environment) as process:
        limits = Path(f"/proc/{process.popen.pid}/limits").read_text()
        core = next(line for line in limits.splitlines() if line.startswith("Max core file size"))
        assert core.split()[4:6] == ["0", "0"]
        for room in ("dialect", "claims"):
            path = {"dialect": "/dialect-check/check", "claims": "/api/v1/diagnose"}[room]
            process.call("POST", path, canaries.note(room, f'{{"x":"{canaries.fresh(room)}"}}'.encode()))
        with half_sent(process.port, canaries.fresh("dialect")):
            os.kill(process.popen.pid, signal.SIGABRT)
            assert process.popen.wait(SECONDS) == -signal.SIGABRT
        assert process.popen.stdout is not None
        assert process.popen.stderr is not None
        said = process.popen.stdout.read() + process.popen.stderr.read()
    assert "Fatal Python error: Aborted" in said
    canaries.assert_absent(said.encode(), "what it printed")
    left = joined(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    canaries.assert_absent(left, "what it left")
