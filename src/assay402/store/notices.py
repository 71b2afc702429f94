"""What the store's codes mean and what to do about them. Nothing heavy is imported here: the command line reads it."""

from collections.abc import Mapping
from typing import Final

from assay402.core.errors import Notice

_REASONS: Final = ("locked", "full", "read_only", "gone", "failed")


def store_code(error: Exception) -> str:
    """Give the code of a `StoreUnavailable`, by the one word it carries."""
    reason = error.args[0] if error.args else None
    return f"store_{reason}" if reason in _REASONS else "store_unavailable"


NOTICES: Mapping[str, Notice] = {
    "store_locked": Notice(
        "Another process holds the database for longer than is waited.",
        "Nothing half-done remains. Wait until it is done, then try again.",
    ),
    "store_full": Notice(
        "There is no room left for the database.", "Nothing half-done remains. Make room, then try again."
    ),
    "store_read_only": Notice(
        "The database can be read and not written.",
        "Nothing half-done remains. Let the user that runs the service write the file and its folder, mount the disk"
        " for writing, or name the server that takes changes in ASSAY_DATABASE (--database).",
    ),
    "store_gone": Notice(
        "The database cannot be opened, or its server does not answer or does not let us in.",
        "Look at the setting ASSAY_DATABASE (--database), and whether the file or the server is there.",
    ),
    "store_failed": Notice(
        "The database refused what was asked of it.", "Nothing half-done remains. `assay db check` says more."
    ),
    "database_folder": Notice(
        "The folder of the SQLite file is not there.",
        "Make it, or mend the path after `sqlite:` in ASSAY_DATABASE (--database): only the data directory is made.",
    ),
    "store_unavailable": Notice(
        "The database cannot be read or written now: locked, full, read-only or gone.",
        "Nothing half-done remains. Look at the disk or the server, then try again.",
    ),
    "database_address": Notice(
        "The address of the database is none.", "Use `sqlite`, `sqlite:PATH` or `postgresql://…`."
    ),
    "database_missing": Notice(
        "There is no database at this place.",
        "Name it with --database or --data-dir; `assay serve` makes one when it first starts.",
    ),
    "database_packages": Notice(
        "The packages for this database or command are not installed.",
        "Install them: `pip install 'assay402[service]'`.",
    ),
    "sqlite_version": Notice(
        "The SQLite of this Python is older than 3.35.", "Use a newer Python, or PostgreSQL."
    ),
    "schema_missing": Notice(
        "The database has no tables of this service.", "Make them: `assay db upgrade --database ADDRESS`."
    ),
    "schema_behind": Notice(
        "The tables are older than this release.", "Bring them up to date: `assay db upgrade`."
    ),
    "schema_ahead": Notice(
        "The tables are newer than this release can work with.", "Install the release that made them."
    ),
    "schema_locked": Notice(
        "Another process is changing the tables.", "Wait until it is done, then try again."
    ),
    "ledger_row_unknown": Notice(
        "The ledger has no payment with this id.", "`assay ledger list` shows the ids."
    ),
    "refund_too_large": Notice(
        "The refunds of a payment would be more than was paid, or nothing.",
        "Give at most what is left of it, in atomic units.",
    ),
    "rate_known": Notice(
        "The row has a rate already.", "A row is valued once; nothing was added for this one."
    ),
    "rates_unavailable": Notice(
        "The publisher of the rates did not give any.",
        "Try again later, or type a rate in: `assay ledger rates --rate RATE --date DAY`.",
    ),
    "parquet_package": Notice(
        "Parquet needs the package pyarrow, which is not installed.",
        "Install it (`pip install pyarrow`), or export csv or jsonl.",
    ),
}
