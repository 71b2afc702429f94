"""The time of this machine, for whoever answers `Now`."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Tell the time, in UTC."""
    return datetime.now(UTC)
