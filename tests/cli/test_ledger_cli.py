"""`assay ledger` and `assay db` as an operator meets them."""

import asyncio
import csv
import io
import json
import sys
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from assay402.cli.main import run as command
from assay402.service.ports import LedgerRow
from assay402.store.opening import Store
from net.test_rates import DOCUMENT, bank
from store.databases import ENTRY, MISSING, NOW, Place, claim, paid, postgresql_server, settle

CANARY = "canary-51c0"
BACK = "0x" + "ba" * 32


class Done(Struct, frozen=True, kw_only=True):
    """What a command ended with."""

    returncode: int
    stdout: bytes
    stderr: bytes


Assay = Callable[..., Done]


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Assay:
    """Give the command, run here: a process for each would take most of the time of these tests."""

    def run(*arguments: str, **environment: str) -> Done:
        capfdbinary.readouterr()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "argv", ["assay", *arguments])
            for name, value in environment.items():
                patched.setenv(name, value)
            with pytest.raises(SystemExit) as ended:
                command()
        written = capfdbinary.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return Done(returncode=code, stdout=written.out, stderr=written.err)

    return run


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Give a ledger of two payments, one of them the operator's own, and a payment in doubt."""
    made = Place(f"sqlite:{tmp_path / 'assay.sqlite3'}")
    made.run(_fill)
    return made


async def _fill(store: Store) -> None:
    await settle(store, claim(1))
    await settle(store, claim(2, operation="claims/diagnose"), replace(paid(2), amount=20_000), house=True)
    await store.payments.claim(claim(3), NOW)


class Books:
    """The ledger of a place, worked on by the command."""

    def __init__(self, assay: Assay, place: Place) -> None:
        self._assay = assay
        self.place = place

    def run(self, *arguments: str) -> Done:
        """Run a command."""
        return self._assay("ledger", *arguments, ASSAY_DATABASE=self.place.address)

    def told(self, *arguments: str) -> Any:
        """Give what a command says in JSON."""
        done = self.run(*arguments, "--json")
        assert done.stderr == b""
        return json.loads(done.stdout)

    def exported(self, *arguments: str) -> list[dict[str, Any]]:
        """Give the rows of an export."""
        done = self.run("export", "--format", "jsonl", *arguments)
        assert (done.returncode, done.stderr) == (0, b"")
        return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def books(assay: Assay, place: Place) -> Books:
    """Give the books of the ledger that was filled."""
    return Books(assay, place)


def test_a_row_is_exported_whole(books: Books) -> None:
    assert books.exported()[0] == {
        "id": 1,
        "about": None,
        "kind": "payment",
        "operation": "dialect/check",
        "payer": "0xpayer",
        "recorded_at": "2026-11-30T12:00:00.000Z",
        "day": "2026-11-30",
        "network": "eip155:8453",
        "asset": "0xusdc",
        "units": "10000",
        "rate": None,
        "rate_date": None,
        "basis": None,
        "cad_pending": True,
        "refund": False,
        "transaction": "0xfeed",
        "fee_lamports": 5,
        "criteria_version": "1.0.0",
        "report_line": "line",
        "summary": "v2",
        "carrier": "both",
        "program": None,
        "verdict": None,
        "counts": None,
        "house": False,
    }


def test_csv_says_what_jsonl_says_and_the_same_each_time(books: Books, tmp_path: Path) -> None:
    done = books.run("export")
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
    assert [row["units"] for row in rows] == ["10000", "20000"]
    assert [row["house"] for row in rows] == ["false", "true"]
    assert list(rows[0]) == list(books.exported()[0])
    file = tmp_path / "out.csv"
    assert books.run("export", "--out", str(file)).stdout == b""
    assert file.read_bytes() == done.stdout == books.run("export").stdout


def test_an_empty_ledger_exports_its_columns_and_no_row(assay: Assay, tmp_path: Path) -> None:
    empty = Place(f"sqlite:{tmp_path / 'empty.sqlite3'}")
    assert empty.rows("SELECT count(*) FROM ledger") == [(0,)]
    assert Books(assay, empty).run("export").stdout.count(b"\n") == 1
    assert Books(assay, empty).exported() == []


def test_days_choose_rows(books: Books) -> None:
    assert books.exported("--since", "2026-12-01") == []
    assert len(books.exported("--since", "2026-11-30", "--until", "2026-12-01")) == 2
    assert books.exported("--until", "2026-11-30") == []
    refused = books.run("export", "--since", CANARY)
    assert refused.returncode == 2
    assert CANARY.encode() not in refused.stderr


def test_a_list_is_for_people_and_its_json_is_the_export(books: Books) -> None:
    lines = books.run("list").stdout.decode().splitlines()
    assert len(lines) == 2
    assert "dialect/check" in lines[0]
    assert lines[1].endswith("house")
    assert [json.loads(line) for line in books.run("list", "--json").stdout.splitlines()] == books.exported()


def test_parquet_holds_what_jsonl_says(books: Books, tmp_path: Path) -> None:
    """Counts are their JSON, as in csv."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="comes with the extra `interop`")
    books.place.run(lambda store: settle(store, claim(4), entry=replace(ENTRY, counts={"met": 2})))
    file = tmp_path / "a.parquet"
    assert books.run("export", "--format", "parquet", "--out", str(file)).returncode == 0
    read = parquet.read_table(file).to_pylist()
    assert [row | {"counts": json.loads(row["counts"] or "null")} for row in read] == books.exported()


def test_parquet_without_its_package_says_what_to_install(
    books: Books, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    done = books.run("export", "--format", "parquet", "--out", str(tmp_path / "a.parquet"))
    assert done.returncode == 2
    assert b"parquet_package" in done.stderr
    assert b"pip install pyarrow" in done.stderr
    assert books.run("export", "--format", "parquet").returncode == 2


def test_the_gate_and_the_ledger_match_until_somebody_meddles(books: Books) -> None:
    assert books.told("verify") == {"matches": True, "mismatches": []}
    assert b"one to one" in books.run("verify").stdout
    books.place.run(
        lambda store: store.database.change(lambda: _do("UPDATE ledger SET payer = '0xother' WHERE id = 2"))
    )
    done = books.run("verify")
    assert (done.returncode, done.stdout) == (1, b"payer_differs 2\n")


def _do(statement: str) -> Any:
    yield statement, ()


def test_a_review_lists_payments_in_doubt(books: Books) -> None:
    found = books.told("review")
    assert (found["payments"], found["refunds"]) == (1, 0)
    assert [each["tripped"] for each in found["tripwires"]] == [False, False, False]
    assert [(each["key"], each["state"]) for each in found["in_doubt"]] == [(claim(3).key, "claimed")]
    assert books.run("review").returncode == 1
    books.place.run(lambda store: store.payments.expire(claim(3).key, 1))
    calm = books.run("review")
    assert (calm.returncode, calm.stdout.count(b"ok ")) == (0, 3)


async def _hand_over(store: Store) -> None:
    for number in (7, 8):
        offer = '{"network":"eip155:8453","amount":"10000","asset":"0xusdc"}'
        doubtful = claim(number, accepted=offer, valid_before=NOW - timedelta(days=400))
        await store.payments.claim(doubtful, NOW - timedelta(days=400))
        await store.payments.keep(doubtful.key, 1, ENTRY, None, NOW - timedelta(days=399), settles=True)
        await store.payments.hand_over(doubtful.key, 1, NOW - timedelta(days=398))


def test_the_operator_resolves_what_nobody_else_can_tell(books: Books) -> None:
    books.place.run(_hand_over)
    moved, not_moved = claim(7).key, claim(8).key
    listed = {each["key"]: each["state"] for each in books.told("review")["in_doubt"]}
    assert listed[moved] == listed[not_moved] == "unresolved"
    for wrong in ((), ("--moved", "0x" + "ab" * 32, "--not-moved"), ("--moved", CANARY)):
        refused = books.run("resolve", moved, *wrong)
        assert refused.returncode == 2
        assert CANARY.encode() not in refused.stdout + refused.stderr
    told = books.told("resolve", moved, "--moved", "0x" + "ab" * 32, "--house")
    assert told == {"key": moved, "state": "settled", "money_moved": False}
    again = books.run("resolve", not_moved, "--moved", "0x" + "AB" * 32)
    assert (again.returncode, b"transaction_counted" in again.stderr) == (2, True)
    assert books.run("resolve", not_moved, "--not-moved", "--log-index", "7").returncode == 2
    assert b"expired. No money was moved" in books.run("resolve", not_moved, "--not-moved").stdout
    last = books.exported()[-1]
    assert (last["transaction"], last["units"], last["house"]) == ("0x" + "ab" * 32, "10000", True)
    assert books.run("verify").returncode == 0
    for key in (moved, "no such key"):
        assert books.run("resolve", key, "--not-moved").returncode == 2


def test_a_refund_is_written_down_and_says_that_no_money_moved(books: Books) -> None:
    done = books.run("refund", "1", "--units", "4000", "--transaction", BACK)
    assert done.returncode == 0
    assert b"No money was moved" in done.stdout
    assert b"MOVES NO MONEY" in books.run("refund", "--help").stdout
    assert books.told("refund", "1", "--units", "6000", "--transaction", BACK) == {
        "id": 4,
        "about": 1,
        "money_moved": False,
    }
    for arguments in (
        ("1", "--transaction", BACK),
        ("9", "--transaction", BACK),
        ("3", "--transaction", BACK),
    ):
        assert books.run("refund", *arguments).returncode == 2
    rows = books.exported()
    assert [(row["kind"], row["about"], row["units"]) for row in rows[2:]] == [
        ("refund", 1, "-4000"),
        ("refund", 1, "-6000"),
    ]
    assert books.told("review")["tripwires"][0]["tripped"]
    assert books.told("verify")["matches"]


@pytest.mark.parametrize(
    "transaction", ["", "0x", "canary", "0x" + "g" * 64, "0x" + "ba" * 31, "\x1b[31m0x", " 0x" + "ba" * 32]
)
def test_a_refund_names_a_transaction_of_the_payments_network(books: Books, transaction: str) -> None:
    done = books.run("refund", "1", "--transaction", transaction)
    assert (done.returncode, b"transaction_invalid" in done.stderr) == (2, True)
    assert b"canary" not in done.stderr
    assert len(books.exported()) == 2


def test_a_list_obeys_nothing_that_stands_in_a_row(books: Books) -> None:
    books.place.run(
        lambda store: store.database.change(
            lambda: _do("UPDATE ledger SET payer = '0x' || char(27) || '[31mred' WHERE id = 2")
        )
    )
    listed = books.run("list").stdout
    assert b"\x1b" not in listed
    assert b"red" in listed


def test_a_wrong_report_is_written_down_and_trips(books: Books) -> None:
    assert books.told("wrong", "1") == {"id": 3, "about": 1}
    assert b"found wrong" in books.run("wrong", "1").stdout
    assert b"TRIPPED  wrong_reports: 2 found wrong" in books.run("review").stdout
    assert books.run("wrong", "3").returncode == 2


def test_rates_of_the_bank_value_what_waits(books: Books) -> None:
    """The payments are of the 30th, which has no rate in the copy until the next day is published."""
    with bank(200, json.dumps(DOCUMENT).encode()) as (url, asked):
        assert books.told("rates", "--url", url) == {"valued": 0, "pending": 2}
    assert "start_date=2026-11-20" in asked[0]
    later = {"observations": [*DOCUMENT["observations"][:2], {"d": "2026-11-30", "FXUSDCAD": {"v": "1.4"}}]}
    with bank(200, json.dumps(later).encode()) as (url, asked):
        assert books.told("rates", "--url", url) == {"valued": 2, "pending": 0}
        assert books.told("rates", "--url", url) == {"valued": 0, "pending": 0}
    # Nothing waits, so nobody is asked.
    assert len(asked) == 1
    valued = books.exported("--valued")
    assert [(row["rate"], row["rate_date"], row["basis"], row["cad_pending"]) for row in valued] == [
        ("1.4", "2026-11-30", "bank_of_canada", False)
    ] * 2
    assert [row["kind"] for row in books.exported()] == ["payment", "payment", "rate", "rate"]
    assert books.exported()[0]["cad_pending"]


def test_a_bank_without_rates_changes_nothing(books: Books) -> None:
    with bank(503, b"") as (url, _):
        done = books.run("rates", "--url", url)
    assert done.returncode == 2
    assert b"rates_unavailable" in done.stderr
    assert len(books.exported()) == 2


def test_a_typed_rate_values_the_rows_of_one_day(books: Books) -> None:
    typed = ("--rate", "1.3942", "--date", "2026-11-27")
    assert books.told("rates", *typed) == {"valued": 0, "pending": 2}
    assert books.told("rates", *typed, "--for", "2026-11-30") == {"valued": 2, "pending": 0}
    row = books.exported("--valued")[0]
    assert (row["rate"], row["rate_date"], row["basis"]) == ("1.3942", "2026-11-27", "typed_in")
    for wrong in (("--rate", "1.39"), ("--date", "2026-11-27"), ("--for", "2026-11-27")):
        assert books.run("rates", *wrong).returncode == 2
    refused = books.run("rates", "--rate", CANARY, "--date", "2026-11-27")
    assert refused.returncode == 2
    assert CANARY.encode() not in refused.stderr + refused.stdout


def test_a_database_that_is_not_there_is_not_made_by_asking(assay: Assay, tmp_path: Path) -> None:
    address = f"sqlite:{tmp_path / CANARY / 'none.sqlite3'}"
    for words in (("ledger", "list"), ("ledger", "verify"), ("db", "current"), ("db", "check")):
        done = assay(*words, "--database", address)
        assert done.returncode == 2
        assert b"database_missing" in done.stderr
        assert CANARY.encode() not in done.stderr
    assert not (tmp_path / CANARY).exists()


def test_an_address_with_a_password_is_never_shown(assay: Assay, tmp_path: Path) -> None:
    for address in (f"postgresql://u:{CANARY}@127.0.0.1:1/x", f"mysql://{CANARY}"):
        for words in (("ledger", "list"), ("db", "upgrade"), ("db", "check")):
            done = assay(*words, ASSAY_DATABASE=address, ASSAY_DATA_DIR=str(tmp_path))
            assert done.returncode == 2
            assert CANARY.encode() not in done.stderr + done.stdout


def test_the_database_of_the_file_of_settings_is_the_one_that_is_worked_on(
    assay: Assay, tmp_path: Path
) -> None:
    file, place = tmp_path / "assay.toml", tmp_path / "books" / "own.sqlite3"
    file.write_text(f'database = "sqlite:{place}"\ndata_dir = "{tmp_path / "data"}"\n')
    elsewhere = {"XDG_DATA_HOME": str(tmp_path / "home")}
    place.parent.mkdir()
    assert assay("db", "upgrade", ASSAY_SETTINGS=str(file), **elsewhere).returncode == 0
    assert place.is_file()
    for words in (("db", "check"), ("db", "current"), ("ledger", "list"), ("ledger", "verify")):
        assert assay(*words, "--settings", str(file), **elsewhere).returncode == 0
    assert list(tmp_path.rglob("*.sqlite3")) == [place]
    other = f"sqlite:{tmp_path / 'other.sqlite3'}"
    assert assay("db", "upgrade", "--database", other, ASSAY_SETTINGS=str(file)).returncode == 0
    assert (tmp_path / "other.sqlite3").is_file()


def test_a_folder_that_somebody_named_is_not_made(assay: Assay, tmp_path: Path) -> None:
    done = assay("db", "upgrade", "--database", f"sqlite:{tmp_path / 'mistyped' / 'a.db'}")
    assert (done.returncode, b"database_folder" in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_is_not_there_is_said_to_be_gone(assay: Assay) -> None:
    done = assay("db", "current", "--database", "postgresql://u:secret@127.0.0.1:1/none")
    assert (done.returncode, b"store_gone" in done.stderr) == (2, True)
    assert b"full" not in done.stderr
    assert b"secret" not in done.stderr


def test_a_file_that_cannot_be_written_is_named(books: Books, tmp_path: Path) -> None:
    out = str(tmp_path / "nowhere" / "x.csv")
    done = books.run("export", "--out", out)
    assert (done.returncode, out.encode() in done.stderr) == (2, True)


def test_the_books_open_while_the_service_could_not_start(assay: Assay, place: Place) -> None:
    done = assay("ledger", "list", ASSAY_DATABASE=place.address, ASSAY_PAYMENTS="required")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2)
    unknown = assay("ledger", "list", ASSAY_DATABASE=place.address, ASSAY_DATABASSE="x")
    assert (unknown.returncode, b"ASSAY_DATABASSE" in unknown.stderr) == (2, True)


def test_tables_are_made_shown_and_checked(assay: Assay, tmp_path: Path) -> None:
    place = {"ASSAY_DATA_DIR": str(tmp_path / "data")}
    made = assay("db", "upgrade", **place)
    assert (made.returncode, made.stdout) == (0, b"The tables now have version 0002; before: none.\n")
    assert assay("db", "upgrade", **place).stdout == b"The tables are up to date: version 0002.\n"
    assert json.loads(assay("db", "upgrade", "--json", **place).stdout) == {"before": "0002", "after": "0002"}
    assert assay("db", "current", **place).stdout == b"current: 0002\nwanted:  0002\n"
    assert json.loads(assay("db", "current", "--json", **place).stdout)["wanted"] == "0002"
    assert assay("db", "check", **place).returncode == 0


def test_tables_that_do_not_fit_fail_the_check(assay: Assay, tmp_path: Path) -> None:
    place = Place(f"sqlite:{tmp_path / 'a.sqlite3'}")
    place.run(
        lambda store: store.database.change(lambda: _do("UPDATE schema_version SET version_num = '0000'"))
    )
    done = assay("db", "check", "--database", place.address)
    assert done.returncode == 1
    assert b"schema_behind" in done.stderr
    assert assay("ledger", "list", "--database", place.address).returncode == 2


def test_tables_that_are_too_new_are_said_to_be_by_every_command(assay: Assay, tmp_path: Path) -> None:
    place = Place(f"sqlite:{tmp_path / 'a.sqlite3'}")
    place.run(
        lambda store: store.database.change(lambda: _do("UPDATE schema_version SET version_num = '0009'"))
    )
    for words, status in ((("db", "upgrade"), 2), (("db", "check"), 1), (("ledger", "list"), 2)):
        done = assay(*words, "--database", place.address)
        assert (done.returncode, b"schema_ahead" in done.stderr) == (status, True)


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_the_commands_work_on_postgresql(assay: Assay) -> None:
    with postgresql_server() as server:
        place = server.database(has_tables=False)
        assert assay("db", "check", "--database", place.address).returncode == 1
        assert assay("db", "upgrade", "--database", place.address).returncode == 0
        assert assay("db", "check", "--database", place.address).returncode == 0
        place.run(_fill)
        books = Books(assay, place)
        assert books.told("rates", "--rate", "1.4", "--date", "2026-11-30") == {"valued": 2, "pending": 0}
        assert books.told("verify")["matches"]
        assert len(books.exported("--valued")) == 2


def test_an_export_holds_few_rows_in_memory(books: Books) -> None:
    """Rows are read and written in chunks: the export of many needs no more of them at once."""
    from assay402.cli.ledger_rows import CHUNK, export  # noqa: PLC0415  (the part that is the subject)

    first = books.place.run(_rows)[0]
    written: list[bytes] = []
    waiting = 0

    async def many() -> AsyncIterator[LedgerRow]:
        nonlocal waiting
        for number in range(3 * CHUNK + 1):
            waiting = max(waiting, number - CHUNK * (len(written) - 1))
            yield replace(first, id=number + 1)

    assert asyncio.run(export(many(), "csv", written.append, None)) == 3 * CHUNK + 1
    assert waiting <= CHUNK
    assert b"".join(written).count(b"\n") == 3 * CHUNK + 2


async def _rows(store: Store) -> list[LedgerRow]:
    return [row async for row in store.ledger.rows(None, None)]


def test_prune_deletes_who_called_once_its_time_is_over_and_nothing_else(assay: Assay, place: Place) -> None:
    async def called(store: Store) -> int:
        for each in range(3):
            assert await store.free_tier.take(f"call:{each}", NOW.replace(year=2020), 9, 0)
        assert await store.free_tier.take("call:now", NOW.replace(year=2090), 9, 0)
        return len([row async for row in store.ledger.rows(None, None)])

    booked = place.run(called)
    assert booked > 0
    where = ("--database", place.address)
    assert assay("db", "prune", *where).stdout == b"Deleted: 3 of the free calls' rows.\n"
    assert json.loads(assay("db", "prune", "--json", *where).stdout) == {"free_calls": 0}

    async def left(store: Store) -> tuple[int, int]:
        rows = [row async for row in store.ledger.rows(None, None)]
        return len(rows), (await store.database.read("SELECT count(*) FROM free_calls"))[0][0]

    assert place.run(left) == (booked, 1)
