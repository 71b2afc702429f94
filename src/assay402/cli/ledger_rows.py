"""A row of the ledger as it is exported: the same fields in the same order in every format."""

import csv
import io
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

import msgspec

from assay402.core.errors import TheirError
from assay402.service.ports import LedgerRow

Format: TypeAlias = Literal["csv", "jsonl", "parquet"]
FIELDS: Final = (
    "id",
    "about",
    "kind",
    "operation",
    "payer",
    "recorded_at",
    "day",
    "network",
    "asset",
    "units",
    "rate",
    "rate_date",
    "basis",
    "cad_pending",
    "refund",
    "transaction",
    "fee_lamports",
    "criteria_version",
    "report_line",
    "summary",
    "carrier",
    "program",
    "verdict",
    "counts",
    "house",
)
"""The columns of an export, closed like the ledger itself."""
CHUNK: Final = 500
"""Rows that are written at once, which bounds what is held in memory."""
Sink: TypeAlias = Callable[[bytes], None]


def exported(row: LedgerRow) -> dict[str, Any]:
    """Give a row as plain values. Units are text: they may exceed what a spreadsheet or a 64-bit reader takes."""
    value, entry = row.value, row.entry
    return {
        "id": row.id,
        "about": row.about,
        "kind": row.kind,
        "operation": row.operation,
        "payer": row.payer,
        "recorded_at": stamp(row.recorded_at),
        "day": row.recorded_at.date().isoformat(),
        "network": row.network,
        "asset": row.asset,
        "units": str(row.units),
        "rate": value.rate,
        "rate_date": None if value.rate_date is None else value.rate_date.isoformat(),
        "basis": value.basis,
        "cad_pending": value.cad_pending,
        "refund": value.refund,
        "transaction": row.transaction,
        "fee_lamports": row.fee_lamports,
        "criteria_version": entry.criteria_version,
        "report_line": entry.report_line,
        "summary": entry.summary,
        "carrier": entry.carrier,
        "program": entry.program,
        "verdict": entry.verdict,
        "counts": None if entry.counts is None else dict(sorted(entry.counts.items())),
        "house": row.house,
    }


def stamp(moment: datetime) -> str:
    """Write a moment in UTC to the millisecond."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


async def export(rows: AsyncIterator[LedgerRow], kind: Format, sink: Sink, out: str | None) -> int:
    """Write the rows to the sink, or as Parquet to the file; gives how many there were.

    Raises:
        TheirError: `parquet_package`.

    """
    if kind == "parquet":
        return await _parquet(rows, out or "")
    writing = _csv_lines if kind == "csv" else _json_lines
    if kind == "csv":
        sink(_csv_lines([], header=True))
    count = 0
    async for chunk in _chunks(rows):
        sink(writing(chunk))
        count += len(chunk)
    return count


async def _chunks(rows: AsyncIterator[LedgerRow]) -> AsyncIterator[list[dict[str, Any]]]:
    chunk = []
    async for row in rows:
        chunk.append(exported(row))
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _json_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def _csv_lines(rows: Iterable[Mapping[str, Any]], *, header: bool = False) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    if header:
        writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def _cell(value: object) -> object:
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            return msgspec.json.encode(value).decode()
        case _:
            return value


async def _parquet(rows: AsyncIterator[LedgerRow], out: str) -> int:
    try:
        import pyarrow as pa  # noqa: PLC0415  (no package of ours; whoever wants this format installs it)
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise TheirError("parquet_package") from None
    kinds = {
        "id": pa.int64(),
        "about": pa.int64(),
        "fee_lamports": pa.int64(),
        "cad_pending": pa.bool_(),
        "refund": pa.bool_(),
        "house": pa.bool_(),
    }
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in FIELDS])
    count = 0
    with parquet.ParquetWriter(out, schema) as writer:
        async for chunk in _chunks(rows):
            plain = [row | {"counts": _cell(row["counts"])} for row in chunk]
            writer.write_table(pa.Table.from_pylist(plain, schema=schema))
            count += len(chunk)
    return count
