"""What the tests of the store are given."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.databases import MISSING, Place, PostgreSQL, postgresql_server


@pytest.fixture(scope="session")
def server() -> Iterator[PostgreSQL]:
    """Run one PostgreSQL for all tests, or skip by name where it is not installed."""
    if MISSING:
        pytest.skip(f"not installed: {', '.join(MISSING)} (extra `interop`)")
    with postgresql_server() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Give a database of either kind with its tables and nothing in them."""
    if request.param == "sqlite":
        return Place(f"sqlite:{tmp_path / 'assay.sqlite3'}")
    running: PostgreSQL = request.getfixturevalue("server")
    return running.database()


@pytest.fixture(params=["sqlite", "postgresql"])
def bare(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Give a place without tables."""
    if request.param == "sqlite":
        return Place(f"sqlite:{tmp_path / 'bare.sqlite3'}")
    server: PostgreSQL = request.getfixturevalue("server")
    return server.database(has_tables=False)
