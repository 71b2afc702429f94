"""Which run a claim about tests names: a build, a commit, a pull request, a module; and which one a report is of."""

import re
from bisect import bisect_right
from functools import cache, lru_cache
from typing import Any, Final, TypeAlias

from assay402.checks.claims.data import table
from assay402.checks.claims.model import Claim, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import stem
from assay402.checks.claims.rules.exclusive import AT
from assay402.checks.claims.rules.supports import Supported, unstated
from assay402.checks.claims.rules.world import World
from assay402.core.check import rule

Runs: TypeAlias = tuple[tuple[str, str], ...]
"""Kinds of things with the name each goes by."""

_LOOKED_AT: Final = 300
_SHORT_HASH: Final = 7
_NAMES_OF_JOBS: Final = frozenset(("build", "test", "tests", "release"))
_VERBAL: Final = re.compile(r"(?:ed|ing)$")


@cache
def _words() -> dict[str, Any]:
    words: dict[str, Any] = table("runs")
    return words


@cache
def _plain() -> frozenset[str]:
    return frozenset(_words()["plain"])


def _any_of(names: list[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))


@cache
def _forms() -> tuple[Pattern, Pattern, Pattern]:
    """Give the forms of a name with a digit, of a word behind its kind, and of a word before it."""
    numbered = _any_of([*_words()["numbered"], *_words()["named"]])
    named = _any_of(_words()["named"])
    joint = r"(?:[ _-]?(?:id|number|no\.?|sha))?\s?[=:#]?\s?[\"'`(\[#]{0,2}"
    return (
        Pattern(
            rf"\b({numbered}){joint}\b((?:[a-z]+[-_.])?v?[0-9][\w.]*(?:-[\w.]+)*|(?=[a-f]*[0-9])[0-9a-f]{{7,40}}|[a-z]{{1,8}}[-_.]?[0-9][\w.-]*)(?<![.])\b(?!\.?\w)(?!\s(?:(?:\w+\s)?(?:tests?|specs|examples|checks|suites|times?)\b|(?:pass|fail|skip|total)\w*\s*[,|]))",
            re.IGNORECASE,
        ),
        Pattern(
            rf"\b({named})(?:\s(?:named|called))?(?:\s?[=:]\s?|\s)[\"'`]?([a-z][\w./-]*\w)", re.IGNORECASE
        ),
        Pattern(rf"(?<![\w./-])([a-z][\w./-]*)[\"'`]?\s({named})\b", re.IGNORECASE),
    )


@lru_cache(maxsize=2_048)
def runs_in(text: str) -> Runs:
    """Give the runs that a text names, each by its kind and its name in lower case."""
    with_digit, behind, before = _forms()
    kinds = frozenset(_words()["numbered"])
    found = [(match[1], match[2]) for match in with_digit.finditer(text)]
    taken = {kind.lower() for kind, _ in found}
    found += [
        (match[1], match[2])
        for match in behind.finditer(text)
        if match[1].lower() not in taken
        and match[2].lower() not in kinds | _plain()
        and not _VERBAL.search(match[2])
    ]
    taken = {kind.lower() for kind, _ in found}
    found += [
        (match[2], match[1])
        for match in before.finditer(text)
        if match[2].lower() not in taken
        and (
            match[1].lower() not in kinds | _plain()
            or (match[2].lower() == "job" and match[1].lower() in _NAMES_OF_JOBS)
        )
    ]
    same = _words()["same"]
    return tuple(
        dict.fromkeys(
            (same.get(kind.lower(), kind.lower()), name.lower().rstrip(".")) for kind, name in found
        )
    )


def runs_of(claim: Claim) -> Runs:
    """Give the runs that a claim names."""
    return runs_in(f"{claim.context} {claim.text}"[:_LOOKED_AT])


def named_runs(claim: Claim) -> dict[str, str]:
    """Give the runs that a claim names by their kind, none where it names two of one; a version is a value, and no run."""
    kinds = (*_words()["apart"], "step")
    named = [each for each in runs_of(claim) if each[0] in kinds]
    return dict(named) if len(dict(named)) == len(named) else {}


def names_other_run(named: dict[str, str], record: Record) -> bool:
    """Tell whether a line itself names another job, step or build than a claim does."""
    if not named or record.form != "line":
        return False
    told: Runs | None = record.memo.get("named runs")
    if told is None:
        told = record.memo["named runs"] = runs_in(record.text[:_LOOKED_AT])
    held = [_alike(named[kind], name) for kind, name in told if kind in named]
    return bool(held) and not any(held)


def kind_stems(runs: Runs) -> frozenset[str]:
    """Give the stems of the words that say only of what kind the named runs are, and of their names."""
    shown = {kind: [kind, *(word for word, of in _words()["same"].items() if of == kind)] for kind, _ in runs}
    kinds = {stem(part) for words in shown.values() for word in words for part in word.split()}
    return frozenset(kinds | {"pullrequest", "mergerequest"} | {stem(name) for _, name in runs})


_ID: Final = "claims/other-run"
_OF_OUTCOMES: Final = (
    "status-conflict",
    "value-mismatch",
    "state-otherwise",
    "antonym",
    "polarity-flip",
    "counterexample",
)


@rule(_ID, since="0.1", spec="section 6 and section 7, R18")
def other_run(supported: Supported) -> Finding | None:
    """Take back what was found of a build, a run, a job or a pull request where the record is of another one.

    ## What it reports
    UNSUPPORTED where the claim names a run (`build 4411`, `PR #12`, `the lint job`) and the record that supports or
    contradicts it is of another run of the same kind, as it says itself or as the nearest line above it does.

    ## Why it matters
    That another build passed says nothing of this one, and neither does its failure.

    ## How to fix it
    Supply the record of the run that the claim names.
    """
    finding = supported.finding
    slip = finding.code == "IDENTITY_MISMATCH" and (_is_value(supported.claim) or not _numbered(supported))
    if finding.support == "CONTRADICTED" and (supported.rule not in _OF_OUTCOMES or slip):
        return None
    apart = frozenset(_words()["apart"])
    runs = tuple(each for each in runs_of(supported.claim) if each[0] in apart)
    records = [near.record for near in supported.nears] if runs else []
    if not records or any(not _is_another(record, runs, supported.view.world) for record in records):
        return None
    return unstated(supported, _ID, "the record is of another run", "the outcome of this very run")


def _is_value(claim: Claim) -> bool:
    """Tell whether a claim says which build something is on, so that its number is a value and names no run."""
    return any(each.kind == "id" and AT.search(claim.text[: each.start]) for each in claim.facts)


def _numbered(supported: Supported) -> bool:
    """Tell whether a claim names a run by a number of its own, which is no property of a thing and can be no slip."""
    return any(
        kind in ("build", "run", "job", "pipeline", "pull request") for kind, _ in runs_of(supported.claim)
    )


def _is_another(record: Record, runs: Runs, world: World) -> bool:
    return any(
        told is not None and not _alike(name, told)
        for kind, name in runs
        for told in (_told(record, kind, world),)
    )


def is_of(record: Record, runs: Runs, world: World) -> bool:
    """Tell whether a record is of all of the runs named: it says so itself, or what stands over it does."""
    return all(_is_of(record, kind, name, world) for kind, name in runs)


def _is_of(record: Record, kind: str, name: str, world: World) -> bool:
    told = _told(record, kind, world)
    if told is not None:
        return _alike(name, told)
    said = f"{record.item.source_label} {record.searched[:_LOOKED_AT]}".lower()
    bare = (
        rf"#{re.escape(name)}\b|^{re.escape(name)}:"
        if name.isdigit()
        else rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])"
    )
    return re.search(bare, said) is not None


def _told(record: Record, kind: str, world: World) -> str | None:
    """Give the name of the run of a kind that a record is of; None where nothing tells it."""
    places = world.once(("runs", record.item.id), lambda: _places(record, world)).get(kind, [])
    at = bisect_right(places, (record.order, "\U0010ffff"))
    if at:
        return places[at - 1][1]
    behind = {name for _, name in places}
    if len(behind) == 1:
        return behind.pop()
    return dict(runs_in(record.item.source_label[:_LOOKED_AT])).get(kind)


def _places(like: Record, world: World) -> dict[str, list[tuple[int, str]]]:
    """Give for each kind where in an item a run of it is named."""
    found: dict[str, list[tuple[int, str]]] = {}
    for record in world.bearing_of(like.item):
        for kind, name in runs_in(record.searched[:_LOOKED_AT]):
            found.setdefault(kind, []).append((record.order, name))
    return found


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) >= _SHORT_HASH and re.fullmatch(r"[0-9a-f]+", short):
        return long.startswith(short)
    return one == other or other.lstrip("v") == one.lstrip("v") or other.endswith(f"/{one}")
