"""What a stretch does with its words: states, asks, offers, orders, intends; and where in it a statement stands."""

import re
from typing import Final

from assay402.checks.claims.reading.actions import mentions
from assay402.checks.claims.reading.facts import LONGEST, facts
from assay402.checks.claims.reading.patterns import Pattern
from assay402.checks.claims.reading.sentences import FINITE, begins_clause

_OFFER: Final = re.compile(
    r"(?:let me\b|let's\b|would you|do you|could you|can you|please\b|kindly\b|feel free|if you(?:'d| would)? (?:like|want|need|have|wish|prefer)|i can (?:help|also|assist)|i'd be happy|happy to|i hope|you (?:can|may|should|might) (?:want to |also )?(?:check|review|see|use|run|contact|try|refer|visit|find)|to (?:proceed|continue|confirm)\b|how (?:can|would|may) i|next steps?\b|once you\b|i need (?:you|your)|i(?:'d| would) (?:recommend|suggest)|we recommend|may i\b|shall i\b|should i\b|(?:i|we) (?:hope|like|love)\b)",
    re.IGNORECASE,
)
INTENT: Final = Pattern(
    r"(?:(?:now|next|then|first|so|and|tomorrow|today|later|shortly|soon),?\s)?(?:i|we)(?:'ll| will| shall|(?:'m|'re| am| are)(?: now)? (?:going|planning|about|ready) to| plan to| intend to| want to| hope to| aim to|'d like to| would like to)\b",
    re.IGNORECASE,
)
PROMISE: Final = Pattern(
    r"(?:so |then |and |therefore,? )?you(?:'ll| will)(?: soon| shortly| then| also)? (?:receive|get|see|be (?:notified|contacted|refunded|charged|sent|credited|informed))\b",
    re.IGNORECASE,
)
"""What the speaker's side will do, said to whom it will be done."""
_VERB_FIRST: Final = re.compile(
    r"(?:use|run|click|see|check|try|make sure|ensure|note|remember|do not|don't|open|go to|visit|contact|follow|select|choose|enter|add|remove|change|set|update|review|confirm|provide|consider|install|deploy|send|submit|keep|avoid|call|read|look|wait|start|stop|apply|create|delete|merge|restart|tell|inform|remind|feel free)\s(?!(?:is|are|was|were|has|have|failed|passed|succeeded|completed)\b)(?![\w-]+:)",
    re.IGNORECASE,
)
_NOUN_FIRST: Final = re.compile(
    r"\w+\s(?:(?!(?:the|an?|this|that|these|those|my|your|our|their|its|his|her|it|them|him|me|us|you|all|any|some|each|every|to|in|on|at|with|from|for|if|whether|when|who|which|what|how|where|and|or|until|before|after|by|sure|out|as|only|both|no)\b)[\w#./%-]+\s(?:(?:the|an?|our|your)\s)?){0,5}?"
    r"(?:(?:is|are|was|were|has|have|had|will|did|does|isn't|aren't|wasn't|weren't|hasn't|fell|rose|grew|took|takes|costs?|ran|shows|works|remains?|equals|passes|fails|went|came|stands)\b"
    r"|(?:[a-z]{3,}ed|sent|paid|complete|done|ready|live|successful|pending|healthy)(?=[.,;!)]|$|\s(?:in|at|on|to|by|with|for|from|after|before|without|successfully|cleanly|and|but|as|within)\b))",
    re.IGNORECASE,
)
"""A noun that is a verb too, with its own predicate behind it: `Change CH-12 was approved`, `Run 12 passed`."""
_AIMED_FIRST: Final = re.compile(
    r"\w+\s(?:(?!(?:the|an?|my|your|our|their|its|his|her|it|them|him|me|us|you|all|any|some|each|every|both|no|sure|out)\b)[\w#.-]*\d[\w#.-]*\s)?(?:in)?(?:to|on|from|in|at|with|for|of)\s"
    r"(?:(?!(?:this|that|these|those|it|them|him|me|you|if|whether|when|who|which|what|how|where|and|or|until|unless|before|after|once|while|because|as|whatever|anything|everything)\b)[\w#@:./%-]+\s(?:v?[\d.]+\s)?){1,6}?"
    r"(?:(?:is|are|was|were|has|have|had|did|will|isn't|aren't|wasn't|weren't|hasn't|didn't)\b|(?:succeeded|failed|completed|finished|passed|ended|errored|crashed|worked|ran|took|timed out)(?=[.,;!)]|$|\s(?!you\b)))",
    re.IGNORECASE,
)
"""The same with its aim before the predicate: `Deploy to production succeeded`."""
_CONDITION: Final = re.compile(
    r"(?:if|unless|in case|assuming|provided that|when you|should you|whether)\b", re.IGNORECASE
)
_LOOKING: Final = Pattern(
    r"(?:if|when|should|in case)\s(?:you|anyone|anybody)\b[^,]{0,20}?\s(?:look|check|see|read|open|view|scroll|need|want|wonder|ask|are (?:wondering|curious)|care|missed)\b",
    re.IGNORECASE,
)
"""A condition of the reader's looking, which what follows does not hang on."""
_STATES: Final = Pattern(
    r"\b(?:is|are|was|were|will be|costs?|amounts? to|comes? to|equals?)\b", re.IGNORECASE
)
_PRAISE: Final = Pattern(
    r"(?:this|that|it|everything|all) (?:looks?|seems?|sounds?|feels?) (?:good|great|fine|nice|reasonable|right)\b",
    re.IGNORECASE,
)
_VALUING: Final = Pattern(
    r"\b(?:good|great|fine|nice|best|better|useful|helpful|interesting|beautiful|elegant|reasonable|worth\w*|eas(?:y|ier)|simpler?|should|would|could|might|amazing|excellent|lovely|fun|sensible|makes? sense|important|right|well)\b",
    re.IGNORECASE,
)
_BELIEF: Final = Pattern(
    r"(?:(?:i|we) (?:think|believe|feel|guess|suspect|suppose|assume)|(?:i am|i'm|we are|we're) (?:sure|confident|certain|afraid)|in (?:my|our) (?:opinion|view),?)(?: that)?\s",
    re.IGNORECASE,
)
_TELLING: Final = re.compile(
    r"(?:(?:and|but|so|also|now),?\s)?(?:"
    r"(?:please |kindly )?(?:be (?:aware|informed|advised|assured)|rest assured|note|remember|keep in mind|bear in mind|know|see)"
    r"|(?:let me|allow me to|i (?:just )?(?:want(?:ed)?|would like|can|am able) to|i'd like to|i(?:'ll| will)) (?:just |also )?(?:confirm|note|report|say|add|mention|clarify|point out|tell you|inform you|let you know)"
    r"|(?:(?:i am|i'm|we are|we're) )?(?:happy|glad|pleased|delighted|proud) to (?:confirm|report|say|announce|share|tell you|inform you|let you know)"
    r"|you (?:can|may|will|should) (?:now |also )?(?:see|notice|rest assured)"
    r"|(?:please |kindly )?(?:feel free to )?(?:tell|inform|remind|notify|assure|announce)(?: (?:the|our|your) \w+| them| him| her| us| everyone)?"
    r"|(?:make sure|ensure) (?:the \w+|you|they|everyone) knows?"
    r"|(?:did|do) you (?:know|see|notice|hear|realise|realize)"
    r")(?:\sthat\b|,|:)?\s",
    re.IGNORECASE,
)
"""Words that only bring in what is stated behind them."""
_GREETED: Final = re.compile(
    r"(?:(?:hi|hello|hey|dear|greetings|good (?:morning|afternoon|evening|day))\b(?:\s(?:[\w'’&-]+|(?:mr|ms|mrs|dr|prof)\.)){0,4}?"
    r"|sure|okay|ok|certainly|of course|absolutely|alright|all right|(?:great|good) news|sorry|apologies|congratulations|(?:thanks|thank you|sorry)(?: (?:so|very) much)?(?: for [\w' -]{1,40})?)"
    r"(?:\s?[,!:]|\s?[–—]|\s-)\s+",
    re.IGNORECASE,
)
"""Words to the reader before what is stated, his name with them."""
_TAG: Final = Pattern(
    r",\s*(?:(?:is|are|was|were|do|does|did|have|has|had|would|could|should|wo|ca)(?:n't| not)?\s(?:it|you|they|we|he|she|i)\b[^,?]{0,20}|right|correct|okay|ok|yes|no|you know)\s?\?[\s*_\"')]*$",
    re.IGNORECASE,
)
ELLIPSIS: Final = re.compile(
    r"(?=\w)(?:(?:yes|yeah|yep|indeed|no|nope)\b,?\s?)?(?:(?:it|they|he|she|we|i|that|this|all)\s(?:was|were|is|are|did|does|do|has|have|had)(?:\s?not|n't)?(?:\s(?:indeed|already|now))?)?\s?[.!]?",
    re.IGNORECASE,
)
"""An answer that says nothing without its question."""
_JOINT: Final = re.compile(
    r"(?P<of>,?\s(?:which|that|who)\s(?=(?:was|were|has been|have been|(?:i|we)\s(?:have\s|already\s)?[a-z]+(?:ed|nt|id))\b))"
    r"|(?P<strong>;\s+|\s[-–—]\s+)|(?P<colon>:\s+)|(?P<comma>,\s+(?:(?:and|so|but|as|since|because|now that|given that)\s)?)|(?P<reason>\s(?:because|since|now that|given that)\s(?!of\b))",
    re.IGNORECASE,
)
_MOST_JOINTS: Final = 12
_ASKED_TO_CONFIRM: Final = re.compile(
    r"(?:(?:please|kindly|could you|can you|would you)\s)?(?:confirm|verify|provide|choose|select|answer|enter|reply|respond|share|let me know)\b",
    re.IGNORECASE,
)
_HEDGED: Final = Pattern(r"\b(?:would|could|might|may|will|'ll|shall|can|should)\b", re.IGNORECASE)
_WHOSE: Final = re.compile(
    r"(?:it|they|he|she|i|we|this|that|these|those|there|the|an?|all|no|none|nothing|everything|its|our|your|their|my|each|every)\b|[\w$#./-]*[0-9A-Z]",
)
_SHORTEST: Final = 2


def is_order(text: str) -> bool:
    """Tell whether a text begins with a verb that tells somebody to do something."""
    if _VERB_FIRST.match(text) is None:
        return False
    return _NOUN_FIRST.match(text[:LONGEST]) is None and _AIMED_FIRST.match(text[:LONGEST]) is None


_OPEN: Final = Pattern(r"the supplied evidence does not show whether\b", re.IGNORECASE)
"""What a repair leaves open; it says nothing of the matter."""


def states_nothing(text: str) -> bool:
    """Tell whether a text, as it begins, offers, intends, orders, asks for leave, values, or hangs on a condition."""
    if (
        _OPEN.match(text)
        or _PRAISE.match(text)
        or _CONDITION.match(text)
        or _BELIEF.match(text)
        or INTENT.match(text)
    ):
        return True
    return _OFFER.match(text) is not None or is_order(text)


def stating(text: str) -> tuple[int, int]:
    """Give the part of a text that may state something, without the words that only lead into it or follow it."""
    start, end = 0, len(text)
    tag = _TAG.search(text, max(0, end - 60))
    if tag is not None and begins_clause(text[: tag.start()]):
        end = tag.start()
    while step := _behind_lead(text[start:end][:LONGEST]) or _behind_rest(text[start:end][:LONGEST]):
        if text[start : start + step].lower().startswith(("did you", "do you")):
            end = start + len(text[start:end].rstrip("? "))
        start += step
    return start, end


def _behind_lead(text: str) -> int:
    """Give where the statement begins that a lead-in or a belief brings in; 0 where there is none."""
    bare = len(text) - len(text.lstrip("*_\"' "))
    lead = _TELLING.match(text, bare) or _GREETED.match(text, bare)
    if lead is not None and begins_clause(text[lead.end() :]) and not is_order(text[lead.end() :]):
        return lead.end()
    belief = _BELIEF.match(text, bare)
    if belief is not None and begins_clause(text[belief.end() :]) and _is_checkable(text[belief.end() :]):
        return belief.end()
    return 0


def _behind_rest(text: str) -> int:
    """Give where a statement begins behind an offer, an order, an intention or a condition; 0 where there is none."""
    bare = text.lstrip("*_\"' ")
    if text.rstrip().endswith("?") or not states_nothing(bare):
        return 0
    condition = _CONDITION.match(bare) is not None
    asked = _ASKED_TO_CONFIRM.match(bare) is not None
    for number, joint in enumerate(_JOINT.finditer(text, 0, LONGEST)):
        if number >= _MOST_JOINTS:
            break
        rest = text[joint.end() :]
        if condition and joint["strong"] is None:
            if joint["comma"] is not None and _holds_anyway(bare, rest):
                return joint.end()
            continue
        if joint["colon"] is not None and asked:
            continue
        of_it = joint["of"] is not None
        if (of_it or _WHOSE.match(rest)) and _stands(rest, own=not of_it):
            return joint.end()
    return 0


def _holds_anyway(text: str, rest: str) -> bool:
    """Tell whether what follows `if …,` states a value of its own, or what was done whoever looks."""
    head = rest[:LONGEST]
    if states_nothing(head):
        return False
    if _STATES.search(head) is not None and facts(head) and not mentions(head):
        return True
    done = any(each.stage not in ("INTENT", "REQUESTED") for each in mentions(head))
    return _LOOKING.match(text) is not None and done and _HEDGED.search(head) is None


def _stands(rest: str, *, own: bool) -> bool:
    head = rest[:LONGEST]
    if states_nothing(head) or PROMISE.match(head) or (own and not begins_clause(head)):
        return False
    return _is_checkable(head) and len(head.split()) >= _SHORTEST


def _is_checkable(text: str) -> bool:
    """Tell whether a text says something that a record could bear out, and does not merely value."""
    head = text[:LONGEST]
    if facts(head) or any(each.stage not in ("INTENT", "REQUESTED") for each in mentions(head)):
        return True
    return FINITE.search(head) is not None and _VALUING.search(head) is None
