"""The closed lists of fields: adding one is a version change, so it must be written down here on purpose."""

from pathlib import Path

from msgspec import Struct

from assay402.cli.ledger_rows import FIELDS
from assay402.service.ports import Entry, KeptAnswer, LedgerRow, PaymentRow, Value
from assay402.store.rows import ANSWER, LEDGER, PAYMENT
from store.databases import Place

TABLES = {
    "schema_version": "version_num",
    "ledger_head": "id last",
    "ledger": "id about kind operation payer recorded_at network asset units rate rate_date basis cad_pending refund"
    " transaction_id fee_lamports criteria_version report_line summary carrier program verdict counts house"
    " transfer",
    "payers": "payer",
    "payments": "key payload_sha256 payer payment_id idempotency_key operation accepted valid_before state fence"
    " lease_until claimed_at settled_at transaction_id reruns entry ledger_id"
    " transfer",
    "answers": "id scope operation request_sha256 idempotency_key payment_key body headers bearer_sha256 kept_at",
    "free_calls": "bucket day calls last_ms",
    "free_days": "day shard calls",
}


def names(kind: type[Struct]) -> str:
    return " ".join(kind.__struct_fields__)


def test_the_tables_have_these_columns_and_no_other(tmp_path: Path) -> None:
    place = Place(f"sqlite:{tmp_path / 'a.sqlite3'}")
    tables = [row[0] for row in place.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = {
        table: " ".join(row[0] for row in place.rows(f"SELECT name FROM pragma_table_info('{table}')"))
        for table in tables
    }
    assert found == TABLES


def test_the_rows_have_these_fields_and_no_other() -> None:
    """The contract `dialect-check`, custody.ledger_closed_fields, and the decisions on the other rooms' ledger."""
    assert names(LedgerRow) == (
        "id about kind operation payer recorded_at network asset units value transaction fee_lamports entry house"
    )
    assert names(Value) == "rate rate_date basis cad_pending refund"
    assert names(Entry) == "criteria_version report_line summary carrier program verdict counts"
    assert names(PaymentRow) == PAYMENT.replace(",", "").replace("transaction_id", "transaction")
    assert names(KeptAnswer) == ANSWER.replace(",", "")


def test_the_columns_that_are_written_are_all_there_are() -> None:
    """What the gate has beside its row is the ledger's words until they are in the ledger, and then the row's id.

    Both hold the name of the transfer: what both say already, and its place in its transaction. It is never told.
    """
    assert LEDGER.replace(",", "") + " transfer" == TABLES["ledger"]
    assert PAYMENT.replace(",", "") + " entry ledger_id transfer" == TABLES["payments"]


def test_an_export_has_the_columns_of_the_ledger_and_the_day() -> None:
    columns = TABLES["ledger"].removesuffix(" transfer").replace("transaction_id", "transaction").split()
    columns.insert(columns.index("recorded_at") + 1, "day")
    assert list(FIELDS) == columns
