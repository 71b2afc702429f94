"""Which of two records is the later one."""

from assay402.checks.claims.reading.records import Record

_CLOCK = 8
"""Characters of a time of day without a date."""


def is_later(one: Record, other: Record) -> bool:
    """Tell whether one record is newer than another: by their times, else by their lines within one log."""
    if len(one.moment) >= _CLOCK and len(one.moment) == len(other.moment) and one.moment != other.moment:
        return one.moment > other.moment and (len(one.moment) > _CLOCK or one.item is other.item)
    return (
        one.item is other.item
        and one.order > other.order
        and one.item.kind in ("log", "paste")
        and one.form != "row"
    )
