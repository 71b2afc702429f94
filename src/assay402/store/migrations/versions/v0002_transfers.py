"""Each transfer is counted once."""

from alembic import op

from assay402.store.versions import statements

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Name the transfers, and let none be named twice."""
    for statement in statements("0002_transfers.sql"):
        op.execute(statement)
