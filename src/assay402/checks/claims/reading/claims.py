"""The candidate into claims: which stretches assert something, and what they are about."""

import re
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from assay402.checks.claims.model import ActionClass, Claim, Fact, Span
from assay402.checks.claims.reading.actions import mentions
from assay402.checks.claims.reading.facts import LONGEST, facts
from assay402.checks.claims.reading.joints import BY_ITSELF, HOLDS
from assay402.checks.claims.reading.naming import kinds
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.segment import MOST_PIECES, Piece, pieces
from assay402.checks.claims.reading.sentences import FINITE
from assay402.checks.claims.reading.speech import ELLIPSIS, INTENT, PROMISE, states_nothing, stating
from assay402.checks.claims.reading.statuses import (
    is_title,
    said_of_cell,
    said_of_none,
    said_of_tick,
    tells_status,
)
from assay402.checks.claims.reading.text import stem, stems, stop_words, the_same, word_spans

_GREETING: Final = re.compile(
    r"(?:hi|hello|hey|dear|thanks?|thank you|sure|great|okay|ok|certainly|of course|absolutely|you're welcome|sorry|apologies|congratulations|good (?:morning|afternoon|evening)|best regards|regards|cheers|welcome|as an ai)\b",
    re.IGNORECASE,
)
_NEGATIVE: Final = Pattern(
    r"\b(?:not|never|no|none|nothing|nobody|neither|nor|without|cannot|unable to|fail(?:ed|s)? to|lacks?|isn't|wasn't|\w+n't)\b",
    re.IGNORECASE,
)
_NOT_NEGATIVE: Final = Pattern(
    r"\b(?:not only|no longer than|no (?:more|less|fewer|later|earlier) than|no\.\s?[0-9]|not (?:more|less) than|nothing\b(?:\s\w+){0,2}\sbut|none other than|404\W{1,2}not found|no doubt|without (?:a )?doubt|no sooner|not to mention)\b|^\W{0,3}without\b[^,]{0,120},",
    re.IGNORECASE,
)
_WILL: Final = Pattern(r"\b(?:will|shall|'ll|going to)\b", re.IGNORECASE)
_MAY: Final = Pattern(
    r"\b(?:(?<![0-9] )(?-i:may)(?!,?\s[0-9])|might|could|possibly|perhaps|probably|likely|can)\b",
    re.IGNORECASE,
)
_PLANS: Final = Pattern(
    r"\b(?:plans? to|planned|expected to|intends? to|scheduled to|is due to|are due to|is set to|aims? to)\b",
    re.IGNORECASE,
)
_ALL: Final = Pattern(
    r"(?<!\bof )(?<!\bat )\b(?:all|every|each|everything|everyone|both|always|entire|fully)\b(?!\s(?:but|except))",
    re.IGNORECASE,
)
_NONE: Final = Pattern(
    r"\b(?:no|none|neither|nothing|never|(?<!to )(?<!at )(?<!from )(?<!of )zero|nobody)\b", re.IGNORECASE
)
_ONLY: Final = Pattern(r"\b(?:only|solely|exclusively)\b", re.IGNORECASE)
_PRONOUN: Final = re.compile(
    r"(?:it|they|this|that|these|those|he|she|which|none|neither|both)\b|(?:was|were|has|have|had|is|are|then|also|not|and|did|does|will)\b",
    re.IGNORECASE,
)
_PRONOUN_SUBJECT: Final = re.compile(r"(?:it|they|he|she)\b", re.IGNORECASE)
_HELPER: Final = Pattern(r"\b(?:is|are|was|were|has|have|had|will|did|does|can|may|be|been)\b")
_CITATION: Final = Pattern(r"\[[0-9]{1,3}(?:,\s?[0-9]{1,3}){0,8}\]")
_COLON: Final = Pattern(r":(?![0-9])")
_LABEL: Final = re.compile(
    r"\W{0,4}(?:flight|option|step|leg|item|segment|choice|part|passenger|stage|phase|point|no\.?|#)\s?[0-9]{1,2}\s?[:.)–-](?=\s)",
    re.IGNORECASE,
)
_ALIAS: Final = re.compile(r"(?:[A-Z][\w'’.]{0,60}\s){1,4}(?=\([A-Z]{3}\))")
"""A name with its code behind it: the code is what counts."""
_TITLE: Final = Pattern(r"(?:\b[A-Z][\w'’-]{0,60}\s){0,4}\b[A-Z][\w'’-]{0,60}:")
"""The words of a label, which are written large and name nothing."""
_CONTENT_FREE: Final = frozenset(
    stem(word) for word in ("detail", "follow", "summary", "note", "result", "update", "option", "here")
)


_ANSWER: Final = re.compile(r"(?:yes|no|up|down|on|off)", re.IGNORECASE)
"""What says something in a cell, under the head of its column."""


class Candidate(Struct, frozen=True, kw_only=True):
    """A candidate as read."""

    claims: tuple[Claim, ...]
    classes: tuple[ActionClass, ...]
    """Actions named outside claims, such as what somebody intends to do."""
    cut_at: int | None
    """Where judging stopped for want of budget."""


def read_candidate(text: str) -> Candidate:
    """Give the claims of a candidate, in text order."""
    claims: list[Claim] = []
    classes: list[ActionClass] = []
    subject, paragraph = "", -1
    found = pieces(text)
    asked: Piece | None = None
    for each in found[:MOST_PIECES]:
        piece, asked = _answered(text, each, asked), each
        if piece.paragraph != paragraph:
            subject, paragraph = "", piece.paragraph
        whole = text[piece.start : piece.end]
        piece = _statement(text, piece)
        stretch = text[piece.start : piece.end]
        led_in = whole[: len(whole) - len(stretch)]
        if INTENT.match(led_in) and led_in != stretch:
            classes.append("INTENT")
        asserted = piece.ticked != " " and _asserts(stretch, piece)
        if not asserted:
            if INTENT.match(stretch) or PROMISE.match(stretch):
                classes.append("INTENT")
            elif re.search(r"\bplease\b", stretch, re.IGNORECASE):
                classes.append("REQUESTED_ACTION")
            continue
        made = _claim(len(claims) + 1, stretch, piece, subject)
        if piece is found[-1] and stretch.rstrip("*_ ").endswith(":"):
            made = replace(made, dangling=True)
        claims.append(made)
        if not _PRONOUN.match(stretch) and not (piece.goes_on and BY_ITSELF.match(stretch)):
            subject = _subject(stretch)
    cut = found[MOST_PIECES - 1].end if len(found) >= MOST_PIECES else None
    return Candidate(claims=tuple(claims), classes=tuple(classes), cut_at=cut)


def _answered(text: str, piece: Piece, asked: Piece | None) -> Piece:
    """Give a question with its answer where the answer (`It was.`) says nothing without it."""
    if asked is None or asked.paragraph != piece.paragraph:
        return piece
    question = text[asked.start : asked.end].strip("*_\"' ")
    if not question.endswith("?") or states_nothing(question):
        return piece
    answer = text[piece.start : piece.end]
    return replace(piece, start=asked.start) if ELLIPSIS.fullmatch(answer) else piece


def _statement(text: str, piece: Piece) -> Piece:
    """Give the part of a piece that may state something."""
    if piece.form in ("leaf", "cell"):
        return piece
    start, end = stating(text[piece.start : piece.end])
    if (start, end) == (0, piece.end - piece.start):
        return piece
    return replace(piece, start=piece.start + start, end=piece.start + end)


def _asserts(text: str, piece: Piece) -> bool:
    if piece.form == "leaf" or _said(text, piece):
        return True
    if text.rstrip("\"')”*_ ").endswith("?") or not any(char.isalnum() for char in text):
        return False
    bare = text.lstrip("*_\"' ")
    if states_nothing(bare):
        return False
    head = text[:LONGEST]
    has_fact = bool(facts(head))
    if not has_fact and PROMISE.match(bare):
        return False
    if piece.form == "heading" or bare.rstrip("*_ ").endswith(":"):
        if has_fact or tells_status(head):
            return True
        return bool(mentions(head)) and FINITE.search(head) is not None and not is_title(head)
    if tells_status(head):
        return True
    if _GREETING.match(bare) and not has_fact and not mentions(head):
        return False
    content = set(stems(head)) - _CONTENT_FREE
    if piece.form == "cell" and _ANSWER.fullmatch(head) is not None:
        return True
    return bool(content) and (has_fact or piece.form == "cell" or _says(head))


def _says(text: str) -> bool:
    """Tell whether a text without values says anything: it has a verb, or is a sentence of three words at least."""
    if FINITE.search(text) is not None or mentions(text):
        return True
    blanks = text.count(" ")
    return blanks > 3 or (blanks > 1 and text.rstrip("\"')”*_ ").endswith((".", "!")))


def _claim(number: int, text: str, piece: Piece, subject: str) -> Claim:
    head = text[:LONGEST]
    pronoun = _PRONOUN.match(head) is not None or (piece.goes_on and BY_ITSELF.match(head) is not None)
    context = piece.context or (subject if pronoun else "")
    label = _LABEL.match(head)
    cited = [match.span() for match in _CITATION.finditer(head)]
    found = tuple(
        each
        for each in facts(head)
        if (label is None or each.start >= label.end())
        and not any(first <= each.start < last for first, last in cited)
    )
    if piece.context:
        # In a cell or a leaf the headers and the path say what the value is of.
        said = frozenset(stems(piece.context.replace("_", " ")))
        found = tuple(replace(each, attribute=the_same(each.attribute | said)) for each in found)
    form = _form(head, piece)
    words = f"{context} {head}" if context else head
    cleaned = _NOT_NEGATIVE.sub(" ", head)
    return Claim(
        id=f"c{number}",
        span=Span(piece.start, piece.end),
        text=text,
        form=form,
        context=context,
        facts=found,
        content=the_same(_content(head, found).union(stems(context.replace("_", " ")))),
        names=the_same(_names(head, found)),
        mentions=mentions(head),
        negative=_NEGATIVE.search(cleaned) is not None,
        modality=_modality(head),
        quantifier=_quantifier(words, cleaned, head),
        unresolved=_PRONOUN_SUBJECT.match(head) is not None and not context,
        said=_said(text, piece),
        cell=piece.cell,
    )


def _said(text: str, piece: Piece) -> str:
    """Give in a sentence what a piece says by a status or a tick; empty where it says it in words."""
    if piece.cell is not None:
        return said_of_cell(*piece.cell, text)
    return said_of_none(text) or said_of_tick(text, marked=piece.ticked in ("x", "X"))


def spoken(claim: Claim) -> Claim:
    """Give a claim that says in a sentence what a cell says by a status or a tick."""
    return replace(
        _claim(0, claim.said, Piece(0, len(claim.said), "clause"), ""),
        id=claim.id,
        span=claim.span,
        cell=claim.cell,
    )


def _modality(text: str) -> Literal["is", "will", "may", "plans"]:
    if _MAY.search(text):
        return "may"
    return "will" if _WILL.search(text) else "plans" if _PLANS.search(text) else "is"


def _quantifier(words: str, cleaned: str, head: str) -> Literal["", "all", "none", "only"]:
    if _ALL.search(words):
        return "all"
    return "none" if _NONE.search(cleaned) else "only" if _ONLY.search(head) else ""


def _form(text: str, piece: Piece) -> Literal["clause", "fragment", "cell", "leaf", "heading"]:
    """Give the form of a piece; a clause without a helping verb or an action only labels its values."""
    if piece.form == "clause" and _COLON.search(text) and not _HELPER.search(text) and not mentions(text):
        return "fragment"
    return piece.form


def _content(text: str, found: tuple[Fact, ...]) -> frozenset[str]:
    """Give the stems of the content words, typed values and names with their code behind them apart."""
    cuts = sorted(
        [(fact.start, fact.end) for fact in found] + [match.span() for match in _ALIAS.finditer(text)]
    )
    kept, position = [], 0
    for start, end in cuts:
        kept.append(text[position:start])
        position = max(position, end)
    kept.append(text[position:])
    return frozenset(stems(" ".join(kept)))


def _names(text: str, found: tuple[Fact, ...]) -> frozenset[str]:
    """Give the stems of words written with a capital where no sentence begins, typed values and aliases apart."""
    names = set()
    apart = [match.span() for pattern in (_ALIAS, _TITLE) for match in pattern.finditer(text)]
    covered = {
        place
        for start, end in (*((fact.start, fact.end) for fact in found), *apart)
        for place in range(start, end)
    }
    for word, start, _ in word_spans(text):
        if not word[0].isupper() or word.lower() in stop_words() or len(word) < 2:
            continue
        if not text[:start].strip(" *_\"'“([") and not _is_owner(word):
            continue
        opens = text[:start].endswith("(") and re.match(r"\w+\s[a-z]", text[start:]) is not None
        if (
            opens
            or start in covered
            or text[:start].rstrip(" *_\"'(").endswith((".", ":", "!", "?", "\n", "-"))
        ):
            continue
        names.add(stem(word))
    return frozenset(names)


_OWNER: Final = re.compile(r"([A-Z][a-z]+)['’]s")
_NO_OWNER: Final = re.compile(
    r"(?:today|yesterday|tonight|tomorrow|\w+day|what|who|here|there|where|let|that|it|he|she|one|last|next|this)$",
    re.IGNORECASE,
)


def _is_owner(word: str) -> bool:
    """Tell whether a word that opens a sentence is a name to which what follows belongs: `Ann's order`."""
    match = _OWNER.fullmatch(word)
    return match is not None and _NO_OWNER.fullmatch(match[1]) is None and stem(match[1]) not in kinds()


_SUBJECT_END: Final = Pattern(
    r"\b(?:is|are|was|were|has|have|had|will|did|does|do|can|may|must|should|would|failed|passed|succeeded|costs?|fell|rose)\b"
)
_VERB: Final = re.compile(
    r"\b(?:[a-z]{3,}ed|ran|took|went|came|began|ended)\b(?=[.,;]|$|\s(?:at|on|in|to|by|for|with|from|after|before|within|up|an?|the|its|all|[0-9$€£])\b)"
)


def _subject(text: str) -> str:
    """Give the words before the first finite verb, which a following pronoun may stand for."""
    verbs = (
        match
        for pattern in (_SUBJECT_END, HOLDS, _VERB)
        for match in pattern.finditer(text)
        if stems(text[: match.start()])
    )
    first = next(verbs, None)
    return text[: first.start()].strip()[:120] if first is not None else text.strip()[:60]
