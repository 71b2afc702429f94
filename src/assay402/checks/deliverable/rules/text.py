"""Text: characters, lines, needles and patterns. Needles are compared byte by byte; nothing is normalised."""

from typing import Final

from assay402.checks.deliverable.document import character_count
from assay402.checks.deliverable.model import Case, Finding, failed, passed, uncheckable
from assay402.checks.deliverable.rules.bounds import within
from assay402.checks.deliverable.rules.subject import NOT_UTF8, subject
from assay402.core.check import rule

UTF16: Final = "utf16"


@rule("deliverable/char-length", since="0.1", spec="summary: character bounds")
def char_length(case: Case) -> Finding:
    """Compare the number of characters with bounds.

    ## What it reports
    PASS within `min` and `max`, both inclusive, or at exactly `equals`; else FAIL `BELOW_MIN`, `ABOVE_MAX`,
    `NOT_EXACT`, or `NOT_UTF8` where the bytes are no text. `unit` is `codepoint` (the default) or `utf16`. The
    detail says the actual number in the unit, and both units and the bytes beside it.

        {"id": "tweet", "check": "char_length", "max": 280}

    passes for any text of up to 280 code points.

    ## Why it matters
    "Characters" means three things: one family emoji is 25 bytes, 7 code points and 11 UTF-16 units.

    ## How to fix it
    Say the unit your platform counts in: JavaScript's `length` is `utf16`. A byte order mark and each half of CR LF
    count.

    ## Known limits
    What a reader sees as one character (a grapheme) is not offered: its rules change with each version of Unicode.
    """
    data = subject(case)
    if isinstance(data, Finding):
        return data
    try:
        count = character_count(data.decode())
    except UnicodeDecodeError:
        return NOT_UTF8
    actual = count.utf16_units if case.parameters["unit"] == UTF16 else count.code_points
    return within(
        actual,
        case.parameters,
        codePoints=count.code_points,
        utf16Units=count.utf16_units,
        bytes=len(data),
    )


@rule("deliverable/line-count", since="0.1", spec="summary: line bounds")
def line_count(case: Case) -> Finding:
    r"""Compare the number of lines with bounds.

    ## What it reports
    PASS within `min` and `max`, both inclusive, or at exactly `equals`; else FAIL `BELOW_MIN`, `ABOVE_MAX` or
    `NOT_EXACT`. LF, CR LF and a lone CR each end a line; one at the very end opens no further line, and nothing at
    all is no line. The detail says the actual number and how often each of the three occurs.

        {"id": "rows", "check": "line_count", "equals": 2}

    passes for `a\nb` and for `a\nb\n`.

    ## Why it matters
    Tables and logs are ordered by the line.

    ## How to fix it
    Count unterminated last lines too, which `wc -l` does not.

    ## Known limits
    U+2028, U+2029, U+0085, vertical tab and form feed end no line here, although some editors break there.
    """
    data = subject(case)
    if isinstance(data, Finding):
        return data
    crlf = data.count(b"\r\n")
    lf, cr = data.count(b"\n") - crlf, data.count(b"\r") - crlf
    lines = lf + crlf + cr + (bool(data) and not data.endswith((b"\n", b"\r")))
    return within(lines, case.parameters, lf=lf, crlf=crlf, cr=cr)


@rule("deliverable/contains", since="0.1", spec="summary: contains")
def contains(case: Case) -> Finding:
    """Look for a string in the delivered bytes.

    ## What it reports
    PASS when the UTF-8 of `value` occurs, else FAIL `NOT_FOUND`. The detail counts the occurrences that do not
    overlap and says where the first begins.

        {"id": "licence", "check": "contains", "value": "SPDX-License-Identifier"}

    ## Why it matters
    It is the simplest criterion that both sides can read.

    ## How to fix it
    Case, blanks and accents count, and a needle is never a pattern. For kind `json` the needle is compared with
    the canonical text, in which no blank stands after a colon: use `json_path_equals` for values.
    """
    found = _occurrences(case)
    if isinstance(found, Finding):
        return found
    return passed(**found) if found["occurrences"] else failed("NOT_FOUND", **found)


@rule("deliverable/not-contains", since="0.1", spec="summary: not_contains")
def not_contains(case: Case) -> Finding:
    """Make sure that a string does not occur in the delivered bytes.

    ## What it reports
    PASS when the UTF-8 of `value` does not occur, else FAIL `FOUND`. The detail counts the occurrences that do not
    overlap and says where the first begins.

        {"id": "placeholders", "check": "not_contains", "value": "lorem ipsum"}

    ## Why it matters
    Placeholders and forbidden words are named more easily than their absence is described.

    ## How to fix it
    Remove what was found; the detail says at which byte to look.

    ## Known limits
    The comparison is literal: other case, another normal form or a zero-width character inside the word make it
    another string.
    """
    found = _occurrences(case)
    if isinstance(found, Finding):
        return found
    return failed("FOUND", **found) if found["occurrences"] else passed(**found)


@rule("deliverable/starts-with", since="0.1", spec="summary: starts_with")
def starts_with(case: Case) -> Finding:
    """Compare the first bytes with a string.

    ## What it reports
    PASS when the bytes begin with the UTF-8 of `value`, else FAIL `PREFIX_MISMATCH`. The detail says how many bytes
    agree.

        {"id": "shebang", "check": "starts_with", "value": "#!/usr/bin/env bash"}

    ## Why it matters
    File types and front matter are told by their first bytes.

    ## How to fix it
    Deliver without a byte order mark or blank line in front: nothing is stripped.
    """
    data = subject(case)
    if isinstance(data, Finding):
        return data
    value = case.parameters["value"]
    if data.startswith(value):
        return passed(commonBytes=len(value))
    return failed("PREFIX_MISMATCH", commonBytes=_common(data, value))


@rule("deliverable/ends-with", since="0.1", spec="summary: ends_with")
def ends_with(case: Case) -> Finding:
    r"""Compare the last bytes with a string.

    ## What it reports
    PASS when the bytes end with the UTF-8 of `value`, else FAIL `SUFFIX_MISMATCH`. The detail says how many bytes
    agree, counted from the end.

        {"id": "newline", "check": "ends_with", "value": "\n"}

    ## Why it matters
    A truncated delivery shows at its end.

    ## How to fix it
    Mind the final newline that editors add: it is the last byte.
    """
    data = subject(case)
    if isinstance(data, Finding):
        return data
    value = case.parameters["value"]
    if data.endswith(value):
        return passed(commonBytes=len(value))
    return failed("SUFFIX_MISMATCH", commonBytes=_common(data[::-1], value[::-1]))


@rule("deliverable/matches", since="0.1", spec="ours: Decision 1 (d)")
def matches(case: Case) -> Finding:
    r"""Look for a pattern in the delivered text.

    ## What it reports
    PASS when the pattern matches somewhere, else FAIL `NO_MATCH`, or `NOT_UTF8` where the bytes are no text. `value`
    is a pattern of RE2 of 1 to 1024 characters, read without flags and not anchored; `\b`, `\w`, `\d` and `\s` know ASCII
    alone. UNCHECKABLE
    `PATTERN_UNSUPPORTED` where the engine refuses it, or it sets flags itself, as `(?i)` does.

        {"id": "order", "check": "matches", "value": "^ORD-[0-9]{8}$"}

    ## Why it matters
    Some formats are said in a pattern and hardly otherwise.

    ## How to fix it
    Anchor with `^` and `$` to speak of the whole text, and keep to what RE2 runs in linear time: look-around and
    back-references are refused.

    ## Known limits
    An extension: the contract's own menu has no patterns, so its profile refuses the check.
    """
    found = _matches(case)
    return found if isinstance(found, Finding) else passed() if found else failed("NO_MATCH")


@rule("deliverable/not-matches", since="0.1", spec="ours: Decision 1 (d)")
def not_matches(case: Case) -> Finding:
    r"""Make sure that a pattern does not occur in the delivered text.

    ## What it reports
    PASS when the pattern matches nowhere, else FAIL `FOUND`, or `NOT_UTF8` where the bytes are no text. The pattern
    is as in `matches`.

        {"id": "secrets", "check": "not_matches", "value": "-----BEGIN [A-Z ]*PRIVATE KEY-----"}

    ## Why it matters
    What must not be delivered often has a shape rather than a spelling.

    ## How to fix it
    Remove what matches.

    ## Known limits
    An extension: the contract's own menu has no patterns, so its profile refuses the check.
    """
    found = _matches(case)
    return found if isinstance(found, Finding) else failed("FOUND") if found else passed()


def _matches(case: Case) -> bool | Finding:
    data = subject(case)
    if isinstance(data, Finding):
        return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return NOT_UTF8
    pattern = case.parameters["value"]
    price = case.parameters["price"]
    looked_at = len(data) if price.reach is None else min(price.reach, len(data))
    # An engine that knows that nothing can match any more may still go to the end.
    if not case.work.takes(price.byte * looked_at + len(data)):
        return uncheckable("LIMIT_WORK")
    return pattern.search(data) is not None


def _occurrences(case: Case) -> dict[str, int] | Finding:
    """Count a needle, and say where it first stands."""
    data, needle = subject(case), case.parameters["value"]
    if isinstance(data, Finding):
        return data
    found = {"occurrences": data.count(needle)}
    return {**found, "firstByte": data.find(needle)} if found["occurrences"] else found


def _common(one: bytes, other: bytes) -> int:
    """Count the leading bytes two strings share; they differ within the shorter one, or it ends."""
    shortest = min(len(one), len(other))
    return next((place for place in range(shortest) if one[place] != other[place]), shortest)
