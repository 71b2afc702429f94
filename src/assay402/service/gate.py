"""The state table of a payment: what happens to it in every state, and what to do about it. Pure.

Nothing here reads a clock, a row or a chain. `orders` asks `step` what an event means in the state a row has, does
what the action says, and moves the row with one compare-and-set; whoever loses that race stands aside and reads the
table again for the row as it has become.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final

from msgspec import Struct

from assay402.service.ports import PaymentState

RERUNS: Final = 3
"""Times the work of a settled payment is done anew in a room that keeps nothing."""
RERUN_SECONDS: Final = 600
"""Until when after the settlement; a settled payment is public on its chain, and having it proves nothing."""
MARGIN_SECONDS: Final = 120
"""After an authorization ran out, until an unused one counts as never to be used: clocks and blocks differ a little."""
DOUBT_SECONDS: Final = 86_400
"""After its claim, until a payment whose outcome is not known is the operator's: its node will not tell any more."""
VERIFY_MARGIN_SECONDS: Final = 30
"""What an authorization must outlast beside the work: time to settle in."""


class Event(Enum):
    """What can happen to a payment."""

    ASKED = "the same payment arrives while its worker has it"
    ASKED_LATE = "the same payment arrives and nobody has it"
    ASKED_OTHERWISE = "the same authorization arrives in another payment, or for another operation"
    WORK_DONE = "the work is done"
    WORK_REFUSED = "the work cannot be done"
    SETTLING_BEGINS = "the worker is about to call the facilitator"
    MOVED = "the facilitator or the chain shows that money moved"
    REFUSED = "the facilitator refuses the first settlement and shows that nothing was sent to the chain"
    UNKNOWN = "the outcome of a settlement is not known"
    UNMOVED = "nothing shows that the authorization was used"
    UNMOVED_FOR_GOOD = "the chain shows the authorization unused after it ran out"
    UNTOLD = "nobody can tell whether money moved, and the time for it is over"
    SWEPT = "the reconciler finds the row and nobody has it"
    SWEPT_LATE = "the reconciler finds the row after its authorization ran out"


class Action(Enum):
    """What is done about it."""

    WAIT = "202: ask again with the same payment"
    CONFLICT = "409 payment_already_claimed"
    START_OVER = "take over, release, and begin as if the payment were new"
    LOOK_AND_SETTLE = "take over, look the authorization up, settle the same one again"
    DELIVER_AGAIN = "the kept answer, or the work anew within its limits"
    CLAIM_ANEW = "go on as with a new payment"
    OFFER = "402 with the current offer"
    KEEP = "store what may be kept"
    RELEASE = "nothing moved: let the payment go"
    SETTLE = "call the facilitator"
    RECORD = "write the settlement and its ledger row"
    LOOK_UP = "ask the chain"
    EXPIRE = "nothing moved and nothing can"
    HAND_OVER = "leave it to the operator: `assay ledger resolve`"
    STAND_ASIDE = "somebody else moved the row: read the table again"
    NOTHING = "nothing"


class Step(Struct, frozen=True, kw_only=True):
    """Where a payment goes, and what is done."""

    state: PaymentState
    action: Action


_CLAIMED, _STORED, _SETTLING = PaymentState.CLAIMED, PaymentState.STORED, PaymentState.SETTLING
_SETTLED, _RELEASED, _EXPIRED = PaymentState.SETTLED, PaymentState.RELEASED, PaymentState.EXPIRED
_UNRESOLVED: Final = PaymentState.UNRESOLVED

_WORKED_FOR: Final = {
    # Nothing was delivered and nothing settled, so a payment whose worker died may begin anew, whatever was kept.
    Event.ASKED: (None, Action.WAIT),
    Event.ASKED_LATE: (_RELEASED, Action.START_OVER),
    Event.ASKED_OTHERWISE: (None, Action.CONFLICT),
    Event.WORK_REFUSED: (_RELEASED, Action.RELEASE),
    Event.SWEPT: (_RELEASED, Action.RELEASE),
    # No offer on the word of our clock: whatever became of an authorization is asked when it comes again.
    Event.SWEPT_LATE: (_RELEASED, Action.RELEASE),
}
_OWN: Final[Mapping[PaymentState, Mapping[Event, tuple[PaymentState | None, Action]]]] = {
    _CLAIMED: {**_WORKED_FOR, Event.WORK_DONE: (_STORED, Action.KEEP)},
    _STORED: {**_WORKED_FOR, Event.SETTLING_BEGINS: (_SETTLING, Action.SETTLE)},
    _SETTLING: {
        Event.ASKED: (None, Action.WAIT),
        Event.ASKED_LATE: (None, Action.LOOK_AND_SETTLE),
        Event.ASKED_OTHERWISE: (None, Action.CONFLICT),
        Event.MOVED: (_SETTLED, Action.RECORD),
        # Only the first answer of a facilitator can be trusted to say no: later ones may refuse what has moved.
        Event.REFUSED: (_RELEASED, Action.RELEASE),
        Event.UNKNOWN: (None, Action.WAIT),
        Event.UNMOVED: (None, Action.SETTLE),
        Event.UNMOVED_FOR_GOOD: (_EXPIRED, Action.EXPIRE),
        Event.UNTOLD: (_UNRESOLVED, Action.HAND_OVER),
        Event.SWEPT: (None, Action.LOOK_UP),
        Event.SWEPT_LATE: (None, Action.LOOK_UP),
    },
    _SETTLED: {
        Event.ASKED: (None, Action.DELIVER_AGAIN),
        Event.ASKED_LATE: (None, Action.DELIVER_AGAIN),
        Event.ASKED_OTHERWISE: (None, Action.CONFLICT),
        Event.MOVED: (None, Action.NOTHING),
    },
    _RELEASED: {
        Event.ASKED: (_CLAIMED, Action.CLAIM_ANEW),
        Event.ASKED_LATE: (_CLAIMED, Action.CLAIM_ANEW),
        # Nobody holds it and nothing moved: the authorization is its payer's to spell anew.
        Event.ASKED_OTHERWISE: (_CLAIMED, Action.CLAIM_ANEW),
    },
    _UNRESOLVED: {
        # Maybe paid for, so that there is no offer; and nothing is settled again, which had its time.
        Event.ASKED: (None, Action.LOOK_UP),
        Event.ASKED_LATE: (None, Action.LOOK_UP),
        Event.ASKED_OTHERWISE: (None, Action.CONFLICT),
        Event.MOVED: (_SETTLED, Action.RECORD),
        Event.UNMOVED_FOR_GOOD: (_EXPIRED, Action.EXPIRE),
        Event.SWEPT: (None, Action.LOOK_UP),
        Event.SWEPT_LATE: (None, Action.LOOK_UP),
    },
    _EXPIRED: dict.fromkeys((Event.ASKED, Event.ASKED_LATE, Event.ASKED_OTHERWISE), (None, Action.OFFER)),
}
TABLE: Final[Mapping[tuple[PaymentState, Event], Step]] = {
    (state, event): Step(state=target or state, action=action)
    for state in PaymentState
    for event in Event
    for target, action in [_OWN[state].get(event, (None, Action.STAND_ASIDE))]
}
"""Every state with every event. What only a worker could see of a row that has left its hands leads to `STAND_ASIDE`."""


def step(state: PaymentState, event: Event) -> Step:
    """Say what an event means in a state."""
    return TABLE[state, event]


def table_text() -> str:
    """Write the table for people: one line for each state and event that does something, as Markdown."""
    rows = [
        f"| {state.value} | {event.value} | {there.state.value} | {there.action.value} |"
        for (state, event), there in TABLE.items()
        if there.action is not Action.STAND_ASIDE
    ]
    return "\n".join(["| state | what happens | state after | what is done |", "|---|---|---|---|", *rows])
