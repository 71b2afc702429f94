"""How values of the ports stand in columns, and come back."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import msgspec

from assay402.service.ports import Entry, KeptAnswer, LedgerRow, PaymentRow, PaymentState, Value

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
DAY_MS: Final = 86_400_000

PAYMENT: Final = (
    "key, payload_sha256, payer, payment_id, idempotency_key, operation, accepted, valid_before, state, fence,"
    " lease_until, claimed_at, settled_at, transaction_id, reruns"
)
ANSWER: Final = "id, scope, operation, request_sha256, idempotency_key, payment_key, body, headers, bearer_sha256, kept_at"
LEDGER: Final = (
    "id, about, kind, operation, payer, recorded_at, network, asset, units, rate, rate_date, basis, cad_pending,"
    " refund, transaction_id, fee_lamports, criteria_version, report_line, summary, carrier, program, verdict, counts,"
    " house"
)


def milliseconds(moment: datetime) -> int:
    """Count the milliseconds of a moment since 1970 in UTC; parts of one are dropped."""
    return (moment - _EPOCH) // _MILLISECOND


def moment(count: int) -> datetime:
    """Give the moment of a count of milliseconds."""
    return _EPOCH + count * _MILLISECOND


def midnight(day: date) -> int:
    """Count the milliseconds of the begin of a day in UTC."""
    return milliseconds(datetime(day.year, day.month, day.day, tzinfo=UTC))


def entry_text(entry: Entry) -> str:
    """Write what the ledger may say of the work; its closed fields and nothing else."""
    return msgspec.json.encode(entry).decode()


def entry_of(text: str | None) -> Entry:
    """Read what the ledger may say of the work."""
    return Entry() if text is None else msgspec.json.decode(text, type=Entry)


def payment_row(row: Sequence[Any]) -> PaymentRow:
    """Read a row of the columns `PAYMENT`."""
    return PaymentRow(
        key=row[0],
        payload_sha256=row[1],
        payer=row[2],
        payment_id=row[3],
        idempotency_key=row[4],
        operation=row[5],
        accepted=row[6],
        valid_before=moment(row[7]),
        state=PaymentState(row[8]),
        fence=row[9],
        lease_until=moment(row[10]),
        claimed_at=moment(row[11]),
        settled_at=None if row[12] is None else moment(row[12]),
        transaction=row[13],
        reruns=row[14],
    )


def answer_columns(answer: KeptAnswer) -> tuple[object, ...]:
    """Write an answer in the order of `ANSWER`."""
    return (
        answer.id,
        answer.scope,
        answer.operation,
        answer.request_sha256,
        answer.idempotency_key,
        answer.payment_key,
        answer.body,
        msgspec.json.encode(answer.headers).decode(),
        answer.bearer_sha256,
        milliseconds(answer.kept_at),
    )


def kept_answer(row: Sequence[Any]) -> KeptAnswer:
    """Read a row of the columns `ANSWER`."""
    return KeptAnswer(
        id=row[0],
        scope=row[1],
        operation=row[2],
        request_sha256=row[3],
        idempotency_key=row[4],
        payment_key=row[5],
        body=bytes(row[6]),
        headers=msgspec.json.decode(row[7], type=tuple[tuple[str, str], ...]),
        bearer_sha256=row[8],
        kept_at=moment(row[9]),
    )


def ledger_columns(row: LedgerRow) -> tuple[object, ...]:
    """Write a row in the order of `LEDGER`."""
    value, entry = row.value, row.entry
    return (
        row.id,
        row.about,
        row.kind,
        row.operation,
        row.payer,
        milliseconds(row.recorded_at),
        row.network,
        row.asset,
        str(row.units),
        value.rate,
        None if value.rate_date is None else value.rate_date.isoformat(),
        value.basis,
        value.cad_pending,
        value.refund,
        row.transaction,
        row.fee_lamports,
        entry.criteria_version,
        entry.report_line,
        entry.summary,
        entry.carrier,
        entry.program,
        entry.verdict,
        None if entry.counts is None else msgspec.json.encode(entry.counts).decode(),
        row.house,
    )


def ledger_row(row: Sequence[Any]) -> LedgerRow:
    """Read a row of the columns `LEDGER`."""
    return LedgerRow(
        id=row[0],
        about=row[1],
        kind=row[2],
        operation=row[3],
        payer=row[4],
        recorded_at=moment(row[5]),
        network=row[6],
        asset=row[7],
        units=int(row[8]),
        value=Value(
            rate=row[9],
            rate_date=None if row[10] is None else date.fromisoformat(row[10]),
            basis=row[11],
            cad_pending=bool(row[12]),
            refund=bool(row[13]),
        ),
        transaction=row[14],
        fee_lamports=row[15],
        entry=Entry(
            criteria_version=row[16],
            report_line=row[17],
            summary=row[18],
            carrier=row[19],
            program=row[20],
            verdict=row[21],
            counts=None if row[22] is None else msgspec.json.decode(row[22], type=dict[str, int]),
        ),
        house=bool(row[23]),
    )


def placeholders(columns: str) -> str:
    """Give `$1, $2` and so on, one for each of the columns."""
    return ", ".join(f"${number}" for number in range(1, columns.count(",") + 2))
