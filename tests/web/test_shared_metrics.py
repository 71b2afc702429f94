"""The folder in which workers count together: gone with the service, however it ends."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import prometheus_client  # noqa: F401  (before the folder is named: the library decides then how it counts)
import pytest

from assay402.web.shared_metrics import FOLDER, VARIABLE, forget, shared_metrics
from web.served import SECONDS
from web.test_serve import serving, workers_of

OWNER = """
import sys
from pathlib import Path
from assay402.web.shared_metrics import shared_metrics
with shared_metrics(Path(sys.argv[1])):
    print("ready", flush=True)
    sys.stdin.read()
"""


def folders(data: Path) -> list[Path]:
    """Give the folders of services that ran on this data directory."""
    return [each for each in (data / FOLDER).iterdir() if each.is_dir()]


def test_the_folder_is_there_for_the_block_and_gone_after_it(tmp_path: Path) -> None:
    with shared_metrics(tmp_path) as own:
        assert os.environ[VARIABLE] == str(own)
        (own / "counter_1.db").write_bytes(b"")
    assert folders(tmp_path) == []
    assert VARIABLE not in os.environ


def test_a_start_that_fails_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), shared_metrics(tmp_path):
        raise ZeroDivisionError
    assert folders(tmp_path) == []


def test_what_an_owner_left_that_was_killed_goes_with_the_next_start_and_what_is_owned_stays(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", OWNER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == "ready\n"
        (owned,) = folders(tmp_path)
        with shared_metrics(tmp_path) as own:
            assert sorted(folders(tmp_path)) == sorted((owned, own))
        owner.kill()
        owner.wait(SECONDS)
    assert folders(tmp_path) == [owned]
    with shared_metrics(tmp_path) as own:
        assert folders(tmp_path) == [own]


def test_a_folder_whose_lock_was_never_made_goes_too(tmp_path: Path) -> None:
    (tmp_path / FOLDER / "half").mkdir(parents=True)
    with shared_metrics(tmp_path) as own:
        assert folders(tmp_path) == [own]


def test_a_worker_that_is_gone_has_nothing_under_way(tmp_path: Path) -> None:
    with shared_metrics(tmp_path) as own:
        for name in ("gauge_livesum_7.db", "gauge_livesum_8.db", "counter_7.db"):
            (own / name).write_bytes(b"")
        forget(7)
        assert {each.name for each in own.glob("*.db")} == {"gauge_livesum_8.db", "counter_7.db"}


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_a_service_that_is_told_to_stop_leaves_no_folder(tmp_path: Path, told: signal.Signals) -> None:
    with serving(tmp_path, "--workers", "2") as process:
        (own,) = folders(tmp_path)
        killed = workers_of(process.popen.pid)[0]
        os.kill(killed, signal.SIGKILL)
        while killed in workers_of(process.popen.pid) or len(workers_of(process.popen.pid)) < 2:
            assert process.popen.poll() is None
        assert not (own / f"gauge_livesum_{killed}.db").exists()
        process.popen.send_signal(told)
        assert process.popen.wait(SECONDS) == 0
    assert folders(tmp_path) == []


def test_a_service_that_was_killed_leaves_a_folder_until_the_next_start(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "2") as process:
        (left,) = folders(tmp_path)
        process.popen.kill()
        process.popen.wait(SECONDS)
    with serving(tmp_path, "--workers", "2") as process:
        (own,) = folders(tmp_path)
        assert own != left
        assert process.stop()[0] == 0
    assert folders(tmp_path) == []


def test_a_service_that_cannot_start_leaves_no_folder(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        code = "from assay402.cli.main import run; run()"
        command = [
            sys.executable,
            "-c",
            code,
            "serve",
            "--workers",
            "2",
            "--port",
            str(other.getsockname()[1]),
        ]
        environment = {**os.environ, "ASSAY_DATA_DIR": str(tmp_path)}
        assert (
            subprocess.run(
                command, check=False, env=environment, capture_output=True, timeout=SECONDS
            ).returncode
            == 2
        )
    assert not (tmp_path / FOLDER).exists()
