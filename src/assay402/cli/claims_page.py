"""A claims diagnosis for people: the text with its claims marked, the evidence lines behind them, one HTML page."""

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Final

from assay402.checks.claims.model import Given, Outcome, Verdict

MARKS: Final = {"SUPPORTED": "✓", "CONTRADICTED": "✗", "UNSUPPORTED": "!", "UNVERIFIED": "?"}
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
_REF: Final = re.compile(r"#L([0-9]+)")
_RANGE: Final = re.compile(r"#c([0-9]+)-([0-9]+)$")
_POINTER: Final = re.compile(r"#(?:L[0-9]+:)?/?((?!L[0-9]+$|c[0-9]+-[0-9]+$).+)$")
_JSON: Final = re.compile(r"[\[{]")
_LINE: Final = 160


def visible(text: str) -> str:
    """Give a text with control and direction characters shown as escapes, so that it cannot act on a screen."""
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def evidence_line(ref: str, given: Given) -> str:
    """Give the line of evidence a reference names, or the value a pointer leads to, cut to a readable width."""
    item = next((each for each in given.evidence if each.id == ref.partition("#")[0]), None)
    if item is None:
        return ""
    number, span, pointer = _REF.search(ref), _RANGE.search(ref), _POINTER.search(ref)
    if span is not None:
        text = item.text[int(span[1]) : int(span[2])]
    elif number is not None:
        text = item.text.split("\n")[int(number[1]) - 1]
    else:
        text = item.text
    text = text if pointer is None else _pointed(text, pointer[1])
    shown = visible(" ".join(text.split()))
    return shown if len(shown) <= _LINE else shown[: _LINE - 1] + "…"


def _pointed(text: str, pointer: str) -> str:
    """Give the value that a JSON Pointer leads to, from the first bracket of a text; the text itself where it leads nowhere."""
    begins = _JSON.search(text)
    try:
        value, _ = json.JSONDecoder().raw_decode(text, begins.start() if begins is not None else 0)
        for step in pointer.split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            value = value[int(name)] if isinstance(value, list) else value[name]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return text
    return json.dumps(value, ensure_ascii=False)


def stretches(outcome: Outcome) -> Iterator[tuple[str, Verdict | None]]:
    """Give the candidate in stretches, each with the verdict on it or none."""
    text, position = outcome.given.candidate, 0
    for verdict in outcome.diagnosis.verdicts:
        span = verdict.claim.span
        if span.start > position:
            yield text[position : span.start], None
        yield text[span.start : span.end], verdict
        position = span.end
    if position < len(text):
        yield text[position:], None


_STYLE: Final = """
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1b1f24;background:#fff}
h1{font-size:1.3rem}code,.ref{font-family:ui-monospace,monospace;font-size:.9em}.text{white-space:pre-wrap;border:1px solid #d0d7de;border-radius:6px;padding:1rem}
mark{border-radius:3px;padding:0 .15em;color:inherit}.SUPPORTED{background:#d8f3dc}.CONTRADICTED{background:#ffd6d6}.UNSUPPORTED{background:#ffe8c2}.UNVERIFIED{background:#e4e7eb}
table{border-collapse:collapse;width:100%;margin-top:1rem}td,th{border-top:1px solid #d0d7de;padding:.4rem;text-align:left;vertical-align:top}
@media(prefers-color-scheme:dark){body{background:#14171a;color:#e6e8ea}mark{color:#14171a}.text,td,th{border-color:#3a4149}}
"""


def page(outcome: Outcome) -> str:
    """Give a diagnosis as one HTML page that loads nothing."""
    diagnosis = outcome.diagnosis
    marked = "".join(
        escape(visible(text))
        if verdict is None
        else f'<mark class="{verdict.finding.support}" title="{verdict.finding.support}"><sup>{verdict.claim.id}{MARKS[verdict.finding.support]}</sup>{escape(visible(text))}</mark>'
        for text, verdict in stretches(outcome)
    )
    rows = "".join(_row(verdict, outcome.given) for verdict in diagnosis.verdicts)
    action = outcome.published["next_safe_action"]
    proposed = outcome.repair.proposed if outcome.repair is not None else None
    proposal = _changes(outcome) + (
        f'<h2>Proposed text</h2><div class="text">{escape(visible(proposed))}</div>' if proposed else ""
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Claims: {diagnosis.state}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{diagnosis.state}</h1><p>{escape(diagnosis.ceiling)}</p><p><strong>{escape(action['action'])}</strong>: {escape(action['reason'])}</p>"
        f'<div class="text">{marked}</div><table><thead><tr><th>claim</th><th>verdict</th><th>why</th><th>evidence</th></tr></thead><tbody>{rows}</tbody></table>{proposal}'
        f'<p class="ref">result {escape(outcome.published["receipt"]["result_hash"])}</p></body></html>\n'
    )


def _changes(outcome: Outcome) -> str:
    if outcome.repair is None or not outcome.repair.corrections:
        return ""
    rows = "".join(
        f"<tr><td>{each.claim_id}</td><td>{each.op}</td><td><del>{escape(visible(each.before))}</del></td><td><ins>{escape(visible(each.after))}</ins></td></tr>"
        for each in outcome.repair.corrections
    )
    return f"<h2>Changes</h2><table><thead><tr><th>claim</th><th>kind</th><th>from</th><th>to</th></tr></thead><tbody>{rows}</tbody></table>"


def _row(verdict: Verdict, given: Given) -> str:
    finding = verdict.finding
    evidence = "<br>".join(
        f'<span class="ref">{escape(ref)}</span> {escape(evidence_line(ref, given))}' for ref in finding.refs
    )
    why = escape(": ".join(part for part in (finding.code, finding.note) if part))
    if finding.missing is not None:
        why += f"<br>missing: {escape(visible(finding.missing[1]))}"
    return f'<tr><td>{verdict.claim.id}</td><td><mark class="{finding.support}">{finding.support}</mark></td><td><code>{escape(finding.rule)}</code> {why}</td><td>{evidence}</td></tr>'
