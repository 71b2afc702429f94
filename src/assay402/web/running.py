"""Runs the service: opens the socket, starts the workers, and says where it listens and how to try it."""

import asyncio
import errno
import gc
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing import parent_process
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from assay402.core.errors import TheirError
from assay402.service.ports import StoreUnavailable
from assay402.service.settings import Settings
from assay402.service.settings_source import Sourced
from assay402.service.telemetry import Event, Log, Telemetry
from assay402.store.notices import store_code
from assay402.web.app import Face
from assay402.web.assembly import assembled, without_node
from assay402.web.server import DRAIN_SECONDS, config_of, listen, serve
from assay402.web.serving import Orders
from assay402.web.shared_metrics import forget, shared_metrics
from assay402.web.workers import WorkersFail, told_to_stop, watch

WORK_THREADS: Final = 2
"""Threads of a process for work that takes long: more would only share the interpreter among them."""
RECONCILE_SECONDS: Final = 10.0
"""Between two looks for payments that nobody works on."""
EXAMPLE: Final = '{"mode":"submitted","artefact":{"status":402,"body_obj":{"x402Version":1,"accepts":[{"scheme":"exact","network":"base","maxAmountRequired":"10000"}]}}}'

TIDY_SECONDS: Final = 3_600.0
"""Between two looks for what is kept for a time that is over."""

Announce = Callable[[str, tuple[str, ...]], None]


class Unstartable(Exception):
    """The service cannot start: a code, and numbers that help."""

    def __init__(self, code: str, **numbers: int) -> None:
        super().__init__(code)
        self.code: Final = code
        self.numbers: Final = numbers


def run(sourced: Sourced, data_dir: Path, announce: Announce) -> None:
    """Serve until told to stop.

    Raises:
        Unstartable: where the port, the database or the key cannot be used.

    """
    settings = sourced.settings
    _dump_no_core()
    listening = _listening(settings)
    with listening:
        port = listening.getsockname()[1]
        wanted = replace(settings, port=port)
        try:
            if wanted.workers == 1:
                _in_one_process(wanted, data_dir, listening, partial(_tell, announce, wanted))
            else:
                _in_many_processes(wanted, data_dir, listening, partial(_tell, announce, wanted))
        except TheirError as error:
            raise Unstartable(error.code) from None
        except WorkersFail:
            raise Unstartable("workers_fail") from None
        except StoreUnavailable as error:
            raise Unstartable(store_code(error)) from None


def _dump_no_core() -> None:
    """Have no image of our memory written when a process crashes: it would hold what was being examined."""
    try:
        import resource  # noqa: PLC0415  (not on every system)
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _listening(settings: Settings) -> socket.socket:
    try:
        return listen(settings.host, settings.port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Unstartable("port_taken", port=settings.port) from None
        raise Unstartable("address_unusable", errno=error.errno or 0) from None


def _tell(announce: Announce, settings: Settings) -> None:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"http://{host}:{settings.port}"
    paid = "required" if settings.payments == "required" else "off: every check is free"
    blind = without_node(settings)
    warned = (
        f"  warning: no node for {', '.join(blind)} (ASSAY_RPC_URLS): a payment there whose settlement gets no answer",
        "    stays in doubt until you resolve it, neither charged again nor served",
    )
    announce(
        address,
        (
            f"  payments {paid}; stop with Ctrl-C",
            *(warned if blind else ()),
            "  try it:",
            f"    curl -s {address}/dialect-check/check -H 'Content-Type: application/json' \\",
            f"      -d '{EXAMPLE}'",
        ),
    )


def _in_one_process(
    settings: Settings, data_dir: Path, listening: socket.socket, started: Callable[[], None]
) -> None:
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_serve(settings, data_dir, [listening], started))


def run_until(  # noqa: PLR0913, PLR0917  (what a server is made of)
    settings: Settings,
    data_dir: Path,
    listening: socket.socket,
    started: Callable[[], None],
    ending: int,
    telemetry: Telemetry,
) -> None:
    """Serve in this thread until the file descriptor `ending` is readable, and until what is under way has ended.

    Raises:
        TheirError: for a key or a database that cannot be used.
        StoreUnavailable: where the database cannot be opened.

    """
    with asyncio.Runner(loop_factory=config_of(_nothing).get_loop_factory()) as runner:
        runner.run(_serve(settings, data_dir, [listening], started, ending, telemetry))


async def _serve(  # noqa: PLR0913, PLR0917  (what a server is made of)
    settings: Settings,
    data_dir: Path,
    sockets: Sequence[socket.socket],
    started: Callable[[], None],
    parent: int | None = None,
    telemetry: Telemetry | None = None,
) -> None:
    telemetry = telemetry or Telemetry(Log())
    threads = ThreadPoolExecutor(WORK_THREADS, thread_name_prefix="work")
    asyncio.get_running_loop().set_default_executor(threads)
    async with assembled(settings, data_dir, telemetry) as serving:
        face = Face(serving)
        telemetry.log.say(Event.SERVICE_STARTED, port=settings.port, payments=settings.payments)
        if without_node(settings):
            telemetry.log.say(Event.SERVICE_WITHOUT_NODE, code="node_missing")
        going_on = (
            asyncio.create_task(_reconciling(serving.orders)),
            asyncio.create_task(_tidying(serving.orders, telemetry)),
        )
        async with face.running():
            notice = settings.notice_seconds
            await serve(face, sockets, face.drain, started, parent, serving.orders.drained, notice)
        for each in going_on:
            each.cancel()
    telemetry.log.say(Event.SERVICE_STOPPED)


async def _reconciling(orders: Orders) -> None:
    """Look again and again for payments that nobody works on. Leases keep two workers from taking the same."""
    while True:
        await asyncio.sleep(RECONCILE_SECONDS)
        await orders.reconcile()


async def _tidying(orders: Orders, telemetry: Telemetry) -> None:
    """Forget again and again what is kept for a time that is over. Of several processes each finds what is left."""
    while True:
        telemetry.forgotten(await orders.tidy())
        await asyncio.sleep(TIDY_SECONDS)


def _in_many_processes(
    settings: Settings, data_dir: Path, listening: socket.socket, started: Callable[[], None]
) -> None:
    """Let a parent watch over workers that share the socket; one that dies is replaced."""
    asyncio.run(_prepare(settings, data_dir))
    # Signals first: one that comes while the folder is made or removed must not leave it behind.
    with told_to_stop() as is_told, shared_metrics(data_dir):
        stopping = max(settings.notice_seconds, DRAIN_SECONDS)
        watch(settings.workers, work, (settings, data_dir, [listening]), started, is_told, forget, stopping)


async def _prepare(settings: Settings, data_dir: Path) -> None:
    """Make key and database before workers could make them at once, and fail here where they cannot be used."""
    telemetry = Telemetry(Log())
    async with assembled(settings, data_dir, telemetry):
        return


def work(settings: Settings, data_dir: Path, sockets: Sequence[socket.socket]) -> None:
    """Serve in a worker process."""
    gc.freeze()  # what is loaded stays, and need not be looked through for cycles
    parent = parent_process()
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(_serve(settings, data_dir, sockets, lambda: None, parent.sentinel if parent else None))


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Give what makes the event loop: the fast one where it is installed."""
    return config_of(_nothing).get_loop_factory()


async def _nothing(_scope: object, _receive: object, _send: object) -> None:
    """Stand where uvicorn wants an application before there is one."""
