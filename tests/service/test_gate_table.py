"""The state table, whole: every state with every event, and what no order of events may do."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from assay402.net.chain import BLOCKS, WINDOWS
from assay402.service.free import INTERVAL_MS, PER_ADDRESS, PER_CALLER
from assay402.service.gate import (
    MARGIN_SECONDS,
    RERUN_SECONDS,
    RERUNS,
    TABLE,
    VERIFY_MARGIN_SECONDS,
    Action,
    Event,
    Step,
    step,
    table_text,
)
from assay402.service.offer import MAX_HEADER
from assay402.service.order import WORK_SECONDS
from assay402.service.ports import UNSETTLED_PER_PAYER, PaymentState
from assay402.service.timing import Timing

CLAIMED, STORED, SETTLING = PaymentState.CLAIMED, PaymentState.STORED, PaymentState.SETTLING
SETTLED, RELEASED, EXPIRED = PaymentState.SETTLED, PaymentState.RELEASED, PaymentState.EXPIRED
UNRESOLVED = PaymentState.UNRESOLVED
GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "gate.md"


def test_every_state_answers_every_event() -> None:
    assert set(TABLE) == {(state, event) for state in PaymentState for event in Event}
    assert all(step(state, event) == TABLE[state, event] for state, event in TABLE)


def test_every_action_is_used() -> None:
    assert {there.action for there in TABLE.values()} == set(Action)


def test_settled_is_final_whatever_happens() -> None:
    assert {TABLE[SETTLED, event].state for event in Event} == {SETTLED}


def test_only_what_was_being_settled_leads_to_settled_and_only_by_money_that_moved() -> None:
    ways = {
        (state, event)
        for (state, event), there in TABLE.items()
        if there.state is SETTLED and state is not SETTLED
    }
    assert ways == {(SETTLING, Event.MOVED), (UNRESOLVED, Event.MOVED)}


def test_only_stored_work_is_settled_for_the_first_time() -> None:
    ways = {state for (state, _), there in TABLE.items() if there.state is SETTLING and state is not SETTLING}
    assert ways == {STORED}


def test_in_doubt_only_the_chain_or_the_first_refusal_ends_a_payment() -> None:
    ends = {event for event in Event if TABLE[SETTLING, event].state is not SETTLING}
    assert ends == {Event.MOVED, Event.REFUSED, Event.UNMOVED_FOR_GOOD, Event.UNTOLD}
    assert TABLE[SETTLING, Event.UNTOLD].state is UNRESOLVED
    assert {TABLE[UNRESOLVED, event].state for event in Event} == {UNRESOLVED, SETTLED, EXPIRED}


def test_a_payment_that_is_held_or_settled_is_never_offered_anew() -> None:
    offers = {state for (state, _), there in TABLE.items() if there.action is Action.OFFER}
    assert offers == {EXPIRED}
    assert {
        TABLE[state, Event.ASKED_OTHERWISE].action
        for state in (CLAIMED, STORED, SETTLING, SETTLED, UNRESOLVED)
    } == {Action.CONFLICT}


def test_a_worker_whose_row_left_its_hands_stands_aside() -> None:
    for state in (SETTLED, RELEASED, EXPIRED, UNRESOLVED):
        for event in (Event.WORK_DONE, Event.WORK_REFUSED, Event.SETTLING_BEGINS, Event.REFUSED):
            assert TABLE[state, event] == Step(state=state, action=Action.STAND_ASIDE)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(Event), max_size=40))
def test_in_any_order_of_events_money_is_recorded_at_most_once_and_only_after_it_was_asked_for(
    events: list[Event],
) -> None:
    state, recorded, was_settling = CLAIMED, 0, False
    for event in events:
        there = step(state, event)
        recorded += there.action is Action.RECORD
        state = there.state
        was_settling = was_settling or state is SETTLING
        assert recorded <= 1
        assert not recorded or was_settling
        assert (state is SETTLED) == bool(recorded)


def test_the_guide_prints_the_table() -> None:
    assert table_text() in GUIDE.read_text("utf-8")


def test_the_guide_prints_the_numbers() -> None:
    guide, timing = GUIDE.read_text("utf-8"), Timing()
    for told in (
        f"{RERUNS} times, within {RERUN_SECONDS // 60} minutes",
        f"the work's time (15 s; terms 30 s; listing 120 s) and {VERIFY_MARGIN_SECONDS} s",
        f"{UNSETTLED_PER_PAYER}; the next is 429",
        f"the work's time and {timing.work_margin} s; {timing.settling} s to settle",
        f"{MARGIN_SECONDS} s after its `validBefore`",
        f"{MAX_HEADER:,} characters at most",
        f"{PER_CALLER} a day for a `caller`, {INTERVAL_MS:,} ms apart; {PER_ADDRESS} a day for a client address",
        f"the last\n{BLOCKS * WINDOWS:,} blocks",
    ):
        assert " ".join(told.split()) in " ".join(guide.split())
    assert WORK_SECONDS == {"dialect": 15, "listing": 120, "deliverable": 15, "claims": 15, "terms": 30}
