"""`assay sandbox`: the service on local chains, and a paying client. The room is heavy and loaded inside the commands."""

import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import click
from msgspec import to_builtins

from assay402.cli.form import read_source
from assay402.cli.output import plain, print_bytes, print_error, print_lines, published_line
from assay402.cli.usage import SourceFile
from assay402.core.check import Refusal
from assay402.core.errors import JSONUnreadable, TheirError
from assay402.core.strictjson import JSON, read

if TYPE_CHECKING:
    from assay402.sandbox.demo import Sale
    from assay402.sandbox.payer import Exchange

PORTS: Final = {"chain": 8545, "solana": 8899, "facilitator": 8403, "service": 8402}
"""Where the sandbox listens unless told otherwise; `pay` looks for its chains there."""
_PACKAGES: Final = ("x402", "web3", "eth_account", "eth_tester", "solders", "httpx", "uvicorn", "structlog")
_MAX_DATA: Final = 4 << 20
_CLIENT_ERROR: Final = 400
_HELP: Final = """Run the service in paid mode with all it needs, until interrupted: local chains, test tokens, a facilitator.

Everything listens on loopback alone and nothing is kept. The keys are public: never send them anything of worth. Needs
the extra `sandbox`."""
_DEMO: Final = """Sell one of everything, from the offer to the ledger, and stop.

Each product is bought once with the official client: the payment settles on a local chain, the answer's signature is
verified with the published keys, and the ledger is shown. Free ports, and nothing is kept."""
_NETWORKS: Final = ("base-sepolia", "base")
_NODES: Final = ("auto", "python", "anvil")


def _port_option(name: str) -> click.Option:
    return click.Option(
        [f"--{name}-port"] if name != "service" else ["--port"],
        type=click.IntRange(0, 65535),
        default=PORTS[name],
        show_default=True,
        metavar="PORT",
        help="0 is any free port.",
    )


def _prepare() -> None:
    """Raise where the extra is not installed, and set this process up for packages that are not ours.

    Their deprecations do not stand among our lines, and what they ask of loopback never goes to a proxy.
    """
    if any(find_spec(name) is None for name in _PACKAGES):
        raise TheirError("sandbox_not_installed")
    warnings.simplefilter("ignore")
    for name in ("no_proxy", "NO_PROXY"):
        kept = os.environ.get(name)
        os.environ[name] = ",".join([*([kept] if kept else []), "127.0.0.1", "localhost", "::1"])


class _Sandbox(click.Group):
    """The group runs the sandbox itself where no command follows."""

    def __init__(self) -> None:
        super().__init__(
            "sandbox",
            invoke_without_command=True,
            callback=_run,
            help=_HELP,
            epilog="`assay sandbox pay URL` pays a resource on this machine meanwhile.",
            params=[
                *_chain_options(),
                *(_port_option(name) for name in PORTS),
                _json_option("the addresses"),
            ],
        )
        self.add_command(_pay)
        self.add_command(
            click.Command(
                "demo",
                callback=_demo,
                help=_DEMO,
                epilog="Exit codes: 0 everything went as it should, 1 something did not.",
                params=[*_chain_options(), _json_option("sales and ledger")],
            )
        )


def _chain_options() -> tuple[click.Option, ...]:
    return (
        click.Option(
            ["--network"],
            type=click.Choice(_NETWORKS),
            default="base-sepolia",
            show_default=True,
            help="The network that the Ethereum chain stands in for.",
        ),
        click.Option(
            ["--chain", "node"],
            type=click.Choice(_NODES),
            default="auto",
            show_default=True,
            help="The node: pure Python, or the program `anvil`; `auto` takes that where it is on the PATH.",
        ),
    )


def _json_option(what: str) -> click.Option:
    return click.Option(["--json", "as_json"], is_flag=True, help=f"Print {what} as JSON.")


@click.pass_context
def _run(context: click.Context, /, *, as_json: bool, **plan: Any) -> None:  # noqa: ANN401  (the fields of a plan)
    if context.invoked_subcommand is not None:
        return
    _prepare()
    from assay402.sandbox.world import Plan, World  # noqa: PLC0415  (heavy)

    stopped = threading.Event()
    with closing(World(Plan(**plan), _tell, print_error)) as world:
        # A terminal interrupts, a supervisor terminates: both mean to stop in order. Before this, an interrupt raises.
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, lambda _number, _frame: stopped.set())
        found = to_builtins(world.addresses())
        if as_json:
            print_bytes(published_line(found))
        else:
            print_lines(f"{name:<17} {value}" for name, value in found.items())
        _tell("running; the keys are public, never send them anything of worth; Ctrl-C stops everything")
        stopped.wait()
        _tell("stopping")


def _demo(*, as_json: bool, **plan: Any) -> None:  # noqa: ANN401  (the fields of a plan)
    _prepare()
    from assay402.cli.ledger_rows import exported  # noqa: PLC0415  (the rows of the service)
    from assay402.sandbox.demo import books, sales  # noqa: PLC0415  (heavy)
    from assay402.sandbox.world import Plan, World  # noqa: PLC0415  (heavy)

    is_good = True
    with closing(World(Plan(**plan), _tell, _unheard)) as world:
        for sale in sales(world):
            is_good = is_good and sale.is_good
            if as_json:
                print_bytes(published_line({"sale": to_builtins(sale)}))
            else:
                print_lines(_sale_lines(sale))
        kept = books(world)
        rows = [exported(row) for row in kept.rows]
        if as_json:
            print_bytes(published_line({"ledger": rows, "mismatches": list(kept.mismatches)}))
        else:
            print_lines(_book_lines(rows, kept.mismatches))
    click.get_current_context().exit(0 if is_good and not kept.mismatches else 1)


def _unheard(_line: str) -> None:
    """Drop the log of the service: what it tells is printed as it was seen from outside."""


def _sale_lines(sale: "Sale") -> Iterator[str]:
    yield f"{sale.operation}: {sale.price} millionths of a dollar on {sale.network}"
    confirmed = {True: "confirmed by the chain", False: "unknown to the chain", None: "not settled"}
    moved = ", ".join(f"{each:+d}" for each in sale.moved) or "nothing"
    yield f"    answered {sale.status}; moved {moved}"
    yield f"    settled {sale.transaction} ({confirmed[sale.is_settled]})"
    yield f"    signature {sale.signature}" + (
        f", by the criteria of {sale.signed_for}" if sale.signed_for else ""
    )


def _book_lines(rows: Sequence[Mapping[str, Any]], mismatches: Sequence[str]) -> Iterator[str]:
    yield "ledger"
    for row in rows:
        yield f"    {row['id']:>3}  {row['operation']:<22} {row['units']:>6}  {row['network']}  {row['transaction']}"
    yield (
        "    it matches the settled payments one to one"
        if not mismatches
        else f"    mismatches: {', '.join(mismatches)}"
    )


def _node_option(name: str, words: str) -> Callable[[Any], Any]:
    default = f"http://127.0.0.1:{PORTS[name]}"
    return click.option(f"--{name}-url", metavar="URL", default=default, show_default=True, help=words)


def _tell(line: str) -> None:
    print_error(f"assay: sandbox: {line}")


@click.command(
    "pay",
    epilog="Exit codes: 0 answered, and settled where it had to be paid; 1 answered otherwise; 2 not called or not paid.",
)
@click.argument("url")
@click.option(
    "--data", metavar="JSON|@FILE", help="Post this; without it the resource is got. `@-` is standard input."
)
@click.option(
    "--network", metavar="ID", help="Pay on this network alone, such as `eip155:84532`; on any otherwise."
)
@_node_option("chain", "The Ethereum node to ask for balances.")
@_node_option("solana", "The Solana node to pay through and to ask for balances.")
@click.option("--json", "as_json", is_flag=True, help="Print what was offered, answered and moved as JSON.")
@click.pass_context
def _pay(context: click.Context, /, url: str, *, as_json: bool, **values: Any) -> None:  # noqa: ANN401  (click's parameters)
    """Pay a resource on this machine with the official client.

    Prints the offer, the answer, the receipt, and what moved. It pays up to a dollar, from an account that has money in a
    running sandbox only, and refuses addresses of other machines.
    """
    _prepare()
    from assay402.sandbox import payer  # noqa: PLC0415  (heavy)

    data = values["data"]
    call = payer.Call(url=url, body=None if data is None else _data(data))
    nodes = payer.Nodes(evm_url=values["chain_url"], solana_url=values["solana_url"])
    exchange = payer.pay(call, nodes, values["network"])
    if as_json:
        print_bytes(published_line(_published(exchange)))
    else:
        print_lines(_lines(exchange))
    is_paid = exchange.payment is None or (exchange.receipt or {}).get("success") is True
    context.exit(0 if exchange.status < _CLIENT_ERROR and is_paid else 1)


def _data(given: str) -> bytes:
    if not given.startswith("@"):
        return given.encode(errors="surrogateescape")
    source = read_source(SourceFile().convert(given[1:], None, click.get_current_context()), _MAX_DATA)
    if isinstance(source, Refusal):
        raise TheirError("file_too_long", length=source.length or 0, cap=_MAX_DATA)
    return source


def _body(exchange: "Exchange") -> JSON:
    try:
        return read(exchange.body)
    except JSONUnreadable:
        return exchange.body.decode(errors="replace")


def _published(exchange: "Exchange") -> dict[str, JSON]:
    return {
        "offer": exchange.offer,
        "payment": exchange.payment,
        "status": exchange.status,
        "headers": [list(each) for each in exchange.headers],
        "body": _body(exchange),
        "receipt": exchange.receipt,
        "settled": exchange.is_settled,
        "balances": [
            {"account": each.account, "before": str(each.before), "after": str(each.after)}
            for each in exchange.balances
        ],
    }


def _lines(exchange: "Exchange") -> Iterator[str]:
    """Say it for a person. Names and numbers of the resource are foreign, so nothing in them reaches the terminal but text."""
    offered = exchange.offer.get("accepts") if isinstance(exchange.offer, dict) else None
    for each in offered if isinstance(offered, list) else ():
        if isinstance(each, dict):
            said = " ".join(str(each.get(name)) for name in ("amount", "asset", "network", "payTo"))
            yield f"offer     {plain(said)}"
    yield f"answer    {exchange.status}, {len(exchange.body)} bytes"
    yield from (f"          {plain(line)}" for line in exchange.body.decode(errors="replace").splitlines())
    receipt = exchange.receipt if isinstance(exchange.receipt, dict) else {}
    if receipt:
        told = {True: "confirmed by the chain", False: "unknown to the chain", None: "no chain was asked"}
        outcome = "settled" if receipt.get("success") is True else "not settled"
        said = " ".join(
            str(receipt[name]) for name in ("transaction", "network", "errorReason") if receipt.get(name)
        )
        yield f"receipt   {outcome}: {plain(said)} ({told[exchange.is_settled]})"
    for balances in exchange.balances:
        moved = balances.after - balances.before
        yield f"balance   {plain(balances.account)} {balances.before} -> {balances.after} ({moved:+d})"


def sandbox() -> click.Group:
    """Make the group."""
    return _Sandbox()
