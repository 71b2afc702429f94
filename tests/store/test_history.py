"""The history log: nothing is lost between processes, and damage stays where it is."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.core.asks import Failed, Recall, Recalled, Remember, Remembered
from assay402.store.history import MAX_LINE, MAX_READ, HistoryLog

ALL = Recall(where=())
APPEND = """
import json, sys
from assay402.core.asks import Remember
from assay402.store.history import HistoryLog
log = HistoryLog(sys.argv[1])
sys.stdin.read()
for number in range(50):
    log(Remember(record=json.dumps({"from": sys.argv[2], "number": number, "padding": "x" * 5000})))
"""


def test_twenty_processes_lose_no_record(tmp_path: Path) -> None:
    """Evidence 3. All are started before any may write; each line is longer than a pipe's atomic write."""
    path = tmp_path / "history.jsonl"
    command = [sys.executable, "-c", APPEND, str(path)]
    writers = [subprocess.Popen([*command, str(number)], stdin=subprocess.PIPE) for number in range(20)]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.close()
    assert [writer.wait(60) for writer in writers] == [0] * 20
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    assert {(each["from"], each["number"]) for each in records} == {
        (str(writer), number) for writer in range(20) for number in range(50)
    }
    assert len(records) == 1_000


def test_records_are_chosen_by_their_members(tmp_path: Path) -> None:
    log = HistoryLog(str(tmp_path / "log"))
    for name in ("a", "b", "a"):
        assert log(Remember(record=json.dumps({"event": "e", "url": name}))) == Remembered()
    found = log(Recall(where=(("event", "e"), ("url", "a"))))
    assert found == Recalled(records=('{"event": "e", "url": "a"}',) * 2)


def test_a_missing_log_holds_nothing(tmp_path: Path) -> None:
    assert HistoryLog(str(tmp_path / "none"))(ALL) == Recalled(records=())


def test_a_folder_is_no_log(tmp_path: Path) -> None:
    log = HistoryLog(str(tmp_path))
    assert log(ALL) == Failed(state="no_memory")
    assert log(Remember(record="{}")) == Failed(state="no_memory")


def test_what_never_ends_or_never_begins_is_no_log(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (str(pipe), "/dev/zero"):
        assert HistoryLog(path)(ALL) == Failed(state="no_memory")
        assert HistoryLog(path)(Remember(record="{}")) == Failed(state="no_memory")


def test_a_half_written_line_swallows_no_record(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"a":1}\n\n{"b":')
    log = HistoryLog(str(path))
    log(Remember(record='{"c":3}'))
    assert log(ALL) == Recalled(records=('{"a":1}', '{"c":3}'), damaged=1)


def test_a_line_that_is_too_long_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'"' + b"x" * MAX_LINE + b'"\n{}\n')
    assert HistoryLog(str(path))(ALL) == Recalled(records=("{}",), damaged=1)


def test_only_the_end_of_a_very_long_log_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    path.write_bytes(b'{"old":1}\n' * 10 + b'{"new":1}\n' * 2)
    monkeypatch.setattr("assay402.store.history.MAX_READ", 25)
    assert HistoryLog(str(path))(ALL) == Recalled(records=('{"new":1}',) * 2)
    assert MAX_READ > 1 << 20


@settings(deadline=None, max_examples=60)
@given(content=st.binary(max_size=200))
def test_any_content_is_read_and_written_behind(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("log") / "log"
    path.write_bytes(content)
    log = HistoryLog(str(path))
    before = log(ALL)
    assert isinstance(before, Recalled)
    log(Remember(record='{"last":1}'))
    after = log(ALL)
    assert after == Recalled(records=(*before.records, '{"last":1}'), damaged=before.damaged)
