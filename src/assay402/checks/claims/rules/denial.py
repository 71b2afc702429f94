"""One polarity for all rules: what was found supported is taken back where claim and record do not say yes or no alike."""

import re
from collections.abc import Iterator
from typing import Final

from assay402.checks.claims.model import Finding, Stage
from assay402.checks.claims.reading.actions import cue
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.compare import IDENTIFYING
from assay402.checks.claims.rules.deed import exit_code, stage_of
from assay402.checks.claims.rules.polarity import denies, truth_of
from assay402.checks.claims.rules.portions import portion_of
from assay402.checks.claims.rules.supports import Supported, denied, unstated
from assay402.checks.claims.rules.zeroes import counts_none
from assay402.core.check import rule

_ID: Final = "claims/polarity-differs"
_FALSE: Final = Pattern(
    r"\b(?:it(?:'s| is| was)|that(?:'s| is| was)) (?:simply |just )?(?:false|untrue|wrong|incorrect|not (?:true|the case|correct)) that\b",
    re.IGNORECASE,
)
_HARDLY: Final = Pattern(r"\b(?:hardly|scarcely|barely)\b", re.IGNORECASE)
_FAULTS: Final = "errors?|warnings?|issues?|problems?|failures?|incidents?|conflicts?|findings?"
_CLEAN: Final = Pattern(
    rf"\b(?:without|with no|with zero|no|zero|0)\s(?:any\s|a single\s|\w+\s)?({_FAULTS})\b|\b(cleanly|flawlessly|error[- ]free|smoothly)\b",
    re.IGNORECASE,
)
_COUNTED: Final = Pattern(
    rf"\b([0-9]+)\s(?:\w+\s)?({_FAULTS})\b|\b({_FAULTS})\s?[=:]\s?([0-9]+)\b", re.IGNORECASE
)
_UNDONE_WORDS: Final = r"fail\w*|declin\w*|skip\w*|revert\w*|roll\w* back|revers\w*|reject\w*|crash\w*|errored|tim\w* out|abort\w*|bounc\w*"
_DENIED_OUTCOME: Final = Pattern(
    rf"\b(?:not|never|no|none|neither|nor|\w+n't)\b(?:(?!\b(?:because|since|due|as|but|after|and)\b)[^.;:,]){{0,40}}?\b({_UNDONE_WORDS})\b",
    re.IGNORECASE,
)
_PLAIN: Final = ("action-recorded", "all-facts-bound", "stated-verbatim")
_DONE_STAGES: Final = ("COMPLETED", "ATTEMPTED")


def denied_outcome(text: str) -> str:
    """Give the word for a failure, a reversal or an omission that a text denies; empty where it denies none."""
    match = _DENIED_OUTCOME.search(text)
    return match[1].lower() if match is not None else ""


@rule(_ID, since="0.1", spec="section 3.2 and section 7, R05")
def polarity_differs(supported: Supported) -> Finding | None:
    """Take back a support where the claim denies what its record states, or says it is free of what the record counts.

    ## What it reports
    CONTRADICTED with the reason POLARITY where the claim denies a value, a failure, a reversal or an omission that
    the record gives (`did not fail` beside `status=failed`), denies a whole statement (`it is false that`), or says
    `without errors` beside a count of them. UNSUPPORTED where the record does not say that it went so well.

    ## Why it matters
    A record that refutes a claim holds the same words and values as one that supports it.

    ## How to fix it
    Say it as the record does.
    """
    text = supported.claim.text
    nears = supported.nears
    if nears and _FALSE.search(text):
        return denied(supported, _ID, nears[0].record, "POLARITY", "the record states what the claim denies")
    if _HARDLY.search(text) and not any(_HARDLY.search(near.record.text) for near in nears):
        return unstated(supported, _ID, "the record does not say it so weakly", "it with that restriction")
    return _faulty(supported) or _outcome_denied(supported) or _value_denied(supported)


def _faulty(supported: Supported) -> Finding | None:
    claimed = _CLEAN.search(supported.claim.text)
    if supported.rule not in _PLAIN:
        return None
    if claimed is None:
        return _succeeded(supported)
    counts = [
        (near.record, int(match[1] or match[4]), (match[2] or match[3]).lower().rstrip("s"))
        for near in supported.nears
        for match in _COUNTED.finditer(near.record.text[:2_000])
    ]
    named = (claimed[1] or "").lower().rstrip("s")
    counts += [] if counts else list(_counted_below(supported))
    counts = [each for each in counts if not named or each[2] == named]
    for record, count, _ in counts:
        if count:
            return denied(supported, _ID, record, "POLARITY", "the record counts what the claim excludes")
    if counts or any(_is_clean(near.record, named) for near in supported.nears):
        return None
    return unstated(
        supported, _ID, "the record does not say that nothing went wrong", "that nothing went wrong"
    )


_BELOW: Final = 4


def _counted_below(supported: Supported) -> Iterator[tuple[Record, int, str]]:
    """Give what the lines right below the records count of faults, as a build's closing lines do."""
    world = supported.view.world
    for near in supported.nears if supported.rule == "action-recorded" else ():
        for each in world.records[near.record.order + 1 : near.record.order + _BELOW]:
            match = (
                _COUNTED.match(each.text.strip().removeprefix("build has "))
                if each.item is near.record.item
                else None
            )
            if match is not None:
                yield each, int(match[1] or match[4]), (match[2] or match[3]).lower().rstrip("s")


_SUCCESS: Final = Pattern(r"\b(?:successfully|successful|succeeded)\b", re.IGNORECASE)


def _succeeded(supported: Supported) -> Finding | None:
    """Leave unsupported a success of what a record says ended with errors."""
    if not _SUCCESS.search(supported.claim.text):
        return None
    for near in supported.nears:
        text = near.record.text[:2_000]
        faults = [each for each in _COUNTED.finditer(text) if "warn" not in each[0].lower()]
        if (
            "with" in near.record.spoken
            and not _SUCCESS.search(text)
            and any(int(each[1] or each[4]) for each in faults)
        ):
            return unstated(supported, _ID, "the record says it ended with faults", "that it succeeded")
    return None


def _is_clean(record: Record, named: str) -> bool:
    match = _CLEAN.search(record.text[:2_000])
    told = match is not None and (not named or (match[1] or "").lower().rstrip("s") in ("", named))
    return (
        told
        or exit_code(record.text) == "0"
        or record.form == "tests"
        or (bool(named) and named in record.plain)
    )


def _outcome_denied(supported: Supported) -> Finding | None:
    portion = portion_of(supported.claim.text)
    if portion is not None and portion.is_denial:
        return None  # that not all of them failed denies no failure
    word = denied_outcome(supported.claim.text)
    stage = cue(word) if word else None
    if stage is None:
        return None
    record = next(
        (near.record for near in supported.nears if _fared(supported, near.record, word, stage)), None
    )
    return None if record is None else denied(supported, _ID, record, "POLARITY", f"the record says {stage}")


def _fared(supported: Supported, record: Record, word: str, stage: Stage) -> bool:
    """Tell whether a record counts some that fared as a word says, or tells such an end itself."""
    if counts_none(record, stem(word)):
        return False
    counted = re.search(
        rf"\b[1-9][0-9]*\s{re.escape(word)}\b|\b{re.escape(word)}\s?[=:]\s?[1-9]", record.text
    )
    stages = {stage_of(record), *(deed.stage for deed in supported.view.world.deeds(record))}
    return counted is not None or (supported.rule != "test-report" and stage in stages and not denies(record))


def _value_denied(supported: Supported) -> Finding | None:
    claim = supported.claim
    if supported.rule != "all-facts-bound" or not claim.negative:
        return None
    if any(truth_of(claim, near.record) for near in supported.view.near if near.shared):
        return None
    for near in supported.nears:
        record = near.record
        stage = stage_of(record)
        if (
            _is_empty(record)
            or denies(record)
            or truth_of(claim, record)
            or stage not in (None, *_DONE_STAGES)
        ):
            return None
    valued = any(each.kind not in (*IDENTIFYING, "code") for each in claim.facts)
    stated = valued or any(stage_of(near.record) == "COMPLETED" for near in supported.nears)
    return (
        denied(
            supported, _ID, supported.nears[0].record, "POLARITY", "the record states what the claim denies"
        )
        if stated
        else unstated(supported, _ID, "the record does not deny it", "that it is not so")
    )


def _is_empty(record: Record) -> bool:
    """Tell whether a record is a search that found nothing, which says that there is none."""
    return record.label.endswith(" call") and any(each.text.rstrip().endswith("[]") for each in record.below)
