"""The envelope of a local run: nobody pays, nobody is identified, and each run has an id of its own."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import uuid4

from msgspec.structs import replace

from assay402.core.asks import Answer, Answerer, Ask, At, Failed, Now
from assay402.core.errors import OurError
from assay402.core.opinions import Envelope, Enveloped, Judge


def local_envelope(moment: datetime, idempotency_key: str | None = None) -> Enveloped:
    """Give the envelope of one run on this machine."""
    request_id = str(uuid4())
    return Enveloped(
        request_id=request_id,
        nonce=uuid4().hex,
        moment=moment,
        actor_id="local",
        tenant_id="local",
        tenant_model="PILOT_USER_ISOLATION",
        credential_id=None,
        idempotency_key=idempotency_key or request_id,
        payment_context_hash=None,
        payment_status="PILOT_KEY_NO_PAYMENT",
        billable=False,
        billing_reason="LOCAL_ENGINE_NOT_METERED",
    )


def with_judge(given: Any) -> Any:  # noqa: ANN401  (an admitted request of whichever room asks judges)
    """Give an admitted request with the wish that a judge be asked."""
    return replace(given, judged=True)


def local(clock: Callable[[], datetime], judge: Answerer | None = None) -> Answerer:
    """Make an answerer for work without a network: it tells the time, gives local envelopes and passes judges on."""

    def answerer(ask: Ask) -> Answer:
        match ask:
            case Now():
                return At(moment=clock())
            case Envelope():
                return local_envelope(clock())
            case Judge():
                return judge(ask) if judge is not None else Failed(state="unreachable")
        raise OurError("internal")

    return answerer
