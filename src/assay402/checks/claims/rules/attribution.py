"""Attribution: who is said to have said it, and whether they did; quotations, word for word."""

import re
from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from assay402.checks.claims.model import Claim, EvidenceItem, Finding
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.records import Record
from assay402.checks.claims.reading.text import plain, stem, stems
from assay402.checks.claims.rules.view import Near, View
from assay402.checks.claims.rules.world import World
from assay402.core.check import rule

_SAID: Final = r"(?:said|says|reported|reports|found|finds|announced|announces|stated|states|claimed|claims|noted|notes|confirmed|confirms|showed|shows|wrote|writes|concluded|concludes|warned|warns|estimated|estimates|explained|told|argued|argues)(?!\s(?:is|are|was|were|have|has|had)\b)"
_BY: Final = Pattern(
    rf"^\W{{0,3}}((?:the |our |its |their )?[A-Z][\w.&'’-]*(?:\s(?:[A-Z][\w.&'’-]*|of|the|and|for)){{0,5}})\s{_SAID}\b\s?(?:that\b|,|:)?\s*"
)
_THE_ROLE: Final = Pattern(
    rf"^\W{{0,3}}(?:the |our )([a-z]+(?: [a-z]+)?)\s{_SAID}\b\s?(?:that\b|,|:)?\s*", re.IGNORECASE
)
_ACCORDING: Final = Pattern(
    r"\b(?:according to|per|as stated in|as reported by|in the words of|based on|cited in|as noted in)\s((?:the |our )?[\w.&'’ -]{2,60}?)(?:,|\.|;|$)",
    re.IGNORECASE,
)
_CITED: Final = Pattern(r"\s?\[([A-Za-z0-9_-]{1,64})\]|\s?\(([A-Z][\w-]+(?: et al\.?)?,? [0-9]{4})\)")
_QUOTED: Final = Pattern(r"[\"“]([^\"“”]{2,2000})[\"”]")
_SPEAKER: Final = Pattern(r"^\s*[\[(]?([A-Z][\w .'-]{0,40}?)[\])]?\s*:\s")
_NOT_SOURCES: Final = frozenset(
    {
        "the",
        "as",
        "it",
        "this",
        "that",
        "we",
        "i",
        "they",
        "he",
        "she",
        "there",
        "you",
        "user",
        "all",
        "plan",
        "schedule",
        "request",
        "day",
        "month",
        "tests",
        "test",
        "check",
        "build",
        "none",
        "both",
        "pytest",
        "jest",
        "mocha",
        "vitest",
        "cargo",
        "go",
        "rspec",
        "phpunit",
        "junit",
        "ctest",
        "dotnet",
        "mypy",
        "ruff",
        "eslint",
        "pyright",
        "terraform",
        "kubectl",
        "docker",
        "git",
        "npm",
        "pip",
        "ci",
        "lint",
        "linter",
        "type",
        "suite",
        "scan",
        "scanner",
        "step",
        "job",
        "pipeline",
        "query",
        "call",
        "response",
        "log",
        "logs",
        "output",
    }
)


_MOST_SPOKEN: Final = 20_000
"""Records in which a speaker is looked for."""


class Source:
    """A named source and what it is said to say."""

    def __init__(self, name: str, start: int, end: int) -> None:
        self.name: Final = name
        self.start: Final = start
        """The stretch of the claim that names the source."""
        self.end: Final = end


@lru_cache(maxsize=256)
def source_of(text: str) -> Source | None:
    """Give the source a claim names, and where in the claim."""
    cited = _CITED.search(text)
    if cited is not None and not re.fullmatch(r"[ xX]", cited[1] or "-"):
        return Source(cited[1] or cited[2], cited.start(), cited.end())
    for pattern in (_BY, _THE_ROLE):
        match = pattern.match(text)
        if match is not None and match[1].lower().removeprefix("the ").split()[0] not in _NOT_SOURCES:
            return Source(match[1], match.start(), match.end())
    match = _ACCORDING.search(text)
    if match is not None and not (match[0].lower().startswith("per ") and not match[1][:1].isupper()):
        return Source(match[1], match.start(), match.end())
    return None


def items_named(name: str, items: tuple[EvidenceItem, ...]) -> list[EvidenceItem]:
    """Give the items a source's name may mean: by id, by its place, by its label, by a speaker in its text."""
    low = name.strip().lower()
    found = [item for item in items if item.id.lower() == low]
    if not found and low.isdigit() and 0 < int(low) <= len(items):
        found = [items[int(low) - 1]]
    if found:
        return found
    wanted = {each for each in stems(name) if each not in {"the", "report"}}
    for item in items:
        label = set(stems(f"{item.source_label} {item.id.replace('_', ' ')}"))
        if wanted and wanted <= label:
            found.append(item)
    return found


def spoken_by(name: str, world: World) -> list[Record]:
    """Give the records that a speaker of this name says."""
    wanted = frozenset(stems(name))
    if not wanted:
        return []
    speakers = world.once("speakers", lambda: _speakers(world.bearing))
    held = min((speakers.get(word, {}) for word in sorted(wanted)), key=len)
    return world.once(
        ("spoken", wanted),
        lambda: [record for words, records in held.items() if wanted <= words for record in records],
    )


def _speakers(records: list[Record]) -> dict[str, dict[frozenset[str], list[Record]]]:
    """Give the records that begin with a speaker's name, by each word of the name and then by all of them."""
    found: dict[str, dict[frozenset[str], list[Record]]] = {}
    for record in records[:_MOST_SPOKEN]:
        match = _SPEAKER.match(record.text[:60])
        words = frozenset(stems(match[1])) if match is not None else frozenset()
        for word in words:
            found.setdefault(word, {}).setdefault(words, []).append(record)
    return found


def without_source(claim: Claim, items: tuple[EvidenceItem, ...]) -> tuple[Claim, frozenset[str]]:
    """Give what is left of a claim without the naming of a supplied source, and the items that source is."""
    source = source_of(claim.text)
    named = items_named(source.name, items) if source is not None else []
    if source is None or not named or claim.form in ("leaf", "cell"):
        return claim, frozenset()
    return _stripped(claim, source), frozenset(item.id for item in named)


def without_speaker(claim: Claim, world: World) -> tuple[Claim, frozenset[int]]:
    """Give what is left of a claim without the naming of who said it, and the records that this speaker says."""
    source = source_of(claim.text)
    spoken = spoken_by(source.name, world) if source is not None else []
    if source is None or not spoken or claim.form in ("leaf", "cell"):
        return claim, frozenset()
    orders = world.once(("orders", source.name), lambda: frozenset(record.order for record in spoken))
    return _stripped(claim, source), orders


def _stripped(claim: Claim, source: Source) -> Claim:
    said = frozenset(stems(claim.text[source.start : source.end]))
    kept = frozenset(stems(claim.text[: source.start] + " " + claim.text[source.end :]))
    facts = tuple(each for each in claim.facts if not source.start <= each.start < source.end)
    return replace(
        claim, content=claim.content - (said - kept), names=claim.names - (said - kept), facts=facts
    )


@rule("claims/source-not-supplied", since="0.1", spec="section 7, R11, and section 8")
def source_not_supplied(view: View) -> Finding | None:
    """Leave unsupported a statement attributed to a source that is not among the evidence.

    ## What it reports
    UNSUPPORTED with the missing family ATTRIBUTION_SOURCE where the claim names who said it, no item is that
    source, no record names it, and some item speaks of the reported fact; UNVERIFIED where none does.

    ## Why it matters
    The right fact under the wrong name is a false citation.

    ## How to fix it
    Attribute it to the item that states it, or supply the named source.
    """
    source = source_of(view.claim.text)
    if source is None or view.claim.form in ("leaf", "cell"):
        return None
    if (
        items_named(source.name, view.world.sources)
        or spoken_by(source.name, view.world)
        or _mentioned(view, source)
    ):
        return None
    missing = ("ATTRIBUTION_SOURCE", f"The document of {source.name.strip()} that says so.")
    inner = frozenset(stems(view.claim.text[: source.start] + " " + view.claim.text[source.end :]))
    for near in view.near:
        facts_agree = any(each.state == "match" for each in near.bindings)
        if facts_agree or (inner and len(inner & near.stems) >= len(inner) / 2):
            return Finding(
                support="UNSUPPORTED",
                rule="claims/source-not-supplied",
                refs=(near.record.ref,),
                code="SOURCE_NOT_SUPPLIED",
                note="another item speaks of it; the named source is not supplied",
                missing=missing,
                repair=_renamed(view, near.record.item),
            )
    return Finding(
        support="UNVERIFIED",
        rule="claims/source-not-supplied",
        code="SOURCE_NOT_SUPPLIED",
        note="the named source is not supplied",
        missing=missing,
    )


def _mentioned(view: View, source: Source) -> bool:
    wanted = {stem(word) for word in stems(source.name)}
    return bool(wanted) and any(wanted <= near.stems for near in view.near)


@rule("claims/wrong-attribution", since="0.1", spec="section 7, R11")
def wrong_attribution(view: View) -> Finding | None:
    """Judge a statement attributed to a supplied source by that source alone.

    ## What it reports
    CONTRADICTED with the reason WRONG_ATTRIBUTION where the claim names an item as its source, that item does not
    say it and another item does; otherwise the verdict is taken on the named item alone.

    ## Why it matters
    A reader follows the citation, not the truth.

    ## How to fix it
    Cite the item that states it.
    """
    inner, named = without_source(view.claim, view.world.sources)
    if not named:
        return None
    near = View(inner, view.world).near
    if any(each.record.item.id in named and _says(each) for each in near):
        return None
    other = next((each for each in near if each.record.item.id not in named and _says(each)), None)
    if other is None:
        return None
    return Finding(
        support="CONTRADICTED",
        rule="claims/wrong-attribution",
        refs=(other.record.ref,),
        code="WRONG_ATTRIBUTION",
        note="the named item does not say it; this one does",
        repair=_renamed(view, other.record.item),
    )


def unsaid(view: View) -> Finding:
    """Leave unsupported what a speaker of the evidence is said to have said, where nothing that this speaker says is of it."""
    record = next(each for each in view.world.bearing if each.order in view.spoken)
    return Finding(
        support="UNSUPPORTED",
        rule="claims/wrong-attribution",
        refs=(record.ref,),
        code="WRONG_ATTRIBUTION",
        note="the named speaker does not say it",
        missing=("ATTRIBUTION_SOURCE", f"The words in which the speaker named by {view.claim.id} says so."),
    )


def _renamed(view: View, item: EvidenceItem) -> tuple[str, int, int, str] | None:
    """Give the edit that names the item which states it in the place of the named source."""
    claim, source = view.claim, source_of(view.claim.text)
    assert source is not None  # noqa: S101  (callers found one)
    at = claim.text.index(source.name, source.start)
    name = item.source_label
    if source.name.isdigit():
        name = str(view.world.sources.index(item) + 1)
    elif source.name.lower() in {each.id.lower() for each in view.world.sources}:
        name = item.id
    elif source.name.lower().startswith(("the ", "our ")) and not name.lower().startswith(("the ", "our ")):
        name = f"{source.name[:3]} {name}"
    elif at == 0 and name[:1].islower():
        name = f"The {name}"
    elif name[:1].islower() and " " in name.strip() and name.split()[0] not in _DETERMINED:
        name = f"the {name}"  # words for a thing, and no name of one
    start = claim.span.start + at
    return ("REATTRIBUTE", start, start + len(source.name), name) if name.strip() else None


_DETERMINED: Final = ("the", "our", "a", "an", "my", "your", "their", "his", "her", "its", "this", "that")


def _says(near: Near) -> bool:
    return all(each.state == "match" for each in near.bindings) and near.coverage >= 0.8  # nearly all content


@rule("claims/quotation", since="0.1", spec="section 7, R12")
def quotation(view: View) -> Finding | None:
    """Judge a quotation by its very words.

    ## What it reports
    SUPPORTED where the words between the quotation marks stand in the evidence, blanks, quotation marks, the case
    of letters and the closing mark apart, and are the named speaker's where one is named; else UNSUPPORTED.

    ## Why it matters
    Quotation marks promise the very words.

    ## How to fix it
    Quote exactly, or report without quotation marks.
    """
    match = _QUOTED.search(view.claim.text)
    if (
        match is None or len(match[1].split()) < 3 or view.claim.form in ("leaf", "cell")
    ):  # shorter ones are names
        return None
    said = plain(match[1])
    source = source_of(view.claim.text[: match.start()] + " that") or source_of(view.claim.text)
    for record in _with_words(view, said, source):
        if f" {said} " in f" {plain(record.text)} ":
            if source is None:
                return None
            return Finding(support="SUPPORTED", rule="claims/quotation", refs=(record.ref,))
    near = next(iter(view.addressed), None)
    if near is None:
        return None
    return Finding(
        support="UNSUPPORTED",
        rule="claims/quotation",
        refs=(near.record.ref,),
        code="NOT_VERBATIM",
        note="these words do not stand in the evidence",
        missing=("ATTRIBUTION_SOURCE", "The source that holds the quoted words."),
    )


def _with_words(view: View, said: str, source: Source | None) -> list[Record]:
    """Give the records that hold the rarest word of a quotation: the source's alone, where any is its."""
    wanted = stems(said)
    rare = min(wanted, key=lambda word: (len(view.world.with_stem(word)), word), default="")
    held = view.world.with_stem(rare)[:200]
    if source is None:
        return held
    if spoken := spoken_by(source.name, view.world):
        orders = view.world.once(
            ("orders", source.name), lambda: frozenset(record.order for record in spoken)
        )
        return [record for record in held if record.order in orders]
    named = {item.id for item in items_named(source.name, view.world.sources)}
    if named:
        return [record for record in held if record.item.id in named]
    return held
