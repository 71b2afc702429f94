"""The first tables."""

from alembic import op

from assay402.store.versions import statements

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make them."""
    for statement in statements("0001_first.sql"):
        op.execute(statement)
