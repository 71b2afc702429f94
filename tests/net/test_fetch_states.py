"""The states of a fetch are a closed list, each explained once, with the numbers that hold."""

from typing import get_args

from assay402.core import target
from assay402.core.asks import Limits
from assay402.core.fetch_states import CAUSES, NOTICES, PHASES, Cause, Phase
from assay402.net.guard import MAX_ANSWERS
from assay402.net.response import CHUNK_LINES


def test_every_state_is_explained_in_one_place() -> None:
    assert set(NOTICES) == {
        "unreachable",
        "tls",
        "deadline",
        "header_cap",
        "body_cap",
        "wire_cap",
        "protocol",
        "dns_no_answer",
        "dns_too_many",
        "redirects",
        "no_memory",
    }
    assert not set(NOTICES) & set(target.NOTICES)


def test_every_phase_and_every_cause_is_explained() -> None:
    assert set(PHASES) == set(get_args(Phase))
    assert set(CAUSES) == set(get_args(Cause))


def test_the_numbers_in_the_explanations_are_the_limits() -> None:
    limits = Limits()
    assert f"{limits.header_bytes:,}" in NOTICES["header_cap"].hint
    assert f"{CHUNK_LINES:,}" in NOTICES["header_cap"].hint
    assert f"{limits.body_bytes:,}" in NOTICES["body_cap"].hint
    assert f"{limits.wire_bytes:,}" in NOTICES["wire_cap"].hint
    assert f"{MAX_ANSWERS} addresses" in NOTICES["dns_too_many"].text
