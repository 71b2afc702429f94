"""The sandbox as a whole starts and stops without leaving anything, also where it cannot start."""

import threading
from pathlib import Path
from typing import Any

import pytest

from assay402.core.errors import TheirError
from assay402.sandbox.jsonrpc import NodeUnreachable, call_node
from assay402.sandbox.serving import LoopbackServer, Reply

pytestmark = pytest.mark.usefixtures("chain")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let what is temporary stand in a folder of the test's own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def left_open() -> int:
    opened = Path("/proc/self/fd")
    return len(list(opened.iterdir())) if opened.is_dir() else 0


def test_what_is_closed_leaves_no_thread_no_file_and_no_folder(folder: Path) -> None:
    from assay402.sandbox.world import Plan, World

    told: list[str] = []
    # The first one loads what stays loaded.
    World(Plan(node="python"), told.append, lambda _line: None).close()
    threads, files = set(threading.enumerate()), left_open()
    world = World(Plan(node="python"), told.append, lambda _line: None)
    addresses = world.addresses()
    assert call_node(addresses.chain, "eth_chainId") == hex(84532)
    world.close()
    assert set(threading.enumerate()) == threads
    assert left_open() <= files
    assert list(folder.iterdir()) == []
    with pytest.raises(NodeUnreachable):
        call_node(addresses.chain, "eth_chainId")
    assert len(told) == 8


@pytest.mark.parametrize("port", ["chain_port", "solana_port", "facilitator_port", "port"])
def test_a_port_that_is_taken_is_told_and_what_had_started_is_stopped(folder: Path, port: str) -> None:
    from assay402.sandbox.world import Plan, World

    taken: Any = LoopbackServer(lambda _request: Reply())
    threads = set(threading.enumerate())
    try:
        with pytest.raises(TheirError) as refused:
            World(Plan(node="python", **{port: taken.port}), lambda _line: None, lambda _line: None)
        assert refused.value.code == "sandbox_port_taken"
        assert set(threading.enumerate()) == threads
    finally:
        taken.close()
    assert list(folder.iterdir()) == []


def test_a_service_that_cannot_start_says_why_and_leaves_no_thread(
    chain: Any, solana_chain: Any, facilitator: Any, tmp_path: Path
) -> None:
    from msgspec.structs import replace

    from assay402.sandbox.service import Service
    from assay402.sandbox.world import paid_settings

    settings = paid_settings(chain, solana_chain, facilitator.url)
    (tmp_path / "no-key").write_text("none")
    threads, files = set(threading.enumerate()), left_open()
    broken = replace(settings, signing_key=f"file:{tmp_path / 'no-key'}")
    with pytest.raises(TheirError):
        Service(broken, tmp_path / "data", lambda _line: None)
    assert set(threading.enumerate()) == threads
    assert left_open() <= files
