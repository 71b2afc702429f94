"""Writes the SQL between two versions; alembic runs this file. Our own drivers execute what it writes.

Alembic's own connections would need another driver for PostgreSQL, and a lock of ours around them.
"""

from alembic import context

from assay402.store.versions import VERSION_TABLE

# The transaction is begun and committed by whoever executes the SQL.
context.configure(
    dialect_name=context.config.get_main_option("dialect"),
    version_table=VERSION_TABLE,
    transactional_ddl=False,
)
context.run_migrations()
