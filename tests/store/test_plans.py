"""What the statements of the paid path cost SQLite, by its own account."""

import asyncio
import re
from pathlib import Path

import pytest

from assay402.store import placing, sql_free_tier, sql_ledger, sql_payments
from assay402.store.opening import open_store
from assay402.store.sqlite import connect

STATEMENTS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": value
    for module in (sql_payments, sql_ledger, sql_free_tier, placing)
    for name, value in vars(module).items()
    if isinstance(value, str) and value.startswith(("SELECT ", "INSERT ", "UPDATE ", "DELETE "))
}
WHOLE = {"_GATE_WITHOUT_LEDGER", "_LEDGER_WITHOUT_GATE", "_DIFFERS", "_ABOUT_UNKNOWN", "_GAP"}
"""Statements of `assay ledger verify`, which looks at every row."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an empty database."""
    path = tmp_path_factory.mktemp("plans") / "assay.sqlite3"

    async def make() -> None:
        await (await open_store(f"sqlite:{path}")).close()

    asyncio.run(make())
    return path


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_goes_by_an_index_and_builds_no_table_of_its_own(file: Path, name: str) -> None:
    """A past defect: a list with IN in a condition of the tables made every change of a row fifteen times as dear."""
    sql = re.sub(r"\$([0-9]+)", r"?\1", STATEMENTS[name])
    given = [None] * max([0, *map(int, re.findall(r"\?([0-9]+)", sql))])
    connection = connect(file)
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", given)]
    program = [row[1] for row in connection.execute(f"EXPLAIN {sql}", given)]
    connection.close()
    if name.rpartition(".")[2] not in WHOLE:
        assert not [step for step in plan if step.startswith("SCAN")]
    if sql.startswith(("INSERT ", "UPDATE ")):
        # One for the rows it returns, and no other.
        assert program.count("OpenEphemeral") <= 1


def test_the_payment_of_a_ledger_row_is_found_by_an_index_of_its_own(file: Path) -> None:
    """We demand it: each settlement looks for others of its transaction, and for the payments of those."""
    connection = connect(file)
    sql = re.sub(r"\$([0-9]+)", r"?\1", STATEMENTS["placing._NAMES"])
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", ["n", "t"])]
    connection.close()
    assert [step.partition(" USING ")[0] for step in plan] == ["SEARCH l", "SEARCH p"]
    assert plan[0].endswith("INDEX ledger_transaction (network=? AND <expr>=?)")
    assert plan[1].endswith("(ledger_id=?) LEFT-JOIN") or plan[1].endswith("(ledger_id=?)")


def test_the_statements_are_all_there() -> None:
    assert len(STATEMENTS) > 25
